// Screens and files that are held word by word, each by one file: what the user sees is reviewed there, and changed on
// purpose.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
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

/// The text with nine digits of each fraction that has more: the last ones of a logarithm or a root are not the same on
/// all processors.
[[nodiscard]] inline std::string with_nine_digits(std::string_view text) {
  constexpr std::size_t most = 9;
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  std::string out;
  while (!text.empty()) {
    const auto begin = std::ranges::find_if(text, is_digit);
    out.append(text.begin(), begin);
    text.remove_prefix(static_cast<std::size_t>(begin - text.begin()));
    std::size_t end = std::min(text.find_first_not_of("0123456789.e"), text.size());
    if (end < text.size() && end > 0 && text[end - 1] == 'e')  // the sign of the power of ten
      end = std::min(text.find_first_not_of("0123456789", end + 1), text.size());
    const std::string number{text.substr(0, end)};
    const bool is_fraction = std::ranges::count(number, '.') == 1;
    if (is_fraction && static_cast<std::size_t>(std::ranges::count_if(number, is_digit)) > most)
      out += fmt::format("{:.9g}", std::strtod(number.c_str(), nullptr));
    else
      out += number;
    text.remove_prefix(end);
  }
  return out;
}

}  // namespace freshet::test
