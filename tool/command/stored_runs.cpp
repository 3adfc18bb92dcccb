#include "tool/command/stored_runs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <stdexcept>

#include "tool/base/place.hpp"
#include "tool/base/reject.hpp"

namespace freshet::tool {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view last = "last";

// The beginning of a time, as the store writes it. @throws std::invalid_argument
std::string parse_date(std::string_view text) {
  constexpr std::string_view shape = "dddd-dd-ddTdd:dd:ddZ";
  const auto fits = [](char c, char wanted) { return wanted == 'd' ? c >= '0' && c <= '9' : c == wanted; };
  const bool good =
      text.size() >= 4 && text.size() <= shape.size() && std::ranges::equal(text, shape.substr(0, text.size()), fits);
  if (good) return std::string{text};
  reject(text, "a date", "expected one such as 2026-03-01 or 2026-03-01T12:00");
}

// Whether the run measured in the directory or below it.
bool lies_in(const run& each, const fs::path& directory) {
  const fs::path path = normalize_directory(each.env.directory);
  const fs::path above = normalize_directory(directory);
  return std::ranges::mismatch(above, path).in1 == above.end();
}

// Reads the whole text as a number. Returns false if it is not one.
template <typename Number>
bool read_number(std::string_view text, Number& into) {
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), into);
  return fault == std::errc{} && end == text.data() + text.size() && !text.empty();
}

// Reads how many runs before the last one "last~N" means. Returns false for other words.
bool read_last(std::string_view word, std::size_t& back) {
  if (!word.starts_with(last)) return false;
  word.remove_prefix(last.size());
  back = 0;
  return word.empty() || (word.starts_with('~') && read_number(word.substr(1), back));
}

}  // namespace

void add_stored_options(command_parser& command, stored_options& options, const std::string& since_help) {
  command.add("--store", options.store, "The file of stored trials ($XDG_STATE_HOME/freshet/trials.sqlite)");
  command.add("--command", options.command, "Only runs of this command: tune, bench, …");
  command.add("--since", options.since, parse_date, since_help + ", such as 2026-03-01 or 2026-03-01T12:00 (UTC)");
  command.add("--directory", options.directories, "Only runs that measured in this directory or below it");
}

fs::path existing_store(const fs::path& named) {
  fs::path path = named.empty() ? default_store() : named;
  if (path.empty())
    throw std::runtime_error{
        "neither XDG_STATE_HOME nor HOME is set, so there is no default store; name one with --store"};
  if (std::error_code failure; !fs::exists(path, failure) && !failure)
    throw std::runtime_error{
        fmt::format("{}: nothing was measured yet: the store does not exist (tune, bench and the other measuring "
                    "commands create it)",
                    path.string())};
  return path;
}

std::vector<run> select_runs(const store& kept, const stored_options& options) {
  std::vector<run> runs = kept.runs({.runs = {}, .command = options.command, .since = options.since, .before = {}});
  if (options.directories.empty()) return runs;
  std::erase_if(runs, [&](const run& each) {
    return std::ranges::none_of(options.directories, [&](const fs::path& above) { return lies_in(each, above); });
  });
  return runs;
}

bool names_a_run(std::string_view word) {
  std::size_t back = 0;
  std::int64_t id = 0;
  return read_last(word, back) || read_number(word, id);
}

std::string parse_run_name(std::string_view word) {
  if (names_a_run(word)) return std::string{word};
  reject(word, "a run", "expected a number, last or last~1");
}

const run& find_run(std::span<const run> runs, std::string_view word) {
  std::size_t back = 0;
  std::int64_t id = 0;
  if (read_last(word, back)) {
    if (back < runs.size()) return runs[runs.size() - 1 - back];
    throw std::runtime_error{
        fmt::format("there is no run {}: {} run{} kept", word, runs.size(), runs.size() == 1 ? " is" : "s are")};
  }
  read_number(word, id);
  const auto place = std::ranges::find(runs, id, &run::id);
  if (place == runs.end())
    throw std::runtime_error{fmt::format("there is no run {}; freshet history lists the runs", word)};
  return *place;
}

}  // namespace freshet::tool
