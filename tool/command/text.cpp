#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <initializer_list>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <freshet/encryption.hpp>
#include <freshet/error.hpp>
#include <freshet/methods.hpp>

#include "src/base/temporary_file.hpp"
#include "src/method/registry.hpp"
#include "tool/base/clock.hpp"
#include "tool/base/place.hpp"
#include "tool/base/text.hpp"
#include "tool/command/arguments.hpp"
#include "tool/command/commands.hpp"
#include "tool/command/file_options.hpp"
#include "tool/command/results.hpp"
#include "tool/measure/cold.hpp"
#include "tool/report/machine_rate_report.hpp"
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
  freshet text sample.txt --caching drop --rate-limit 50M
  freshet text sample.txt --compress zstd:1 --checksum xxh3
  freshet text /var/tmp --temporary         a file without a name in /var/tmp, in memory as far as it may be)";

namespace fs = std::filesystem;

struct text_options {
  fs::path file;
  trial_plan plan = {.size = std::uint64_t{1} << 30};
  bool no_cache = false;
  bool write_through = false;
  writer_options more;  // what no plan has
  key_options keys;
  unsigned repeat = 1;
  bool force = false;
  log_options log;
};

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

// What is written: where, and how.
struct text_job {
  fs::path file;
  trial_plan plan;
  writer_options options;

  [[nodiscard]] bool is_stored_otherwise() const {
    return options.key != nullptr || options.compression.format != compression_format::none ||
           options.checksum != checksum_algorithm::none;
  }
  // A file that is deleted or has no name cannot be looked at afterwards.
  [[nodiscard]] bool is_gone_when_closed() const { return options.temporary || options.delete_on_close; }
  [[nodiscard]] fs::path directory() const { return options.temporary ? file : detail::directory_of(file); }
};

content_check check(const text_job& job, const written_file& file) {
  if (!job.is_stored_otherwise()) return check_content(job.file, job.plan, nullptr, {checked_block_of});
  const bool is_compressed = job.options.compression.format != compression_format::none;
  return check_stored_content(job.file, job.plan, nullptr,
                              {.expected_checksum = file.checksum,
                               .key = job.options.key,
                               .decompression = is_compressed ? decompression::zstd : decompression::none});
}

// A trial, and its file.
struct text_trial {
  trial_result figures;
  written_file file;
};

text_trial measure_writing(trial_runner& runner, const text_job& job, bool first) {
  trial_result trial;
  trial.plan = job.plan;
  unfinished_file guard{job.file};
  written_file file;
  bool regular = false;
  const auto work = [&](trial_clock& clock) {
    clock.start();
    const auto watching = clock.watch_this_thread();
    file = write_file(job.plan, job.file, nullptr, job.options);
  };
  const auto sync = [&] {
    regular = fs::is_regular_file(job.file);
    if (regular && job.plan.measured_class == io_class::none) sync_file(job.file);
  };
  runner.run(trial, {.first_file = first, .wait_until_quiet = false, .work = work, .sync = sync});
  guard.complete();
  trial.method = file.method;
  trial.bytes = file.written.bytes;
  trial.lines = file.written.lines;
  if (job.is_gone_when_closed()) return {without_files(std::move(trial), "the file is gone when it is closed"), file};
  if (!regular) return {without_files(std::move(trial), "the output is not a regular file"), file};
  trial.extents = count_extents(job.file);
  trial.page_cache = visible_bytes_in_cache(job.file);
  try {
    const content_check compared = check(job, file);
    trial.bytes_compared = compared.bytes;
    apply_gates(trial, compared.matches, runner.place(), {}, {}, file.stored);
    return {std::move(trial), file};
  } catch (const error& unreadable) {
    return {without_files(std::move(trial), unreadable.what()), file};
  }
}

