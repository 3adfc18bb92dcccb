#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include <freshet/error.hpp>
#include <freshet/methods.hpp>

#include "src/method/registry.hpp"
#include "src/temporary_file.hpp"
#include "tool/base/place.hpp"
#include "tool/base/text.hpp"
#include "tool/command/arguments.hpp"
#include "tool/command/commands.hpp"
#include "tool/command/results.hpp"
#include "tool/trial/gates.hpp"
#include "tool/trial/trial_runner.hpp"
#include "tool/trial/write_file.hpp"

namespace freshet::tool {
namespace {

constexpr auto text_footer =
    R"(Examples:
  freshet text sample.txt --size 2G         2 GiB of numbered lines, as the profile says
  freshet text sample.txt --method direct --block 4M
  freshet text sample.txt --durability at_close
  freshet text sample.txt --caching drop --rate-limit 50M)";

namespace fs = std::filesystem;

struct text_options {
  fs::path file;
  trial_plan plan = {.size = std::uint64_t{1} << 30};
  bool no_cache = false;
  bool write_through = false;
  writer_options more;  // what no plan has
  unsigned repeat = 1;
  bool force = false;
  log_options log;
};

constexpr std::array all_caching{caching::automatic, caching::keep, caching::drop, caching::bypass};

std::string caching_name(caching kind) {
  switch (kind) {
    case caching::automatic:
      return "automatic";
    case caching::keep:
      return "keep";
    case caching::drop:
      return "drop";
    case caching::bypass:
      break;
  }
  return "bypass";
}

caching parse_caching(std::string_view text) { return parse_kind(text, all_caching, "a way of caching", caching_name); }

// The best direct method that works in `directory`. @throws freshet::error  if there is none
std::string direct_method(const fs::path& directory) {
  const auto known = methods(directory);
  for (const detail::method_entry* const entry : detail::direct_methods()) {
    const auto method = std::ranges::find(known, entry->name, &method_info::name);
    if (method != known.end() && method->available()) return method->name;
  }
  throw error{std::make_error_code(std::errc::operation_not_supported), "write past the cache in", directory};
}

// Removes the file unless it is complete or existed before.
class unfinished_file {
 public:
  explicit unfinished_file(const fs::path& path) : path_{path}, created_{!fs::exists(path)} {}
  unfinished_file(const unfinished_file&) = delete;
  unfinished_file& operator=(const unfinished_file&) = delete;
  ~unfinished_file() {
    std::error_code ignored;
    if (created_) detail::os::remove(path_, ignored);
  }
  void complete() noexcept { created_ = false; }

