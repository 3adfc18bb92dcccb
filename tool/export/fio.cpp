#include <fmt/format.h>

#include <array>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <ctime>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "src/method/registry.hpp"
#include "tool/export/fio_job.hpp"
#include "tool/export/formats.hpp"
#include "tool/export/plans.hpp"

namespace freshet::tool {
namespace {

using json = nlohmann::ordered_json;

constexpr double per_kib = 1.0 / 1024;
constexpr int invalid_argument = 22;  // fio gives errno as Linux numbers it

// What all trials of a plan that count come to together, as if fio had looped.
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

// Blocks handed over; where that was not seen, as many as the bytes fill, or as calls that write.
std::uint64_t blocks_of(const trial_result& made) {
  if (const std::uint64_t seen = made.block_latency.calls(); seen > 0) return seen;
  return made.plan.block > 0 ? (made.bytes + made.plan.block - 1) / made.plan.block : made.write_calls;
}

sum sum_of(const repeated& plan) {
  sum all;
  for (const record* each : plan.counted) {
    const trial_result& made = each->figures;
    all.bytes += made.bytes;
    all.blocks += blocks_of(made);
    all.seconds += made.ranking_seconds();
    all.seconds_to_disk += made.seconds_to_disk;
    all.cpu_process += made.cpu_process;
    all.cpu_whole += made.cpu_whole;
    all.switches += made.switches_voluntary + made.switches_involuntary;
    all.faults_major += made.faults_major;
    all.faults_minor += made.faults_minor;
    all.latency.add(made.block_latency);
    all.rates.push_back(ranking_rate(*each) * 1e6);
  }
  return all;
}

// The middle of a bucket, in nanoseconds.
double middle_of(unsigned bucket) {
  return static_cast<double>(latency_histogram::lower_end(bucket) + latency_histogram::lower_end(bucket + 1) - 1) / 2;
}

struct moments {
  double mean = 0;
  double deviation = 0;
};

moments moments_of(const latency_histogram& calls) {
  const auto count = static_cast<double>(calls.calls());
  moments found;
  for (const auto& [bucket, number] : calls.buckets()) found.mean += middle_of(bucket) * static_cast<double>(number);
  found.mean = ratio(found.mean, count);
  for (const auto& [bucket, number] : calls.buckets())
    found.deviation += std::pow(middle_of(bucket) - found.mean, 2) * static_cast<double>(number);
  found.deviation = std::sqrt(ratio(found.deviation, count - 1));
  return found;
}

json percentiles_of(const latency_histogram& calls) {
  json percentiles = json::object();
  for (const double each :
       {1.0, 5.0, 10.0, 20.0, 30.0, 40.0, 50.0, 60.0, 70.0, 80.0, 90.0, 95.0, 99.0, 99.5, 99.9, 99.95, 99.99})
    percentiles[fmt::format("{:.6f}", each)] = calls.quantile(each / 100);
  return percentiles;
}

// fio has percentiles only where there are calls, too.
json latency_of(const latency_histogram& calls, bool with_percentiles) {
  const bool known = calls.calls() > 0;
  const moments found = moments_of(calls);
  json out{{"min", known ? latency_histogram::lower_end(calls.buckets().begin()->first) : 0},
           {"max", known ? calls.quantile(1) : 0},
           {"mean", found.mean},
           {"stddev", found.deviation},
           {"N", calls.calls()}};
  if (known && with_percentiles) out["percentile"] = percentiles_of(calls);
  return out;
}

// fio's samples are half seconds, ours are trials.
void add_samples(json& out, const std::vector<double>& rates, double bytes_per_block) {
  const spread bytes = spread_of(rates);
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

json direction_of(const sum& all) {
  json out{{"io_bytes", all.bytes},
           {"io_kbytes", all.bytes / 1024},
           {"bw_bytes", rounded(ratio(static_cast<double>(all.bytes), all.seconds))},
           {"bw", rounded(ratio(static_cast<double>(all.bytes), all.seconds) * per_kib)},
           {"iops", ratio(static_cast<double>(all.blocks), all.seconds)},
           {"runtime", rounded(all.seconds * 1e3)},
           {"total_ios", all.blocks},
           {"short_ios", 0},
           {"drop_ios", 0},
           {"slat_ns", latency_of({}, false)},
           {"clat_ns", latency_of(all.latency, true)},
           {"lat_ns", latency_of(all.latency, false)}};
  add_samples(out, all.rates, ratio(static_cast<double>(all.bytes), static_cast<double>(all.blocks)));
  return out;
}

// Shares, in percent, of the calls that took up to so many units, and more than the bound before.
json shares_of(const latency_histogram& calls, double unit, double from, const std::vector<unsigned>& bounds,
               bool open) {
  json out = json::object();
  double lower = from;
  const auto add = [&](const std::string& name, double upper) {
    double within = 0;
    for (const auto& [bucket, number] : calls.buckets())
      if (middle_of(bucket) > lower * unit && middle_of(bucket) <= upper * unit) within += static_cast<double>(number);
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
  job["latency_ns"] = shares_of(calls, 1, -1, bounds, false);
  job["latency_us"] = shares_of(calls, 1e3, 1, bounds, false);
  job["latency_ms"] = shares_of(calls, 1e6, 1, longer, true);
}

// What fio would have to be told; of what it cannot do, the same by our names.
json job_options_of(const repeated& plan) {
  const record& any = plan.any();
  const trial_plan& how = any.figures.plan;
  json options{{"name", title_of(any)}};
  const bool comparable = any.workload == "text" || any.workload == "blocks";
  if (comparable && !fio_engine(how.method).empty()) {
    for (const auto& [name, value] : fio_options_of(how)) options[name] = value;
  } else {
    options["ioengine"] = any.method;
    options["rw"] = reads(how.what) ? "read" : "write";
    options["bs"] = std::to_string(how.block);
    options["iodepth"] = std::to_string(std::max(1U, how.depth));
    options["size"] = std::to_string(how.size);
    options["numjobs"] = std::to_string(std::max(1U, how.jobs));
  }
  options["loops"] = std::to_string(plan.counted.size());
  return options;
}

json job_of(const repeated& plan, std::size_t number) {
  const sum all = sum_of(plan);
  const bool reading = reads(plan.any().figures.plan.what);
  json job{{"jobname", title_of(plan.any())},
           {"groupid", number},
           {"error", plan.counted.empty() ? invalid_argument : 0},
           {"eta", 0},
           {"elapsed", rounded(std::ceil(all.seconds_to_disk))},
           {"job options", job_options_of(plan)}};
  job["read"] = direction_of(reading ? all : sum{});
  job["write"] = direction_of(reading ? sum{} : all);
  job["trim"] = direction_of({});
  job["job_runtime"] = rounded(all.seconds * 1e3);
  job["usr_cpu"] = 100 * ratio(all.cpu_process, all.seconds_to_disk);
  job["sys_cpu"] = 100 * ratio(all.cpu_whole - all.cpu_process, all.seconds_to_disk);
  job["ctx"] = all.switches;
  job["majf"] = all.faults_major;
  job["minf"] = all.faults_minor;
  add_distribution(job, all.latency);
  return job;
}

// Empty where no trial saw the device.
json disk_use_of(const run& about, const std::vector<repeated>& plans) {
  std::uint64_t reads = 0;
  std::uint64_t writes = 0;
  std::uint64_t merges = 0;
  bool seen = false;
  for (const repeated& plan : plans) {
    for (const record* each : plan.counted) {
      seen = seen || each->figures.device_writes.has_value();
      reads += each->figures.device_reads.value_or(0);
      writes += each->figures.device_writes.value_or(0);
      merges += each->figures.device_merges.value_or(0);
    }
  }
  json out = json::array();
  if (seen)
    out.push_back({{"name", about.env.device}, {"read_ios", reads}, {"write_ios", writes}, {"write_merges", merges}});
  return out;
}

// Seconds since 1970 of "2026-03-01T12:34:56Z"; 0 where it is no time.
std::int64_t seconds_since_1970(const std::string& utc) {
  std::tm parts{};
  const char* const end = strptime(utc.c_str(), "%Y-%m-%dT%H:%M:%S", &parts);
  return end == nullptr ? 0 : timegm(&parts);
}

std::string in_words(std::int64_t seconds) {
  const std::time_t time = seconds;
  std::tm parts{};
  std::array<char, 64> text{};
  gmtime_r(&time, &parts);
  const std::size_t length = std::strftime(text.data(), text.size(), "%a %b %e %H:%M:%S %Y", &parts);
  return {text.data(), length};
}

}  // namespace

std::string fio_export(const run& about, std::span<const record> made) {
  const std::vector<repeated> plans = by_plan(made);
  const std::int64_t started = seconds_since_1970(about.started);
  json out{{"fio version", "freshet-" + about.env.version},
           {"timestamp", started},
           {"timestamp_ms", started * 1000},
           {"time", in_words(started)},
           {"global options", {{"directory", about.env.directory}}},
           {"jobs", json::array()}};
  for (const repeated& plan : plans) {
    json job = job_of(plan, out["jobs"].size());
    // Jobs of one file fio-plot takes for work done at once and adds up, unless they are those of different hosts.
    if (plans.size() > 1) job["hostname"] = title_of(plan.any());
    out["jobs"].push_back(std::move(job));
  }
  out["disk_util"] = disk_use_of(about, plans);
  out["freshet"] = note_of(about, plans);
  return text_of(out);
}

}  // namespace freshet::tool