void print(const text_job& job, const text_trial& measured) {
  const trial_result& trial = measured.figures;
  fmt::print("{}: {} bytes, {} lines, by {}\n", printable(job.file.string()), trial.bytes, trial.lines, trial.method);
  fmt::print("  to close       {:>6} MB/s  {:.3f} s\n", format_figure(trial.rate_to_close()), trial.seconds_to_close);
  fmt::print("  to disk        {:>6} MB/s  {:.3f} s\n", format_figure(trial.rate_to_disk()), trial.seconds_to_disk);
  fmt::print("  CPU            {:>6.3f} s     {:.3f} s with the kernel's threads, {:.0f} % of one processor\n",
             trial.cpu_process, trial.cpu_whole, 100 * trial.cpu_whole / trial.seconds_to_disk);
  const auto size = [](std::optional<std::uint64_t> bytes) { return bytes ? format_size(*bytes) : "-"; };
  fmt::print("  memory         {} at most; {} in the page cache afterwards\n", size(trial.peak_memory),
             size(trial.page_cache));
  fmt::print("  write calls    {:>6}\n", trial.write_calls);
  if (trial.device_writes)
    fmt::print("  device writes  {:>6}       {} bytes\n", *trial.device_writes, *trial.device_bytes);
  else
    fmt::print("  device writes       -       the device cannot be observed\n");
  fmt::print("  extents        {:>6}\n", trial.extents ? std::to_string(*trial.extents) : "-");
  if (measured.file.stored != trial.bytes) fmt::print("  stored         {} bytes\n", measured.file.stored);
  if (job.options.checksum != checksum_algorithm::none)
    fmt::print("  checksum       {}\n", to_text(measured.file.checksum));
  if (trial.validity != trial_validity::valid)
    fmt::print("  {}: {}\n", to_string(trial.validity), fmt::join(trial.reasons, "; "));
}

// Trials with other options are no repetitions of one another.
record make_record(const text_job& job, const text_trial& measured) {
  record kept = make_record(measured.figures);
  const nlohmann::json listed = list_file_options(job.options);
  if (listed.empty()) return kept;
  kept.plan["options"] = listed;
  kept.label += ", " + describe_file_options(listed);
  kept.extra["stored_bytes"] = measured.file.stored;
  return kept;
}

// What the disk takes, and what the trial got of that.
machine_figures find_rate(const run_log& log, const text_job& job, const trial_result& trial) {
  const std::optional<machine_rate> machine = log.read_machine_rate();
  if (job.is_stored_otherwise()) return {.machine = machine};
  return make_machine_figures(machine, "the program", std::array{&trial});
}

nlohmann::json make_json(const text_job& job, const std::vector<text_trial>& trials, const machine_figures& rate) {
  nlohmann::json figures = nlohmann::json::array();
  for (const text_trial& each : trials) figures.push_back(each.figures);
  nlohmann::json result{{"file", job.file.string()}, {"trial", figures.front()}, {"machine_rate", rate}};
  figures.erase(figures.begin());
  result["later"] = std::move(figures);
  const nlohmann::json listed = list_file_options(job.options);
  if (listed.empty()) return result;
  const written_file& file = trials.back().file;
  result["options"] = listed;
  result["stored_bytes"] = file.stored;
  if (job.options.checksum != checksum_algorithm::none) result["checksum"] = to_text(file.checksum);
  return result;
}

// Whether the file can be removed and replaced. @throws freshet::error  if it cannot be written, for lack of space, too
bool prepare_place(const text_job& job, bool force) {
  const fs::file_status status = fs::status(job.file);
  if (status.type() == fs::file_type::directory && !job.options.temporary)
    throw error{std::make_error_code(std::errc::is_a_directory), "write", job.file};
  const bool regular = !fs::exists(status) || fs::is_regular_file(status);
  const std::uint64_t reused = fs::is_regular_file(status) ? fs::file_size(job.file) : 0;
  if ((regular || job.options.temporary) && !force && job.plan.size > reused)
    require_space(job.directory(), job.plan.size - reused);
  return regular;
}