 private:
  fs::path path_;
  bool created_;
};

trial_result measure_writing(trial_runner& runner, const text_options& options, const trial_plan& plan, bool first) {
  trial_result trial;
  trial.plan = plan;
  unfinished_file guard{options.file};
  written_file file;
  bool regular = false;
  const auto work = [&](trial_clock& clock) {
    clock.start();
    const auto watching = clock.watch_this_thread();
    file = write_file(plan, options.file, nullptr, options.more);
  };
  const auto sync = [&] {
    regular = fs::is_regular_file(options.file);
    if (regular && plan.measured_class == io_class::none) sync_file(options.file);
  };
  runner.run(trial, {.first_file = first, .wait_until_quiet = false, .work = work, .sync = sync});
  guard.complete();
  trial.method = file.method;
  trial.bytes = file.written.bytes;
  trial.lines = file.written.lines;
  if (!regular) return without_files(std::move(trial), "the output is not a regular file");
  trial.extents = count_extents(options.file);
  try {
    const content_check check = check_content(options.file, plan, nullptr, {checked_block_of});
    trial.bytes_compared = check.bytes;
    apply_gates(trial, check.matches, runner.place());
    return trial;
  } catch (const error& unreadable) {
    return without_files(std::move(trial), unreadable.what());
  }
}

void print(const fs::path& file, const trial_result& trial) {
  fmt::print("{}: {} bytes, {} lines, by {}\n", file.string(), trial.bytes, trial.lines, trial.method);
  fmt::print("  to close       {:>6} MB/s  {:.3f} s\n", format_figure(trial.rate_to_close()), trial.seconds_to_close);
  fmt::print("  to disk        {:>6} MB/s  {:.3f} s\n", format_figure(trial.rate_to_disk()), trial.seconds_to_disk);
  fmt::print("  CPU            {:>6.3f} s     {:.3f} s with the kernel's threads, {:.0f} % of one processor\n",
             trial.cpu_process, trial.cpu_whole, 100 * trial.cpu_whole / trial.seconds_to_disk);
  fmt::print("  write calls    {:>6}\n", trial.write_calls);
  if (trial.device_writes)
    fmt::print("  device writes  {:>6}       {} bytes\n", *trial.device_writes, *trial.device_bytes);
  else
    fmt::print("  device writes       -       the device cannot be observed\n");
  fmt::print("  extents        {:>6}\n", trial.extents ? std::to_string(*trial.extents) : "-");
  if (trial.validity != trial_validity::valid)
    fmt::print("  {}: {}\n", to_string(trial.validity), fmt::join(trial.reasons, "; "));
}

int create_text(const text_options& options) {
  const fs::path directory = detail::directory_of(options.file);
  const fs::file_status status = fs::status(options.file);
  if (status.type() == fs::file_type::directory)
    throw error{std::make_error_code(std::errc::is_a_directory), "write", options.file};
  const bool regular = !fs::exists(status) || fs::is_regular_file(status);
  const std::uint64_t reused = fs::is_regular_file(status) ? fs::file_size(options.file) : 0;
  if (regular && !options.force && options.plan.size > reused) require_space(directory, options.plan.size - reused);
  trial_plan plan = options.plan;
  if (options.no_cache) plan.method = direct_method(directory);
  if (plan.method == "auto") print_profile_warnings("text");
  if (options.write_through) plan.measured_class = io_class::each_write;
  run_log log{options.log, "text", directory, log_start::with_the_first_trial};
  std::error_code unseen;
  trial_runner runner{directory, detail::os::file_system_of(directory, unseen)};
  std::vector<trial_result> trials;
  while (trials.size() < options.repeat) {
    std::error_code gone;
    if (regular && !trials.empty()) detail::os::remove(options.file, gone);
    trials.push_back(measure_writing(runner, options, plan, trials.empty()));
    trials.back().round = static_cast<unsigned>(trials.size() - 1);
    record kept = make_record(trials.back());
    if (options.more.caching != caching::automatic) kept.more["caching"] = caching_name(options.more.caching);
    if (options.more.rate_limit != 0) kept.more["rate_limit"] = options.more.rate_limit;
    log.keep(std::move(kept));
    if (options.log.allow_text()) print(options.file, trials.back());
  }
  options.log.write({{"file", options.file.string()},
                     {"trial", trials.front()},
                     {"later", std::vector(trials.begin() + 1, trials.end())}});
  return log.finish();
}

}  // namespace

void add_text_command(program_parser& program) {
  auto [command, options] = program.add_command(
      "text", "Create a text file of a given size by the method that the profile names", create_text, text_footer);
  trial_plan& plan = options.plan;
  command.add("FILE", options.file, "The file; an existing one is replaced").require();
  command.add("--size", plan.size, parse_file_size, "The file gets as many whole lines as fit", format_size_argument);
  const command_option method = command.add("--method", plan.method, parse_method, "Instead of the profile's method");
  command.add("--block", plan.block, parse_block, "Bytes handed over at a time, 4K to 64M");
  command.add("--depth", plan.depth, parse_depth, "Blocks in memory, 1 to 64");
  const command_option durability =
      command.add("--durability", plan.measured_class, parse_durability, "none, at_close or each_write");
  auto no_cache = command.add_flag("--no-cache", options.no_cache, "Bypass the page cache, by the best direct method");
  no_cache.exclude(method);
  command.add_flag("--write-through", options.write_through, "The same as --durability each_write").exclude(durability);
  command.add_flag("--reserve", plan.reserve, "Allocate the disk space first");
  auto caching = command.add("--caching", options.more.caching, parse_caching,
                             "What the page cache holds of the file: keep, drop (at most 64M) or bypass", caching_name);
  caching.exclude(method);
  caching.exclude(no_cache);
  command.add("--rate-limit", options.more.rate_limit, parse_limit, "At most so many bytes per second");
  command.add_flag(
      "--sequential", [] {}, "The file is used from front to back (always so here)");
  command.add("--repeat", options.repeat, 1, 10000,
              "Write the file anew so many times in one process: the first is what a program's first file takes");
  add_force_option(command, options.force);
  add_log_options(command, options.log, "the figures");
}

}  // namespace freshet::tool
