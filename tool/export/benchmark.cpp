#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "tool/export/formats.hpp"
#include "tool/export/plans.hpp"
#include "tool/search/statistics.hpp"

namespace freshet::tool {
namespace {

constexpr double per_millisecond = 1e3;

nlohmann::ordered_json context_of(const run& about) {
  return {{"date", about.started},
          {"host_name", about.env.machine},
          {"executable", about.words},
          {"num_cpus", about.env.cpus},
          {"mhz_per_cpu", 0},
          {"cpu_scaling_enabled", !about.env.governor.empty() && about.env.governor != "performance"},
          {"caches", nlohmann::ordered_json::array()},
          {"load_avg", nlohmann::ordered_json::array()},
          {"library_build_type", "release"},
          {"freshet_version", about.env.version},
          {"kernel", about.env.kernel},
          {"file_system", about.env.file_system},
          {"mount_options", about.env.mount_options},
          {"device", about.env.device}};
}

// What all entries of a plan begin with.
nlohmann::ordered_json entry_of(const repeated& plan, std::size_t family) {
  const std::string name = name_of(plan.any());
  return {{"name", name},
          {"family_index", family},
          {"per_family_instance_index", 0},
          {"run_name", name},
          {"repetitions", plan.counted.size()},
          {"threads", std::max(1U, plan.any().figures.plan.jobs)}};
}

nlohmann::ordered_json repetition(nlohmann::ordered_json entry, const record& made, std::size_t index) {
  entry["run_type"] = "iteration";
  entry["repetition_index"] = index;
  entry["iterations"] = 1;
  entry["real_time"] = made.figures.ranking_seconds() * per_millisecond;
  entry["cpu_time"] = made.figures.cpu_whole * per_millisecond;
  entry["time_unit"] = "ms";
  entry["bytes_per_second"] = ranking_rate(made) * 1e6;
  entry["label"] = made.label;
  return entry;
}

struct figures {
  std::vector<double> real;
  std::vector<double> cpu;
  std::vector<double> rate;
};

figures figures_of(const repeated& plan) {
  figures all;
  for (const record* each : plan.counted) {
    all.real.push_back(each->figures.ranking_seconds() * per_millisecond);
    all.cpu.push_back(each->figures.cpu_whole * per_millisecond);
    all.rate.push_back(ranking_rate(*each) * 1e6);
  }
  return all;
}

using aggregation = double (*)(const std::vector<double>& values);

struct aggregate {
  const char* name;
  aggregation of;
  const char* unit;
};

double variation(const std::vector<double>& values) {
  const spread found = spread_of(values);
  return found.mean > 0 ? found.deviation / found.mean : 0;
}

constexpr aggregate aggregates[] = {
    {"mean", [](const std::vector<double>& values) { return spread_of(values).mean; }, "time"},
    {"median", [](const std::vector<double>& values) { return median(values); }, "time"},
    {"stddev", [](const std::vector<double>& values) { return spread_of(values).deviation; }, "time"},
    {"cv", variation, "percentage"}};

nlohmann::ordered_json aggregated(nlohmann::ordered_json entry, const figures& of, const aggregate& how,
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

std::string benchmark_export(const run& about, std::span<const record> made) {
  const std::vector<repeated> plans = by_plan(made);
  nlohmann::ordered_json out{{"context", context_of(about)}, {"benchmarks", nlohmann::ordered_json::array()}};
  std::size_t family = 0;
  for (const repeated& plan : plans) {
    const nlohmann::ordered_json entry = entry_of(plan, family++);
    for (std::size_t index = 0; index < plan.counted.size(); ++index)
      out["benchmarks"].push_back(repetition(entry, *plan.counted[index], index));
    if (plan.counted.size() < 2) continue;
    const figures of = figures_of(plan);
    for (const aggregate& how : aggregates) out["benchmarks"].push_back(aggregated(entry, of, how, plan.any().label));
  }
  out["freshet"] = note_of(about, plans);
  return text_of(out);
}

}  // namespace freshet::tool