int create_text(const text_options& options) {
  require_no_key("FILE", options.file, options.keys);
  text_job job{options.file, options.plan, options.more};
  const bool regular = prepare_place(job, options.force);
  const std::optional<encryption_key> key = read_key(options.keys);
  if (key) job.options.key = &*key;
  const fs::path directory = job.directory();
  if (options.no_cache) job.plan.method = direct_method(directory);
  if (job.plan.method == "auto") print_profile_warnings("text");
  if (options.write_through) job.plan.measured_class = io_class::each_write;
  run_log log{options.log, "text", directory, log_start::with_the_first_trial};
  std::error_code unseen;
  trial_runner runner{directory, detail::os::file_system_of(directory, unseen)};
  std::vector<text_trial> trials;
  machine_figures rate;
  while (trials.size() < options.repeat) {
    std::error_code gone;
    if (regular && !trials.empty()) detail::os::remove(job.file, gone);
    trials.push_back(measure_writing(runner, job, trials.empty()));
    trials.back().figures.round = static_cast<unsigned>(trials.size() - 1);
    log.keep(make_record(job, trials.back()));
    if (trials.size() == 1) {  // not before it: what reads the store changes the memory that the trial meets
      rate = find_rate(log, job, trials.front().figures);
      options.log.print("{}", format_machine_figures(rate, format_utc_now()));
    }
    if (options.log.allow_text()) print(job, trials.back());
  }
  options.log.write(make_json(job, trials, rate));
  return log.finish();
}

// Options that say what the file is, and which contradict one another.
void add_lifetime_options(command_parser& command, writer_options& into, std::initializer_list<command_option> durable,
                          std::initializer_list<command_option> methods) {
  const command_option atomic = command.add_flag(
      "--atomic", into.atomic, "The file appears when it is complete and durable, and keeps an older one's attributes");
  command_option temporary =
      command.add_flag("--temporary", into.temporary, "FILE is a directory, where a file without a name is written");
  command_option deleted = command.add_flag("--delete-on-close", into.delete_on_close,
                                            "The file, which must be new, is deleted when closed");
  temporary.exclude(atomic);
  deleted.exclude(atomic);
  deleted.exclude(temporary);
  for (const command_option& each : durable) {
    temporary.exclude(each);
    deleted.exclude(each);
  }
  for (const command_option& each : methods) temporary.exclude(each);
}

}  // namespace

void add_text_command(program_parser& program) {
  auto [command, options] = program.add_command(
      "text", "Create a text file of a given size by the method that the profile names", create_text, text_footer);
  trial_plan& plan = options.plan;
  command.add("FILE", options.file, "The file; an existing one is replaced").require();
  command.add("--size SIZE", plan.size, parse_file_size, "The file gets as many whole lines as fit",
              format_size_argument);
  const command_option method =
      command.add("--method METHOD", plan.method, parse_method, "Instead of the profile's method")
          .offer(method_names());
  command.add("--block SIZE", plan.block, parse_block, "Bytes handed over at a time, 4K to 64M");
  command.add("--depth DEPTH", plan.depth, parse_depth, "Blocks in memory, 1 to 64");
  const command_option durability =
      command.add("--durability", plan.measured_class, durabilities(), "none, at_close or each_write");
  const command_option no_cache =
      command.add_flag("--no-cache", options.no_cache, "Bypass the page cache, by the best direct method")
          .exclude(method);
  const command_option write_through =
      command.add_flag("--write-through", options.write_through, "The same as --durability each_write")
          .exclude(durability);
  command.add_flag("--reserve", plan.reserve, "Allocate the disk space first");
  writer_options& more = options.more;
  add_caching_option(command, more.caching).exclude(method).exclude(no_cache);
  add_access_option(command, more.access);
  add_rate_limit_option(command, more.rate_limit);
  add_compress_option(command, more.compression);
  add_key_options(command, options.keys);
  add_checksum_option(command, more.checksum);
  add_lifetime_options(command, more, {durability, write_through}, {method, no_cache});
  command.add_flag(
      "--sequential", [] {}, "The file is used from front to back (always so here)");
  command.add("--repeat", options.repeat, 1, 10000,
              "Write the file anew so many times in one process: the first is what a program's first file takes");
  add_force_option(command, options.force);
  add_log_options(command, options.log, "the figures");
}

}  // namespace freshet::tool
