#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "lab/sustain/load.hpp"
#include "lab/sustain/report.hpp"
#include "lab/sustain/verdict.hpp"
#include "src/method/registry.hpp"
#include "tool/analysis/verdict_text.hpp"
#include "tool/base/clock.hpp"
#include "tool/base/place.hpp"
#include "tool/base/text.hpp"
#include "tool/command/arguments.hpp"
#include "tool/command/laboratory.hpp"
#include "tool/command/results.hpp"
#include "tool/report/screen.hpp"
#include "tool/trial/gates.hpp"
#include "tool/trial/series.hpp"

namespace freshet::tool {
namespace {

constexpr auto sustain_footer =
    R"(Writes file after file at a constant rate, as a recorder does, and tells whether the disk keeps up: no writer may be
behind its schedule by more than a second, and the device must have nearly all of it at the end. Then it writes as fast as
it can for a tenth of the time, to tell what is to spare. Files are removed before less than a tenth of the file system is free.
Without --rate, the highest rate that holds is found in at most twice the time, and then held for it.

Examples:
  freshet sustain /data --rate 1G --time 10m --max-bytes 1T      can this disk take 1 GB/s for 10 minutes?
  freshet sustain /data --rate 200M --writers 4                  four files at once, 50 MB/s each
  freshet sustain /data --rate 500M --method direct --block 4M
  freshet sustain /data --time 1m                                how much can it take for a minute?
Rates take K, M, G and T as powers of ten: 1G are 10^9 bytes per second.)";

constexpr double share_of_burst = 0.1;  // of the time, for what is to spare
constexpr double longest_burst = 30;    // seconds
constexpr double most_told = 4;         // times the rate
constexpr std::uint64_t least_burst = 1 << 20;
constexpr std::uint64_t no_limit = std::numeric_limits<std::uint64_t>::max();
constexpr double share_of_probe = 0.25;
constexpr unsigned most_probes = 8;

struct sustain_options {
  std::filesystem::path directory;
  load_plan plan;
  std::uint64_t max_bytes = default_max_bytes;
  log_options log;
};

// "1G" is 10^9 bytes per second, as rates are told. @throws std::invalid_argument
double parse_rate(std::string_view text) {
  constexpr std::string_view letters = "KMGT";
  const std::size_t letter = text.empty() ? std::string_view::npos : letters.find(text.back());
  double unit = 1;
  for (std::size_t i = 0; letter != std::string_view::npos && i <= letter; ++i) unit *= 1000;
  const std::string_view digits = letter == std::string_view::npos ? text : text.substr(0, text.size() - 1);
  constexpr double most = 1e15;
  if (const auto number = read_number<double>(digits); number && *number * unit >= 1 && *number * unit <= most)
    return *number * unit;
  reject(text, "a rate", "expected bytes per second such as 500M or 1.5G");
}

// "auto", or a method of the library. @throws std::invalid_argument
std::string parse_way(std::string_view text) {
  const detail::method_entry* const method = detail::find_method(text);
  if (text == "auto" || (method != nullptr && method->needs_file)) return std::string{text};
  reject(text, "a method of the library", "freshet methods lists them");
}

std::vector<std::string> list_ways() {
  std::vector<std::string> names{"auto"};
  for (const detail::method_entry& method : detail::method_entries())
    if (method.needs_file) names.emplace_back(method.name);
  return names;
}

std::uint64_t bytes_of(double rate, double seconds) { return static_cast<std::uint64_t>(rate * seconds); }

// Runs loads one after another, within the bytes that may be written.
class sustain_run {
 public:
  explicit sustain_run(const sustain_options& options) : options_{options}, generator_{options.directory} {}

  load_result hold(double rate, double seconds, std::string_view doing, std::uint64_t limit = no_limit) {
    load_plan plan = options_.plan;
    plan.rate = rate;
    plan.seconds = seconds;
    plan.max_bytes = std::min(options_.max_bytes - written_, limit);
    load_result result = generator_.run(plan, [&](std::uint64_t bytes, double now) {
      line_.show(fmt::format("{}: {} after {}", doing, format_size(bytes), format_duration(now)), seconds - now);
    });
    line_.clear();
    written_ += result.bytes;
    return result;
  }

  // Bytes per second as fast as it goes, to disk; of `rate`, if there is one, no more than is worth telling. Empty if
  // nothing more may be written.
  std::optional<double> measure_most(double rate = 0) {
    const double seconds = std::clamp(share_of_burst * options_.plan.seconds, 1.0, longest_burst);
    if (written_ >= options_.max_bytes) return {};
    const std::uint64_t enough = rate == 0 ? no_limit : std::max(bytes_of(most_told * rate, seconds), least_burst);
    const load_result load = hold(0, seconds, "as fast as it goes", enough);
    return load.failure.empty() && load.bytes != 0 ? std::optional{load.rate_to_disk()} : std::nullopt;
  }

  std::optional<double> find_rate(double most) {
    const double seconds = std::max(share_of_probe * options_.plan.seconds, 1.0);
    return find_highest_rate(most, most_probes, [&](double rate) {
      if (written_ + bytes_of(rate, seconds) > options_.max_bytes) return false;
      return judge(rate, hold(rate, seconds, "trying " + format_rate(rate / 1e6))).answer == sustained::yes;
    });
  }

  [[nodiscard]] std::uint64_t written() const noexcept { return written_; }

