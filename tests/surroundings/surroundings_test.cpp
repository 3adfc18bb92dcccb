// What programs ask of the library for one file, in every surrounding: it works, is refused when it is opened, or fails
// with the error of the data.
#include "tests/surroundings/surroundings.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <functional>
#include <iterator>
#include <ostream>
#include <random>
#include <string>

#include "tests/support/file_trial.hpp"
#include "tests/support/soak.hpp"
#include "tests/support/temporary_directory.hpp"
#include "tests/support/trial_options.hpp"

namespace freshet::test {

// GoogleTest finds it by its namespace.
std::ostream& operator<<(std::ostream& out, const surrounding& one) { return out << one.name; }

namespace {

// Others for each surrounding, as each is a process of its own that would begin with the same.
std::vector<file_trial> sample_of_trials(const std::string& name) {
  std::vector<file_trial> all = all_trials(), chosen;
  if (is_complete()) return all;
  std::mt19937_64 random{sample_seed() ^ std::hash<std::string>{}(name)};
  // What names nothing is always tried.
  chosen.push_back(all.front());
  std::ranges::sample(std::next(all.begin()), all.end(), std::back_inserter(chosen), 19, random);
  return chosen;
}

bool can_be_prepared(const file_trial& trial, const made_surrounding& made) {
  return made.fate == data_fate::arrives || made.limit || !trial.has_file_before() ||
         content_before(trial).size() < 100'000;
}

// Whether the whole of the trial's bytes goes to its file, and so meets what is in store for data.
bool meets_its_fate(const file_trial& trial) { return trial.writes() && !trial.writing.temporary; }

// Why what came of the trial is not right there; empty if it is.
std::string fault(const file_trial& trial, const made_surrounding& made, const verdict& got) {
  const bool has_no_space = made.fate != data_fate::arrives && trial.writing.reserve != 0;
  const bool is_refused = (made.may_refuse_open || has_no_space) && got.what == outcome::refused_at_open;
  const bool is_refused_late = made.refuses_late && !trial.must_work() && got.what == outcome::refused_later;
  if (!is_right(trial, got.what) && !is_refused && !is_refused_late)
    return std::string{name_of(got.what)} + ": " + got.message;
  if (got.what == outcome::data_error && made.fate == data_fate::arrives) return "an error of no data: " + got.message;
  if (got.what == outcome::works && made.fate == data_fate::must_fail && meets_its_fate(trial)) return "no error";
  return {};
}

// Returns a line for each trial that went wrong.
std::string try_all(const made_surrounding& made, const std::vector<file_trial>& trials) {
  std::string faults;
  for (const file_trial& each : trials) {
    if (!can_be_prepared(each, made)) continue;
    const verdict got = try_surrounded(
        each, made.directory, [&] { return enter(made); }, made.place());
    if (const std::string wrong = fault(each, made, got); !wrong.empty()) faults += each.label() + ": " + wrong + '\n';
  }
  return faults;
}

class surroundings : public testing::TestWithParam<surrounding> {};

TEST_P(surroundings, leave_each_file_right_or_refused) {
  if (GetParam().needs_root && ::geteuid() != 0) GTEST_SKIP() << "making it takes root";
  const temporary_directory scratch;
  std::filesystem::permissions(scratch.path(), std::filesystem::perms{0755});
  const auto trials = sample_of_trials(GetParam().name);
  const std::string faults =
      say_beside(GetParam(), scratch.path(), [&](const made_surrounding& made) { return try_all(made, trials); });
  if (faults.starts_with('?')) GTEST_SKIP() << faults.substr(1);
  EXPECT_EQ(faults, "") << "of " << trials.size() << " trials";
}

INSTANTIATE_TEST_SUITE_P(all, surroundings, testing::ValuesIn(all_surroundings()),
                         [](const auto& which) { return which.param.name; });

}  // namespace
}  // namespace freshet::test
