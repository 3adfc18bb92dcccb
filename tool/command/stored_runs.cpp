#include "tool/command/stored_runs.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <stdexcept>

#include "tool/base/place.hpp"
#include "tool/base/text.hpp"
#include "tool/command/arguments.hpp"
#include "tool/store/attempt.hpp"

namespace freshet::tool {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view last = "last";

// The number whose digits stand there in a time as the store writes it; `least` where the text ends before.
int read_part(std::string_view text, std::size_t at, std::size_t digits, int least) {
  return at < text.size() ? read_number<int>(text.substr(at, digits)).value_or(-1) : least;
}

// Whether the calendar and the clock have such a time. Precondition: `text` has the shape of one, or of its beginning.
bool exists(std::string_view text) {
  const std::chrono::year_month_day day{std::chrono::year{read_part(text, 0, 4, 0)},
                                        std::chrono::month{static_cast<unsigned>(read_part(text, 5, 2, 1))},
                                        std::chrono::day{static_cast<unsigned>(read_part(text, 8, 2, 1))}};
  return day.ok() && read_part(text, 11, 2, 0) < 24 && read_part(text, 14, 2, 0) < 60 && read_part(text, 17, 2, 0) < 60;
}

// The beginning of a time, as the store writes it, that ends with a whole number. @throws std::invalid_argument
std::string parse_date(std::string_view text) {
  constexpr std::string_view shape = "dddd-dd-ddTdd:dd:ddZ";
  constexpr std::array<std::size_t, 7> ends{4, 7, 10, 13, 16, 19, 20};
  const auto fits = [](char c, char wanted) { return wanted == 'd' ? c >= '0' && c <= '9' : c == wanted; };
  const bool good = std::ranges::find(ends, text.size()) != ends.end() &&
                    std::ranges::equal(text, shape.substr(0, text.size()), fits) && exists(text);
  if (good) return std::string{text};
  reject(text, "a date", "expected one such as 2026-03-01 or 2026-03-01T12:00");
}

// Whether the run measured in the directory or below it.
bool lies_in(const run& each, const fs::path& directory) {
  const fs::path path = normalize_directory(each.env.directory);
  const fs::path above = normalize_directory(directory);
  return std::ranges::mismatch(above, path).in1 == above.end();
}

// How many runs before the last one "last~N" means; empty for other words.
std::optional<std::size_t> read_last(std::string_view word) {
  if (!word.starts_with(last)) return {};
  word.remove_prefix(last.size());
  if (word.empty()) return 0;
  return word.starts_with('~') ? read_number<std::size_t>(word.substr(1)) : std::nullopt;
}

void print_left_out(const store_set& kept, std::span<const run> runs) {
  selection which;
  std::string names;
  for (const run& each : runs) {
    which.runs.push_back(each.id);
    names += fmt::format("{}{}", names.empty() ? "" : ", ", each.id);
  }
  fmt::print(stderr, "freshet: left out {} of run{}\n", format_count(kept.count(which), "trial"),
             runs.size() == 1
                 ? fmt::format(" {}: its try at a campaign's step was cut off, or is still at work", names)
                 : fmt::format("s {}: their tries at a campaign's steps were cut off, or are still at work", names));
}

}  // namespace

void add_stored_options(command_parser& command, stored_options& options, const std::string& since_help) {
  command
      .add("--store", options.stores,
           "The file of stored trials ($XDG_STATE_HOME/freshet/trials.sqlite); repeated, those of several machines")
      .take_one_at_a_time();
  command.add("--command COMMAND", options.command, "Only runs of this command: tune, bench, …");
  command.add("--since DATE", options.since, parse_date, since_help + ", such as 2026-03-01 or 2026-03-01T12:00 (UTC)");
  command.add("--directory DIR", options.directories, "Only runs that measured in this directory or below it");
}

command_option add_run_option(command_parser& command, std::string& run, const std::string& help) {
  return command.add("--run RUN", run, parse_run_name, help).offer({"last", "last~1"});
}

std::vector<fs::path> existing_stores(const stored_options& options) {
  std::vector<fs::path> paths = options.stores;
  if (paths.empty()) paths = {default_store()};
  if (paths.front().empty())
    throw std::runtime_error{
        "neither XDG_STATE_HOME nor HOME is set, so there is no default store; name one with --store"};
  for (const fs::path& path : paths)
    if (std::error_code failure; !fs::exists(path, failure) && !failure)
      throw std::runtime_error{
          fmt::format("{}: nothing was measured yet: the store does not exist (tune, bench and the other measuring "
                      "commands create it)",
                      path.string())};
  for (std::size_t i = 0; i < paths.size(); ++i)
    for (std::size_t other = 0; other < i; ++other)
      if (fs::equivalent(paths[i], paths[other]))
        throw std::runtime_error{fmt::format("{}: this store is named twice", paths[i].string())};
  return paths;
}

std::string name_stores(const stored_options& options) {
  std::vector<std::string> names;
  for (const fs::path& path : existing_stores(options)) names.push_back(path.string());
  return fmt::format("{}", fmt::join(names, ", "));
}

std::vector<run> select_runs(const store_set& kept, const stored_options& options, std::string_view named) {
  std::vector<run> runs = kept.runs({.command = options.command, .since = options.since});
  if (!options.directories.empty())
    std::erase_if(runs, [&](const run& each) {
      return std::ranges::none_of(options.directories, [&](const fs::path& above) { return lies_in(each, above); });
    });
  // A step may read what it has measured so far.
  const std::int64_t own = attempt_of_this_process(existing_stores(options).front());
  const auto left_out = std::stable_partition(runs.begin(), runs.end(), [&](const run& each) {
    return !each.lacks_result || each.attempt == own || read_number<std::int64_t>(named) == each.id;
  });
  if (left_out != runs.end()) print_left_out(kept, {left_out, runs.end()});
  runs.erase(left_out, runs.end());
  return runs;
}

bool names_a_run(std::string_view word) { return read_last(word) || read_number<std::int64_t>(word) > 0; }

std::string parse_run_name(std::string_view word) {
  if (names_a_run(word)) return std::string{word};
  reject(word, "a run", "expected a number, last or last~1");
}

const run& find_run(std::span<const run> runs, std::string_view word) {
  if (const auto back = read_last(word)) {
    if (*back < runs.size()) return runs[runs.size() - 1 - *back];
    throw std::runtime_error{
        fmt::format("there is no run {}: {} run{} kept", word, runs.size(), runs.size() == 1 ? " is" : "s are")};
  }
  const auto place = std::ranges::find(runs, read_number<std::int64_t>(word), &run::id);
  if (place == runs.end())
    throw std::runtime_error{fmt::format("there is no run {} among those selected; freshet history lists all", word)};
  return *place;
}

}  // namespace freshet::tool
