// Trials in words and in JSON.
#include <fmt/format.h>

#include <array>
#include <nlohmann/json.hpp>
#include <string_view>

#include "size.hpp"
#include "trial.hpp"

namespace freshet::tool {
namespace {

template <typename Value>
nlohmann::json or_null(const std::optional<Value>& value) {
  return value ? nlohmann::json(*value) : nlohmann::json(nullptr);
}

}  // namespace

std::string describe(const trial_plan& plan) {
  std::string words = plan.method;
  if (plan.block != 0) words += " " + format_size(plan.block);
  if (plan.depth > 1) words += fmt::format(" x {}", plan.depth);
  if (plan.reserve) words += ", reserved";
  if (!plan.ordered) words += ", unordered";
  if (plan.size_ahead) words += ", size ahead";
  if (plan.target == target_kind::overwrite) words += ", overwriting";
  if (plan.memory == memory_state::reused) words += ", memory reused";
  if (plan.jobs > 1) words += fmt::format(", {} files", plan.jobs);
  return words;
}

std::string to_string(trial_class what) {
  static constexpr std::array<std::string_view, 5> names{"none", "at_close", "each_write", "cold", "warm"};
  return std::string{names.at(static_cast<std::size_t>(what))};
}

std::string to_string(workload_kind what) { return what == workload_kind::text ? "text" : "blocks"; }

std::string to_string(target_kind what) { return what == target_kind::fresh ? "new" : "overwrite"; }

std::string to_string(memory_state what) { return what == memory_state::reused ? "reused" : "rested"; }

std::string to_string(validity what) {
  switch (what) {
    case validity::valid:
      return "valid";
    case validity::invalid:
      return "invalid";
    case validity::unknown:
      break;
  }
  return "unknown";
}

void to_json(nlohmann::json& out, const trial_plan& plan) {
  out = {{"method", plan.method},
         {"block", plan.block},
         {"depth", plan.depth},
         {"reserve", plan.reserve},
         {"ordered", plan.ordered},
         {"size_ahead", plan.size_ahead},
         {"class", to_string(plan.what)},
         {"workload", to_string(plan.workload)},
         {"target", to_string(plan.target)},
         {"memory", to_string(plan.memory)},
         {"size", plan.size},
         {"jobs", plan.jobs},
         {"seed", plan.seed}};
}

void to_json(nlohmann::json& out, const trial& made) {
  out = {{"plan", made.plan},
         {"method", made.method},
         {"round", made.round},
         {"position", made.position},
         {"started", made.started},
         {"bytes", made.bytes},
         {"lines", made.lines},
         {"seconds_to_close", made.seconds_to_close},
         {"seconds_to_disk", made.seconds_to_disk},
         {"mb_per_second_to_close", made.rate_to_close()},
         {"mb_per_second_to_disk", made.rate_to_disk()},
         {"cpu_process", made.cpu_process},
         {"cpu_whole", made.cpu_whole},
         {"cpu_stolen", made.cpu_stolen},
         {"write_calls", made.write_calls},
         {"faults_minor", made.faults_minor},
         {"faults_major", made.faults_major},
         {"switches_voluntary", made.switches_voluntary},
         {"switches_involuntary", made.switches_involuntary},
         {"device_writes", or_null(made.device_writes)},
         {"device_merges", or_null(made.device_merges)},
         {"device_bytes", or_null(made.device_bytes)},
         {"device_reads", or_null(made.device_reads)},
         {"device_bytes_read", or_null(made.device_bytes_read)},
         {"extents", or_null(made.extents)},
         {"generator_ceiling", or_null(made.generator_ceiling)},
         {"started_quiet", made.started_quiet},
         {"bytes_compared", made.bytes_compared},
         {"bytes_written", made.bytes_written},
         {"bytes_cached", or_null(made.bytes_cached)},
         {"verdict", to_string(made.verdict)},
         {"reasons", made.reasons}};
}

void to_json(nlohmann::json& out, const environment& here) {
  out = {{"machine", here.machine},
         {"kernel", here.kernel},
         {"cpus", here.cpus},
         {"memory", here.memory},
         {"governor", here.governor},
         {"directory", here.directory},
         {"file_system_key", here.file_system_key},
         {"file_system", here.file_system},
         {"mount_options", here.mount_options},
         {"device", here.device},
         {"device_model", here.device_model},
         {"scheduler", here.scheduler},
         {"write_cache", here.write_cache},
         {"dirty_settings", here.dirty_settings},
         {"first_touch_fresh", here.first_touch_fresh},
         {"first_touch_reused", here.first_touch_reused},
         {"version", here.version}};
}

}  // namespace freshet::tool
