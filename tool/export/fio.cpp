#include <fmt/chrono.h>
#include <fmt/format.h>

#include <cmath>
#include <cstdint>
#include <ctime>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "src/method/registry.hpp"
#include "tool/base/clock.hpp"
#include "tool/export/exports.hpp"
#include "tool/export/fio_job.hpp"
#include "tool/export/plans.hpp"

namespace freshet::tool {
namespace {

using json = nlohmann::ordered_json;

constexpr double per_kib = 1.0 / 1024;
constexpr int invalid_argument = 22;  // EINVAL: fio reports errno numbers of Linux

// The sum of all trials of a plan that count, as if fio had looped.
struct sum {
  std::uint64_t bytes = 0;
  std::uint64_t blocks = 0;
  double seconds = 0;
  double seconds_to_disk = 0;
  double cpu_process = 0;
  double cpu_whole = 0;
  std::uint64_t switches = 0;
  std::uint64_t faults_major = 0;
  std::uint64_t faults_minor = 0;
  latency_histogram latency;
  std::vector<double> rates;  // bytes per second, of each trial
};

double ratio(double part, double whole) { return whole > 0 ? part / whole : 0; }

std::uint64_t rounded(double value) { return static_cast<std::uint64_t>(std::llround(value)); }

// The blocks that were handed over; if they were not counted, as many as the bytes fill, or the write calls.
std::uint64_t count_blocks(const trial_result& figures) {
  if (const std::uint64_t counted = figures.block_latency.calls(); counted > 0) return counted;
  return figures.plan.block > 0 ? (figures.bytes + figures.plan.block - 1) / figures.plan.block : figures.write_calls;
}

sum compute_sum(const repeated_plan& plan) {
  sum all;
  for (const record* each : plan.counted) {
    const trial_result& figures = each->figures;
    all.bytes += figures.bytes;
    all.blocks += count_blocks(figures);
    all.seconds += figures.ranking_seconds();
    all.seconds_to_disk += figures.seconds_to_disk;
    all.cpu_process += figures.cpu_process;
    all.cpu_whole += figures.cpu_whole;
    all.switches += figures.switches_voluntary + figures.switches_involuntary;
    all.faults_major += figures.faults_major;
    all.faults_minor += figures.faults_minor;
    all.latency.add(figures.block_latency);
    all.rates.push_back(figures.ranking_rate() * 1e6);
  }
  return all;
}

// The middle of a bucket, in nanoseconds.
double find_middle(unsigned bucket) {
  return static_cast<double>(latency_histogram::lower_end(bucket) + latency_histogram::lower_end(bucket + 1) - 1) / 2;
}

struct moments {
  double mean = 0;
  double deviation = 0;
};

moments compute_moments(const latency_histogram& calls) {
  const auto count = static_cast<double>(calls.calls());
  moments result;
  for (const auto& [bucket, number] : calls.buckets()) result.mean += find_middle(bucket) * static_cast<double>(number);
  result.mean = ratio(result.mean, count);
  for (const auto& [bucket, number] : calls.buckets())
    result.deviation += std::pow(find_middle(bucket) - result.mean, 2) * static_cast<double>(number);
  result.deviation = std::sqrt(ratio(result.deviation, count - 1));
  return result;
}

json list_percentiles(const latency_histogram& calls) {
  json percentiles = json::object();
  for (const double each :
       {1.0, 5.0, 10.0, 20.0, 30.0, 40.0, 50.0, 60.0, 70.0, 80.0, 90.0, 95.0, 99.0, 99.5, 99.9, 99.95, 99.99})
    percentiles[fmt::format("{:.6f}", each)] = calls.quantile(each / 100);
  return percentiles;
}

// Like fio, lists percentiles only if there are calls.
json format_latency(const latency_histogram& calls, bool with_percentiles) {
  const bool known = calls.calls() > 0;
  const moments result = compute_moments(calls);
  json out{{"min", known ? latency_histogram::lower_end(calls.buckets().begin()->first) : 0},
           {"max", known ? calls.quantile(1) : 0},
           {"mean", result.mean},
           {"stddev", result.deviation},
           {"N", calls.calls()}};
  if (known && with_percentiles) out["percentile"] = list_percentiles(calls);
  return out;
}

// A sample of fio is half a second; a sample here is a trial.
void add_samples(json& out, const std::vector<double>& rates, double bytes_per_block) {
  const spread bytes = compute_spread(rates);
  const auto blocks = [&](double rate) { return ratio(rate, bytes_per_block); };
  out["bw_min"] = rounded(bytes.least * per_kib);
  out["bw_max"] = rounded(bytes.most * per_kib);
  out["bw_agg"] = rates.empty() ? 0.0 : 100.0;
  out["bw_mean"] = bytes.mean * per_kib;
  out["bw_dev"] = bytes.deviation * per_kib;
  out["bw_samples"] = rates.size();
  out["iops_min"] = rounded(blocks(bytes.least));
  out["iops_max"] = rounded(blocks(bytes.most));
  out["iops_mean"] = blocks(bytes.mean);
  out["iops_stddev"] = blocks(bytes.deviation);
  out["iops_samples"] = rates.size();
}

json format_direction(const sum& all) {
  json out{{"io_bytes", all.bytes},
           {"io_kbytes", all.bytes / 1024},
           {"bw_bytes", rounded(ratio(static_cast<double>(all.bytes), all.seconds))},
           {"bw", rounded(ratio(static_cast<double>(all.bytes), all.seconds) * per_kib)},
           {"iops", ratio(static_cast<double>(all.blocks), all.seconds)},
           {"runtime", rounded(all.seconds * 1e3)},
           {"total_ios", all.blocks},
           {"short_ios", 0},
           {"drop_ios", 0},
           {"slat_ns", format_latency({}, false)},
           {"clat_ns", format_latency(all.latency, true)},
           {"lat_ns", format_latency(all.latency, false)}};
  add_samples(out, all.rates, ratio(static_cast<double>(all.bytes), static_cast<double>(all.blocks)));
  return out;
}

// The percentage of calls for each bound: those that took at most that many units, and more than the previous bound.
json compute_shares(const latency_histogram& calls, double unit, double from, const std::vector<unsigned>& bounds,
                    bool open) {
  json out = json::object();
  double lower = from;
  const auto add = [&](const std::string& name, double upper) {
    double within = 0;
    for (const auto& [bucket, number] : calls.buckets())
      if (find_middle(bucket) > lower * unit && find_middle(bucket) <= upper * unit)
        within += static_cast<double>(number);
    out[name] = 100 * ratio(within, static_cast<double>(calls.calls()));
    lower = upper;
  };
  for (const unsigned bound : bounds) add(std::to_string(bound), bound);
  if (open) add(fmt::format(">={}", bounds.back()), HUGE_VAL);
  return out;
}

void add_distribution(json& job, const latency_histogram& calls) {
  const std::vector<unsigned> bounds{2, 4, 10, 20, 50, 100, 250, 500, 750, 1000};
  std::vector<unsigned> longer = bounds;
  longer.push_back(2000);
  job["latency_ns"] = compute_shares(calls, 1, -1, bounds, false);
  job["latency_us"] = compute_shares(calls, 1e3, 1, bounds, false);
  job["latency_ms"] = compute_shares(calls, 1e6, 1, longer, true);
}

// fio's options for the plan; what fio cannot do is described in our words.
json format_job_options(const repeated_plan& plan) {
  const record& first = plan.first();
  const trial_plan& how = first.figures.plan;
  json options{{"name", format_title(first)}};
  const bool comparable =
      is_workload(first.workload, workload_kind::text) || is_workload(first.workload, workload_kind::blocks);
  if (comparable && !fio_engine(how.method).empty()) {
    for (const auto& [name, value] : make_fio_options(how)) options[name] = value;
  } else {
    options["ioengine"] = first.method;
    options["rw"] = reads(how.measured_class) ? "read" : "write";
    options["bs"] = std::to_string(how.block);
    options["iodepth"] = std::to_string(std::max(1U, how.depth));
    options["size"] = std::to_string(how.size);
    options["numjobs"] = std::to_string(std::max(1U, how.jobs));
  }
  options["loops"] = std::to_string(plan.counted.size());
  return options;
}

json format_job(const repeated_plan& plan, std::size_t number) {
  const sum all = compute_sum(plan);
  const bool reading = reads(plan.first().figures.plan.measured_class);
  json job{{"jobname", format_title(plan.first())},
           {"groupid", number},
           {"error", plan.counted.empty() ? invalid_argument : 0},
           {"eta", 0},
           {"elapsed", rounded(std::ceil(all.seconds_to_disk))},
           {"job options", format_job_options(plan)}};
  job["read"] = format_direction(reading ? all : sum{});
  job["write"] = format_direction(reading ? sum{} : all);
  job["trim"] = format_direction({});
  job["job_runtime"] = rounded(all.seconds * 1e3);
  job["usr_cpu"] = 100 * ratio(all.cpu_process, all.seconds_to_disk);
  job["sys_cpu"] = 100 * ratio(all.cpu_whole - all.cpu_process, all.seconds_to_disk);
  job["ctx"] = all.switches;
  job["majf"] = all.faults_major;
  job["minf"] = all.faults_minor;
  add_distribution(job, all.latency);
  return job;
}

// Empty if no trial could see the device.
json format_disk_use(const run& run, const std::vector<repeated_plan>& plans) {
  std::uint64_t reads = 0;
  std::uint64_t writes = 0;
  std::uint64_t merges = 0;
  bool is_known = false;
  for (const repeated_plan& plan : plans) {
    for (const record* each : plan.counted) {
      is_known = is_known || each->figures.device_writes.has_value();
      reads += each->figures.device_reads.value_or(0);
      writes += each->figures.device_writes.value_or(0);
      merges += each->figures.device_merges.value_or(0);
    }
  }
  json out = json::array();
  if (is_known)
    out.push_back({{"name", run.env.device}, {"read_ios", reads}, {"write_ios", writes}, {"write_merges", merges}});
  return out;
}

std::string format_time(std::int64_t seconds) {
  return fmt::format("{:%a %b %e %H:%M:%S %Y}", fmt::gmtime(static_cast<std::time_t>(seconds)));
}

}  // namespace

std::string export_fio(const run& run, std::span<const record> records) {
  const std::vector<repeated_plan> plans = group_by_plan(records);
  const std::int64_t started = seconds_since_1970(run.started);
  json out{{"fio version", "freshet-" + run.env.version},
           {"timestamp", started},
           {"timestamp_ms", started * 1000},
           {"time", format_time(started)},
           {"global options", {{"directory", run.env.directory}}},
           {"jobs", json::array()}};
  for (const repeated_plan& plan : plans) {
    json job = format_job(plan, out["jobs"].size());
    // fio-plot adds up the jobs of one file as concurrent work, unless their hosts differ.
    if (plans.size() > 1) job["hostname"] = format_title(plan.first());
    out["jobs"].push_back(std::move(job));
  }
  out["disk_util"] = format_disk_use(run, plans);
  out["freshet"] = make_note(run, plans);
  return to_text(out);
}

}  // namespace freshet::tool
