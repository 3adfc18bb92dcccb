#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "tool/export/exports.hpp"
#include "tool/export/plans.hpp"
#include "tool/search/statistics.hpp"

namespace freshet::tool {
namespace {

constexpr double per_millisecond = 1e3;

nlohmann::ordered_json format_context(const run& run) {
  return {{"date", run.started},
          {"host_name", run.env.machine},
          {"executable", run.words},
          {"num_cpus", run.env.cpus},
          {"mhz_per_cpu", 0},
          {"cpu_scaling_enabled", !run.env.governor.empty() && run.env.governor != "performance"},
          {"caches", nlohmann::ordered_json::array()},
          {"load_avg", nlohmann::ordered_json::array()},
          {"library_build_type", "release"},
          {"freshet_version", run.env.version},
          {"kernel", run.env.kernel},
          {"file_system", run.env.file_system},
          {"mount_options", run.env.mount_options},
          {"device", run.env.device}};
}

// The members that all entries of a plan begin with.
nlohmann::ordered_json make_entry(const repeated_plan& plan, std::size_t family) {
  const std::string name = format_name(plan.first());
  return {{"name", name},
          {"family_index", family},
          {"per_family_instance_index", 0},
          {"run_name", name},
          {"repetitions", plan.counted.size()},
          {"threads", std::max(1U, plan.first().figures.plan.jobs)}};
}

using figure = double (*)(const trial_result& trial);

double real_milliseconds(const trial_result& trial) { return trial.ranking_seconds() * per_millisecond; }
double cpu_milliseconds(const trial_result& trial) { return trial.cpu_whole * per_millisecond; }
double bytes_per_second(const trial_result& trial) { return trial.ranking_rate() * 1e6; }

// The members that all entries end with; `compute` has the value of a figure.
template <typename Compute>
void add_figures(nlohmann::ordered_json& entry, const Compute& compute, const std::string& label) {
  entry["real_time"] = compute(real_milliseconds);
  entry["cpu_time"] = compute(cpu_milliseconds);
  entry["time_unit"] = "ms";
  entry["bytes_per_second"] = compute(bytes_per_second);
  entry["label"] = label;
}

nlohmann::ordered_json format_repetition(nlohmann::ordered_json entry, const record& trial, std::size_t index) {
  entry["run_type"] = "iteration";
  entry["repetition_index"] = index;
  entry["iterations"] = 1;
  add_figures(
      entry, [&](figure of) { return of(trial.figures); }, trial.label);
  return entry;
}

using aggregation = double (*)(const std::vector<double>& values);

struct aggregate {
  const char* name;
  aggregation of;
  const char* unit;
};

double variation(const std::vector<double>& values) {
  const spread result = compute_spread(values);
  return result.mean > 0 ? result.deviation / result.mean : 0;
}

constexpr aggregate aggregates[] = {
    {"mean", [](const std::vector<double>& values) { return compute_spread(values).mean; }, "time"},
    {"median", [](const std::vector<double>& values) { return median(values); }, "time"},
    {"stddev", [](const std::vector<double>& values) { return compute_spread(values).deviation; }, "time"},
    {"cv", variation, "percentage"}};

nlohmann::ordered_json format_aggregate(nlohmann::ordered_json entry, const repeated_plan& plan, const aggregate& how) {
  entry["name"] = fmt::format("{}_{}", entry["run_name"].get<std::string>(), how.name);
  entry["run_type"] = "aggregate";
  entry["aggregate_name"] = how.name;
  entry["aggregate_unit"] = how.unit;
  entry["iterations"] = plan.counted.size();
  add_figures(
      entry, [&](figure of) { return how.of(plan.collect(of)); }, plan.first().label);
  return entry;
}

}  // namespace

std::string export_benchmark(const run& run, std::span<const record> records) {
  const std::vector<repeated_plan> plans = group_by_plan(records);
  nlohmann::ordered_json out{{"context", format_context(run)}, {"benchmarks", nlohmann::ordered_json::array()}};
  std::size_t family = 0;
  for (const repeated_plan& plan : plans) {
    const nlohmann::ordered_json entry = make_entry(plan, family++);
    for (std::size_t index = 0; index < plan.counted.size(); ++index)
      out["benchmarks"].push_back(format_repetition(entry, *plan.counted[index], index));
    if (plan.counted.size() < 2) continue;
    for (const aggregate& how : aggregates) out["benchmarks"].push_back(format_aggregate(entry, plan, how));
  }
  out["freshet"] = make_note(run, plans);
  return to_text(out);
}

}  // namespace freshet::tool
