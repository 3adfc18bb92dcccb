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

nlohmann::ordered_json format_repetition(nlohmann::ordered_json entry, const record& trial, std::size_t index) {
  entry["run_type"] = "iteration";
  entry["repetition_index"] = index;
  entry["iterations"] = 1;
  entry["real_time"] = trial.figures.ranking_seconds() * per_millisecond;
  entry["cpu_time"] = trial.figures.cpu_whole * per_millisecond;
  entry["time_unit"] = "ms";
  entry["bytes_per_second"] = trial.figures.ranking_rate() * 1e6;
  entry["label"] = trial.label;
  return entry;
}

struct figures {
  std::vector<double> real;
  std::vector<double> cpu;
  std::vector<double> rate;
};

figures collect_figures(const repeated_plan& plan) {
  return {plan.collect([](const trial_result& trial) { return trial.ranking_seconds() * per_millisecond; }),
          plan.collect([](const trial_result& trial) { return trial.cpu_whole * per_millisecond; }),
          plan.collect([](const trial_result& trial) { return trial.ranking_rate() * 1e6; })};
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

nlohmann::ordered_json format_aggregate(nlohmann::ordered_json entry, const figures& of, const aggregate& how,
                                        const std::string& label) {
  entry["name"] = fmt::format("{}_{}", entry["run_name"].get<std::string>(), how.name);
  entry["run_type"] = "aggregate";
  entry["aggregate_name"] = how.name;
  entry["aggregate_unit"] = how.unit;
  entry["iterations"] = of.real.size();
  entry["real_time"] = how.of(of.real);
  entry["cpu_time"] = how.of(of.cpu);
  entry["time_unit"] = "ms";
  entry["bytes_per_second"] = how.of(of.rate);
  entry["label"] = label;
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
    const figures of = collect_figures(plan);
    for (const aggregate& how : aggregates)
      out["benchmarks"].push_back(format_aggregate(entry, of, how, plan.first().label));
  }
  out["freshet"] = make_note(run, plans);
  return to_text(out);
}

}  // namespace freshet::tool
