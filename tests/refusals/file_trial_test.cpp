#include <gtest/gtest.h>

#include <fstream>
#include <string>

#include "tests/support/file_trial.hpp"
#include "tests/support/temporary_directory.hpp"
#include "tests/support/trial_options.hpp"

namespace freshet::test {
namespace {

const auto nothing = [] { return true; };

TEST(file_trial, works_where_nothing_is_refused) {
  const temporary_directory place;
  const auto directory = place / "files";
  std::filesystem::create_directory(directory);
  for (const file_trial& each : all_trials()) {
    const verdict got = try_surrounded(each, directory, nothing);
    EXPECT_EQ(got.what, outcome::works) << each.label() << ": " << got.message;
  }
}

}  // namespace
}  // namespace freshet::test
