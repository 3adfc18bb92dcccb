// The table of a plan's options: whatever is in it can be read, set, varied, compared across, kept and named.
#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

#include "tests/support/freshet_command.hpp"
#include "tool/store/schema.hpp"
#include "tool/trial/plan.hpp"
#include "tool/trial/series.hpp"
#include "tool/trial/trial.hpp"

namespace freshet::tool {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

template <typename Axis>
typename Axis::value read_value(const Axis& axis, const std::string& text) {
  return axis.among != nullptr ? axis.among().parse(text) : axis.parse(text);
}

// The value as a user types it.
template <typename Axis>
std::string type_value(const Axis& axis, const typename Axis::value& value) {
  if (axis.among != nullptr) return axis.among().name_of(value);
  if constexpr (std::is_same_v<typename Axis::value, std::string>)
    return value;
  else
    return std::to_string(static_cast<std::uint64_t>(value));
}

// Some of the values that a user may choose.
template <typename Axis>
std::vector<typename Axis::value> list_some(const Axis& axis) {
  if (axis.among != nullptr) return axis.among().values;
  std::vector<std::string> texts{"1", "2", "3", "64", "4096", "64K", "64M"};
  if (axis.offered != nullptr) texts = axis.offered();
  std::vector<typename Axis::value> values;
  for (const std::string& text : texts) {
    try {
      values.push_back(axis.parse(text));
    } catch (const std::invalid_argument&) {
      continue;  // that is of another axis
    }
  }
  return values;
}

// Calls check(axis, plan) with a plan whose only unusual option is the axis.
template <typename Check>
void each_unusual(const Check& check) {
  const trial_plan usual;
  each_axis([&](const auto& axis) {
    for (const auto& value : list_some(axis)) {
      trial_plan plan;
      plan.*axis.member = value;
      if (plan != usual) check(axis, plan);
    }
  });
}

RC_GTEST_PROP(plan_options, are_read_from_the_texts_of_their_values, ()) {
  trial_plan plan;
  trial_plan read;
  each_axis([&](const auto& axis) {
    const auto values = list_some(axis);
    plan.*axis.member = values[*rc::gen::inRange<std::size_t>(0, values.size())];
    read.*axis.member = read_value(axis, type_value(axis, plan.*axis.member));
  });
  RC_ASSERT(read == plan);
}

TEST(plan_options, give_a_grid_one_plan_for_each_value) {
  each_axis([]<auto option>(const plan_option<option>& axis) {
    grid varied;
    varied.of<option>() = list_some(axis);
    ASSERT_GT(varied.of<option>().size(), 1U) << axis.key;
    std::vector<option_value<option>> values;
    for (const trial_plan& plan : make_plans(varied)) values.push_back(plan.*option);
    EXPECT_EQ(values, varied.of<option>()) << axis.key;
  });
}

TEST(plan_options, are_told_apart_in_names_and_json) {
  const nlohmann::json usual = trial_plan{};
  each_unusual([&](const auto& axis, const trial_plan& plan) {
    EXPECT_EQ(describe(plan) == describe({}), plan.depth == 1) << axis.key;  // one block is what a name leaves out
    const nlohmann::json json = plan;
    EXPECT_EQ(usual.contains(axis.key), axis.since == 1) << axis.key;
    EXPECT_NE(json.at(std::string{axis.key}), usual.value(std::string{axis.key}, nlohmann::json{})) << axis.key;
  });
}

TEST(plan_options, can_be_compared_across) {
  const std::vector<std::string> compared = compared_options();
  each_unusual([&](const auto& axis, const trial_plan& plan) {
    const std::string name{axis.name()};
    EXPECT_EQ(without(plan, name), trial_plan{}) << name;
    EXPECT_NE(value_of(plan, name), value_of({}, name)) << name;
    for (const std::string& other : compared) EXPECT_EQ(without(plan, other) == plan, other != name) << name << other;
    EXPECT_EQ(std::ranges::count(compared, name), axis.label.empty() ? 0 : 1) << name;
  });
}

TEST(plan_options, have_columns_in_new_stores_and_steps_for_old_ones) {
  const store_schema& schema = current_schema();
  each_plan_option([&](const auto& option) {
    const std::string column = fmt::format("plan_{} ", option.key);
    EXPECT_THAT(schema.tables, HasSubstr("  " + column));
    for (std::size_t version = 2; version <= schema.steps.size() + 1; ++version)
      EXPECT_EQ(schema.steps[version - 2].find("ADD COLUMN " + column) != std::string::npos, option.since == version)
          << column << version;
  });
}

TEST(plan_options, are_options_of_commands) {
  const test::freshet_command freshet;
  const auto find = [](const nlohmann::json& list, const char* member, const std::string& name) {
    for (const nlohmann::json& each : list)
      if (each.at(member) == name || each.at(member) == nlohmann::json::array({name})) return each;
    return nlohmann::json{};
  };
  const nlohmann::json commands = nlohmann::json::parse(freshet.run({"help", "--json"}).out).at("commands");
  const nlohmann::json bench = find(commands, "name", "bench").at("options");
  each_axis([&](const auto& axis) {
    const nlohmann::json option = find(bench, "names", fmt::format("--{}", axis.name()));
    ASSERT_FALSE(option.is_null()) << axis.key;
    EXPECT_THAT(option.at("help"), StartsWith(axis.help));
    std::vector<std::string> words;
    if (axis.offered != nullptr) words = axis.offered();
    if (axis.among != nullptr && !option.at("argument").is_null()) words = axis.among().names;
    EXPECT_EQ(option.at("words"), words) << axis.key;
  });
  const nlohmann::json across = find(find(commands, "name", "compare").at("options"), "names", "--across");
  EXPECT_EQ(across.at("words"), compared_options());
}

}  // namespace
}  // namespace freshet::tool
