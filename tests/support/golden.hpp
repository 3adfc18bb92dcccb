// Screens that are held word by word, each by one file: what the user sees is reviewed there, and changed on purpose.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>

namespace freshet::test {

/// Whether the file `name`, a path below tests/, has exactly `text`. FRESHET_RENEW_GOLDEN=1 in the environment writes
/// it instead, and the test fails once, so that nobody renews without reading the difference.
[[nodiscard]] inline testing::AssertionResult is_golden(std::string_view name, std::string_view text) {
  const std::filesystem::path file = std::filesystem::path{FRESHET_TESTS} / name;
  std::ifstream in{file};
  const std::string golden{std::istreambuf_iterator<char>{in}, {}};
  if (in.is_open() && golden == text) return testing::AssertionSuccess();
  if (std::getenv("FRESHET_RENEW_GOLDEN") == nullptr)  // NOLINT(concurrency-mt-unsafe): nothing sets variables
    return testing::AssertionFailure() << "tests/" << name << " differs; FRESHET_RENEW_GOLDEN=1 renews it. It has\n"
                                       << golden << "and this is\n"
                                       << text;
  std::filesystem::create_directories(file.parent_path());
  std::ofstream{file} << text;
  return testing::AssertionFailure() << "tests/" << name << " is renewed: read what changed";
}

}  // namespace freshet::test
