#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include <freshet/error.hpp>

#include "lab/bytes/byte_trial.hpp"
#include "lab/bytes/report.hpp"
#include "src/base/temporary_file.hpp"
#include "tool/base/place.hpp"
#include "tool/base/text.hpp"
#include "tool/command/arguments.hpp"
#include "tool/command/laboratory.hpp"
#include "tool/command/results.hpp"
#include "tool/report/screen.hpp"
#include "tool/trial/series.hpp"

namespace freshet::tool {
namespace {

constexpr auto bytes_footer = R"(Ways to write: {}
Ways to read: {}
+tune is freshet::stdio_tune, +header is <freshet/unlocked_stdio.h>. Each way is measured with its own buffer and with
each --buffer that it can use. FILE is written again and again, and removed at the end.
Example:
  freshet bytes /data/bytes --size 512M --ways fwrite,fwrite_unlocked,writer.put --buffer 1K,64K,8M)";

struct bytes_options {
  std::filesystem::path file;
  std::uint64_t size = std::uint64_t{128} << 20;
  std::vector<const byte_way*> ways;
  std::set<std::size_t> buffers = {std::size_t{64} << 10};
  series_options series;
  bool keep = false;
  log_options log;
};

std::string join_names(direction goes) {
  std::string names;
  for (const byte_way& way : byte_ways())
    if (way.goes == goes) names += fmt::format("{}{}", names.empty() ? "" : ", ", way.name);
  return names;
}

const byte_way* parse_way(const std::string& name) {
  const auto& ways = byte_ways();
  const auto at = std::find_if(ways.begin(), ways.end(), [&](const byte_way& way) { return way.name == name; });
  if (at != ways.end()) return &*at;
  reject(name, "a way",
         fmt::format("expected, to write, {}; to read, {}", join_names(direction::write), join_names(direction::read)));
}

std::vector<const byte_way*> parse_ways(std::string_view text) {
  std::vector<const byte_way*> ways;
  for (const std::string& word : parse_words(text))
    if (const byte_way* way = parse_way(word); std::find(ways.begin(), ways.end(), way) == ways.end())
      ways.push_back(way);
  return ways;
}

std::set<std::size_t> parse_buffers(std::string_view text) {
  constexpr std::uint64_t smallest = std::uint64_t{1} << 10;
  constexpr std::uint64_t largest = std::uint64_t{64} << 20;
  std::set<std::size_t> buffers;
  for (const std::uint64_t bytes : parse_sizes(text)) {
    if (bytes < smallest || bytes > largest || !std::has_single_bit(bytes))
      reject(format_size_argument(bytes), "a buffer size", "expected powers of two from 1K to 64M");
    buffers.insert(static_cast<std::size_t>(bytes));
  }
  return buffers;
}

std::string format_buffers(const std::set<std::size_t>& buffers) {
  std::vector<std::string> sizes;
  for (const std::size_t each : buffers) sizes.push_back(format_size_argument(each));
  return fmt::format("{}", fmt::join(sizes, ","));
}

std::vector<candidate> make_rows(const bytes_options& options) {
  std::vector<candidate> rows;
  const auto add = [&](const byte_way& way) {
    rows.push_back({.plan = make_plan(way, 0)});
    for (const std::size_t buffer : options.buffers)
      if (way.takes_buffer(buffer)) rows.push_back({.plan = make_plan(way, buffer)});
  };
  for (const byte_way* way : options.ways) add(*way);
  if (options.ways.empty())
    for (const byte_way& way : byte_ways()) add(way);
  return rows;
}

// Checks, before anything is written, that the file may be written and fits the disk and the budget.
// @throws freshet::error  otherwise
void check(const bytes_options& options, const std::vector<candidate>& rows) {
  namespace fs = std::filesystem;
  const auto status = fs::symlink_status(options.file);
  if (fs::is_directory(status)) throw error{std::make_error_code(std::errc::is_a_directory), "write", options.file};
  if (fs::exists(status) && !(options.series.force && fs::is_regular_file(status)))
    refuse(std::errc::file_exists, "write", options.file, "--force replaces a regular file");
  const auto writing = static_cast<std::uint64_t>(
      std::ranges::count_if(rows, [](const candidate& row) { return !reads(row.plan.measured_class); }));
  options.series.check(detail::directory_of(options.file), options.size * (1 + writing * options.series.rounds),
                       options.size);
}

// Makes all trials; returns how many bytes were written.
std::uint64_t measure(const bytes_options& options, std::vector<candidate>& rows, run_log& log,
                      nlohmann::json& trials) {
  progress line;
  line.show("writing the file");
  byte_runner file{options.file, options.size, options.series.force};
  std::uint64_t written = options.size;
  const auto order = schedule(rows.size(), options.series.rounds, options.series.order, options.series.seed);
  make_in_order(order, [&](const scheduled_trial& next, std::size_t number, double seconds_left) {
    candidate& row = rows[next.plan];
    line.show(fmt::format("trial {} of {}: {}", number, order.size(), describe_way(row.plan)), seconds_left);
    byte_trial trial = file.run(row.plan);
    trial.figures.round = next.round;
    trial.figures.position = next.position;
    written += trial.figures.bytes_written;
    log.keep(make_record(trial));
    trials.push_back(trial);
    row.trials.push_back(std::move(trial.figures));
  });
  if (options.keep) file.keep();
  return written;
}

int run_bytes(const bytes_options& options) {
  std::vector<candidate> rows = make_rows(options);
  check(options, rows);
  run_log log{options.log.with_seed(options.series.seed), "bytes",
              std::filesystem::absolute(options.file).parent_path()};
  nlohmann::json trials = nlohmann::json::array();
  const std::uint64_t written = measure(options, rows, log, trials);
  const double loop_rate = byte_loop_rate();
  return log.publish(
      format_byte_rows(rows, loop_rate) + format_end(written, options.series.seed),
      {{"size", options.size}, {"loop_mb_per_second", loop_rate}, {"trials", trials}, {"bytes_written", written}});
}

}  // namespace

void add_bytes_command(program_parser& program) {
  auto [command, options] =
      add_laboratory_command(program, "bytes", run_bytes,
                             fmt::format(bytes_footer, join_names(direction::write), join_names(direction::read)));
  command.add("FILE", options.file, "The file, which must not exist yet").require();
  command.add("--size SIZE", options.size, parse_file_size, "Bytes of the file", format_size_argument);
  std::vector<std::string> ways;
  for (const byte_way& each : byte_ways()) ways.emplace_back(each.name);
  command.add("--ways WAY,...", options.ways, parse_ways, "Ways to write and read, a,b,…, as listed below (all)")
      .offer(std::move(ways));
  command.add("--buffer SIZE,...", options.buffers, parse_buffers,
              "Buffer sizes to measure besides each way's own, 1K,64K,…: powers of two from 1K to 64M", format_buffers);
  add_rounds_option(command, options.series.rounds, "way with each buffer");
  add_order_seed_option(command, options.series.seed);
  add_max_bytes_option(command, options.series.max_bytes);
  command.add_flag("--force", options.series.force,
                   "Replace an existing file, and try even if it does not fit the free space");
  command.add_flag("--keep", options.keep, "Do not remove the file at the end");
  add_log_options(command, options.log);
}

}  // namespace freshet::tool