 private:
  const sustain_options& options_;
  load_generator generator_;
  progress line_;
  std::uint64_t written_ = 0;
};

// The record of a load, whose speed over time and waits the report's page shows.
record make_record(const sustain_report& report) {
  const load_plan& plan = report.plan;
  const load_result& load = report.load;
  trial_result trial;
  trial.plan = {.method = plan.method,
                .block = plan.block,
                .depth = plan.depth,
                .measured_class = plan.durability,
                .workload = workload_kind::blocks,
                .memory = memory_state::left,
                .size = plan.size,
                .jobs = plan.writers};
  trial.method = plan.method;
  trial.started = format_utc_now();
  trial.bytes = trial.bytes_written = load.bytes;
  trial.seconds_to_close = load.seconds;
  trial.seconds_to_disk = load.seconds + load.sync_seconds;
  trial.cpu_process = load.cpu.process;
  trial.cpu_whole = load.cpu.whole;
  trial.block_latency = load.waits;
  std::uint64_t before = 0;
  for (const load_sample& each : load.samples)
    trial.over_time.add(std::max(each.at - 0.5, 0.0), each.bytes - std::exchange(before, each.bytes));
  record kept = make_record(without_files(std::move(trial), "its files were not compared"));
  kept.label += fmt::format(", {}", format_rate(plan.rate / 1e6));
  kept.plan["rate"] = plan.rate;
  kept.extra = {{"answer", to_string(report.verdict.answer)}, {"words", report.verdict.words}};
  return kept;
}

void check_budget(const sustain_options& options) {
  const load_plan& plan = options.plan;
  require_budget(options.directory, bytes_of(plan.rate, plan.seconds), options.max_bytes);
  if (plan.rate != 0)
    fmt::print(stderr, "freshet sustain: writes {} in {}, and then as fast as it can for a moment, at most {} in all\n",
               format_size(bytes_of(plan.rate, plan.seconds)), format_duration(plan.seconds),
               format_size(options.max_bytes));
}

// Holds the rate for the whole time. @throws freshet::error  if there is no rate that holds, or it may not be written
sustain_report measure(const sustain_options& options, sustain_run& run) {
  const detail::os::file_system place = file_system_at(options.directory);
  sustain_report report{.place = fmt::format("{} ({}{})", printable(options.directory.string()), place.type,
                                             place.device_name.empty() ? "" : " on " + place.device_name),
                        .plan = options.plan,
                        .load = {},
                        .most = {},
                        .verdict = {}};
  if (options.plan.rate == 0) {
    report.most = run.measure_most();
    if (report.most)  // a probe, and then all of the time
      require_budget(options.directory,
                     run.written() + bytes_of(*report.most, (1 + share_of_probe) * options.plan.seconds),
                     options.max_bytes);
    const std::optional<double> rate = report.most ? run.find_rate(*report.most) : std::nullopt;
    if (!rate)
      refuse(std::errc::operation_not_supported, "find a rate that holds in", options.directory,
             fmt::format("none of the {} that were tried held, or --max-bytes was used up", most_probes));
    report.plan.rate = *rate;
    require_budget(options.directory, run.written() + bytes_of(*rate, options.plan.seconds), options.max_bytes);
  }
  report.load = run.hold(report.plan.rate, options.plan.seconds, format_rate(report.plan.rate / 1e6));
  report.verdict = judge(report.plan.rate, report.load, report.most);
  if (report.verdict.answer == sustained::yes && !report.most) {
    report.most = run.measure_most(report.plan.rate);
    report.verdict = judge(report.plan.rate, report.load, report.most);
  }
  return report;
}

int run_sustain(const sustain_options& options) {
  static_cast<void>(list_methods({options.plan.method}, options.directory));
  check_budget(options);
  run_log log{options.log, "sustain", options.directory};
  sustain_run run{options};
  const sustain_report report = measure(options, run);
  log.keep(make_record(report));
  const int exit_code = log.publish(
      fmt::format("{}written in all: {}\n", format_sustain(report, standard_screen()), format_size(run.written())),
      report);
  if (exit_code != 0) return exit_code;
  if (!report.load.failure.empty()) {
    fmt::print(stderr, "freshet sustain: {}\n", replace_controls(report.load.failure));
    return EXIT_FAILURE;
  }
  return report.verdict.answer == sustained::yes  ? 0
         : report.verdict.answer == sustained::no ? exit_worse
                                                  : exit_cannot_tell;
}

}  // namespace

void add_sustain_command(program_parser& program) {
  auto [command, options] = add_laboratory_command(program, "sustain", run_sustain, sustain_footer);
  load_plan& plan = options.plan;
  command.add("DIR", options.directory, "The directory").require();
  command.add("--rate RATE", plan.rate, parse_rate, "Bytes per second, 500M, 1G, … (the highest that holds)");
  command.add("--time TIME", plan.seconds, parse_seconds, "How long", format_seconds_argument);
  command.add("--writers", plan.writers, 1, 256, "Threads that write a file each, and share the rate");
  command.add("--size SIZE", plan.size, parse_file_size, "Bytes of each file", format_size_argument);
  command.add("--method METHOD", plan.method, parse_way, "Instead of the profile's method").offer(list_ways());
  command.add("--block SIZE", plan.block, parse_block, "Bytes handed over at a time, 4K to 64M");
  command.add("--depth DEPTH", plan.depth, parse_depth, "Blocks in memory, 1 to 64");
  command.add("--durability", plan.durability, durabilities(), "none, at_close or each_write");
  add_max_bytes_option(command, options.max_bytes);
  add_log_options(command, options.log, "all figures");
  command.explain_exit(0, "yes: the rate was kept up");
  command.explain_exit(exit_worse, "no: the disk fell behind; or it failed, such as for lack of space");
  command.explain_exit(exit_cannot_tell, "it cannot be told: the writers were late, or the page cache took it all");
}

}  // namespace freshet::tool
