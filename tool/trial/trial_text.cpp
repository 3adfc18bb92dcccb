// Plans and trials in words and in JSON.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <nlohmann/json.hpp>
#include <string_view>
#include <type_traits>

#include "src/base/pool.hpp"
#include "src/method/registry.hpp"
#include "tool/base/json_optional.hpp"
#include "tool/baseline/baseline.hpp"
#include "tool/trial/trial.hpp"
#include "tool/trial/trial_figures.hpp"

namespace freshet::tool {
namespace {

// Enters a value under its name.
struct entry_of {
  nlohmann::json& out;

  template <typename Value>
  void operator()(std::string_view name, const Value& value) const {
    if constexpr (std::is_enum_v<Value>)
      out[name] = to_string(value);
    else
      out[name] = value;
  }
};

template <typename Axis>
std::string text_of(const Axis& axis, const typename Axis::value& value) {
  return axis.among != nullptr ? axis.among().name_of(value) : axis.text(value);
}

std::string describe(const trial_plan& plan, bool with_memory) {
  const trial_plan usual{.depth = plan.depth == 1 ? 1U : 0U};
  std::string name = plan.method;
  each_axis([&](const auto& axis) {
    if (const auto& value = plan.*axis.member; value != usual.*axis.member)
      name += fmt::format(fmt::runtime(axis.label), text_of(axis, value));
  });
  if (plan.size_ahead) name += ", size ahead";
  if (plan.target == target_kind::overwrite) name += ", overwriting";
  if (with_memory && plan.memory != memory_state::unbacked) name += fmt::format(", memory {}", to_string(plan.memory));
  if (plan.jobs > 1) name += fmt::format(", {} files", plan.jobs);
  if (!plan.volume.empty()) name += " on " + plan.volume;
  return name;
}

}  // namespace

std::size_t parse_block(std::string_view text) {
  const std::uint64_t bytes = parse_size(text);
  if (bytes < detail::smallest_block || bytes > detail::largest_block || !std::has_single_bit(bytes))
    reject(text, "a block size", "expected a power of two from 4K to 64M");
  return static_cast<std::size_t>(bytes);
}

unsigned parse_depth(std::string_view text) {
  constexpr unsigned most_depth = 64;
  return parse_number(text, 1U, most_depth, "a depth");
}

std::vector<std::string> method_names() {
  std::vector<std::string> names{"auto"};
  for (const detail::method_entry& method : detail::method_entries()) names.emplace_back(method.name);
  for (const baseline& way : baselines()) names.emplace_back(way.name);
  return names;
}

std::string parse_method(std::string_view text) {
  const std::vector<std::string> names = method_names();
  if (std::ranges::find(names, text) != names.end()) return std::string{text};
  reject(text, "a method", fmt::format("expected one of {}", fmt::join(names, ", ")));
}

choices<bool> switches(bool on) { return {.noun = "on or off", .values = {on, !on}, .names = {"on", "off"}}; }

std::vector<std::string> compared_options() {
  std::vector<std::string> names;
  for (const bool are_words : {true, false})
    each_axis([&](const auto& axis) {
      if (!axis.label.empty() && (axis.among != nullptr) == are_words) names.emplace_back(axis.name());
    });
  return names;
}

std::string value_of(const trial_plan& plan, std::string_view option) {
  std::string text;
  each_axis([&](const auto& axis) {
    if (axis.name() == option) text = text_of(axis, plan.*axis.member);
  });
  return text;
}

trial_plan without(trial_plan plan, std::string_view option) {
  each_axis([&](const auto& axis) {
    if (axis.name() == option) plan.*axis.member = trial_plan{}.*axis.member;
  });
  plan.size_ahead = plan.size_ahead && !plan.ordered;
  return plan;
}

std::string describe(const trial_plan& plan) { return describe(plan, false); }
std::string describe_with_memory(const trial_plan& plan) { return describe(plan, true); }

void to_json(nlohmann::json& out, const latency_histogram& calls) {
  out = nullptr;
  for (const auto& [bucket, count] : calls.buckets()) out.push_back({latency_histogram::lower_end(bucket), count});
}

void from_json(const nlohmann::json& in, latency_histogram& calls) {
  calls = {};
  for (const nlohmann::json& bucket : in)
    calls.add_bucket(latency_histogram::bucket_of(bucket.at(0)), bucket.at(1).get<std::uint64_t>());
}

void to_json(nlohmann::json& out, const rate_curve& curve) {
  out = nullptr;
  if (curve.step() != 0) out = {{"step", curve.step()}, {"bytes", curve.bytes()}};
}

void from_json(const nlohmann::json& in, rate_curve& curve) {
  curve = in.is_null() ? rate_curve{} : rate_curve::of(in.at("step"), in.at("bytes").get<std::vector<std::uint64_t>>());
}

void to_json(nlohmann::json& out, const trial_plan& plan) {
  out = nlohmann::json::object();
  const trial_plan usual;
  each_plan_option([&](const auto& option) {
    const auto& value = plan.*option.member;
    if (option.since == 1 || value != usual.*option.member) entry_of{out}(option.key, value);
  });
}

void to_json(nlohmann::json& out, const trial_result& trial) {
  out = {{"plan", trial.plan},
         {"mb_per_second_to_close", trial.rate_to_close()},
         {"mb_per_second_to_disk", trial.rate_to_disk()}};
  each_figure(trial, entry_of{out});
}

void from_json(const nlohmann::json& in, trial_result& trial) {
  each_figure(trial, [&]<typename Value>(std::string_view name, Value& value) {
    const auto member = in.find(name);
    if (member == in.end()) return;
    if constexpr (std::is_enum_v<Value>)
      value = from_name<Value>(member->template get<std::string>()).value_or(value);
    else
      member->get_to(value);
  });
}

void to_json(nlohmann::json& out, const environment& env) {
  out = nlohmann::json::object();
  each_setting(env, entry_of{out});
  each_measured_setting(env, entry_of{out});
}

}  // namespace freshet::tool
