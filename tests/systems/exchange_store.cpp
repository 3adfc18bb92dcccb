// A store that one processor writes and another reads: exchange_store write|read DIRECTORY
// `write` adds a run to DIRECTORY/trials.sqlite; `read` compares each column of all runs and trials there with what
// `write` stores. What differs ends it with 1.
#include <cinttypes>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <limits>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "tests/tool/store/store_sample.hpp"
#include "tool/base/json_output.hpp"
#include "tool/store/columns.hpp"
#include "tool/store/store.hpp"

namespace {

namespace fs = std::filesystem;
using freshet::tool::record;
using freshet::tool::run;
using freshet::tool::store;

run make_run() {
  run result = freshet::test::sample_run();
  result.words = "freshet bench '/data/na\xC3\xAFve \xE2\x82\xAC'";
  result.ended = "2026-03-01T10:00:59Z";
  result.attempt = std::numeric_limits<std::int64_t>::min();
  result.env.memory = (std::uint64_t{1} << 53) + 1;  // no double is that number
  result.env.first_touch_fresh = std::numeric_limits<double>::denorm_min();
  return result;
}

// The first has all figures, the second no more than a trial must have, and the third numbers at their limits.
std::vector<record> make_trials(std::int64_t id) {
  using limits = std::numeric_limits<std::uint64_t>;
  record unknown;
  unknown.run = id;
  unknown.figures.seconds_to_disk = std::numeric_limits<double>::quiet_NaN();
  unknown.figures.cpu_whole = -std::numeric_limits<double>::infinity();
  record extreme = freshet::test::sample_record(id, std::numeric_limits<unsigned>::max());
  extreme.figures.bytes = (std::uint64_t{1} << 53) + 1;
  extreme.figures.device_bytes = limits::max();
  extreme.figures.device_writes = std::uint64_t{1} << 63;
  extreme.figures.seconds_to_close = std::numeric_limits<double>::max();
  extreme.figures.cpu_process = -std::numeric_limits<double>::denorm_min();
  return {freshet::test::sample_record(id), unknown, extreme};
}

void write_all(const fs::path& file) {
  store kept{file, store::access::write};
  for (record& each : make_trials(kept.begin(make_run()))) kept.add(each);
}

/// Columns as "name = value"; a number's text has all its bits.
class column_texts {
 public:
  template <typename Value>
  void operator()(std::string_view name, const Value& value) {
    texts_.push_back(std::string{name} + " = " + to_text(value));
  }
  [[nodiscard]] const std::vector<std::string>& texts() const { return texts_; }

 private:
  static std::string to_text(const std::string& text) { return text; }
  static std::string to_text(double number) {
    char digits[32];
    std::snprintf(digits, sizeof digits, "%a", number);
    return digits;
  }
  template <typename Value>
  static std::string to_text(const std::optional<Value>& value) {
    return value ? to_text(*value) : "none";
  }
  template <typename Value>
  static std::string to_text(const Value& value) {
    if constexpr (std::is_integral_v<Value>)
      return std::to_string(value);
    else if constexpr (std::is_enum_v<Value>)
      return std::string{freshet::tool::to_string(value)};
    else
      return freshet::tool::to_text(value);
  }

  std::vector<std::string> texts_;
};

std::vector<std::string> columns_of(const run& from) {
  column_texts columns;
  const auto take = [&](std::string_view name, const auto& value) { columns(name, value); };
  each_run_column(from, take);
  each_setting(from.env, take);
  return columns.texts();
}

std::vector<std::string> columns_of(const record& from) {
  column_texts columns;
  const auto take = [&](std::string_view name, const auto& value) { columns(name, value); };
  each_trial_column(from, take, take);
  return columns.texts();
}

std::size_t compared = 0;
std::size_t wrong = 0;

template <typename Row>
void compare(const std::string& row, const Row& stored, const Row& wanted) {
  const auto found = columns_of(stored);
  const auto expected = columns_of(wanted);
  for (std::size_t i = 0; i < expected.size(); ++i) {
    ++compared;
    if (found[i] == expected[i]) continue;
    ++wrong;
    std::printf("%s: %s, not %s\n", row.c_str(), found[i].c_str(), expected[i].c_str());
  }
}

void read_all(const fs::path& file) {
  const store kept{file};
  const std::vector<run> runs = kept.runs();
  if (runs.empty()) throw std::runtime_error{"the store has no runs"};
  for (const run& each : runs) {
    const std::string row = "run " + std::to_string(each.id);
    compare(row, each, make_run());
    const std::vector<record> wanted = make_trials(each.id);
    const std::vector<record> trials = kept.records({.runs = {each.id}});
    if (trials.size() != wanted.size()) throw std::runtime_error{row + " has another number of trials"};
    for (std::size_t i = 0; i < wanted.size(); ++i)
      compare(row + ", trial " + std::to_string(trials[i].id), trials[i], wanted[i]);
  }
  std::printf("store: %zu of %zu columns of %zu runs as they were written\n", compared - wrong, compared, runs.size());
}

}  // namespace

int main(int count, char** words) try {
  const std::string_view task = count == 3 ? words[1] : "";
  const fs::path file = fs::path{count == 3 ? words[2] : ""} / "trials.sqlite";
  if (task == "write")
    write_all(file);
  else if (task == "read")
    read_all(file);
  else
    throw std::invalid_argument{"usage: exchange_store write|read DIRECTORY"};
  return wrong == 0 ? 0 : 1;
} catch (const std::exception& failure) {
  std::fprintf(stderr, "exchange_store: %s\n", failure.what());
  return 1;
}
