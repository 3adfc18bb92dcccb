// Trials in words and in JSON.
#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <string_view>
#include <type_traits>

#include "tool/base/json_optional.hpp"
#include "tool/base/text.hpp"
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

std::string describe(const trial_plan& plan, bool with_memory) {
  std::string name = plan.method;
  if (plan.block != 0) name += " " + format_size(plan.block);
  if (plan.depth > 1) name += fmt::format(" x {}", plan.depth);
  if (plan.reserve) name += ", reserved";
  if (!plan.ordered) name += ", unordered";
  if (plan.access != access::sequential) name += fmt::format(", access {}", to_string(plan.access));
  if (plan.caching != caching::automatic) name += fmt::format(", caching {}", to_string(plan.caching));
  if (plan.size_ahead) name += ", size ahead";
  if (plan.target == target_kind::overwrite) name += ", overwriting";
  if (with_memory && plan.memory != memory_state::unbacked) name += fmt::format(", memory {}", to_string(plan.memory));
  if (plan.jobs > 1) name += fmt::format(", {} files", plan.jobs);
  if (!plan.volume.empty()) name += " on " + plan.volume;
  return name;
}

}  // namespace

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
  each_option(plan, entry_of{out});
  // Plans of equal JSON are repetitions of one another, also those of stores from before there were these options.
  if (plan.volume.empty()) out.erase("volume");
  if (plan.access == access::sequential) out.erase("access");
  if (plan.caching == caching::automatic) out.erase("caching");
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
