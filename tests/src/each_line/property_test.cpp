// For every text, block size and number of threads, the result is that of a loop over std::getline.
#include <freshet/each_line.hpp>

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <random>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/each_line.hpp"

namespace freshet {
namespace {

using test::content_of;
using test::fill;
using test::some_lines;
using test::some_lines_of;

using each_line_property_test = test::each_line_test;

// Returns lines of random lengths, most of them up to `usual`, with both kinds of line end; the last one may have none.
std::string random_text(std::mt19937_64& random, std::size_t lines, std::size_t usual) {
  std::string text;
  for (std::size_t line = 0; line < lines; ++line) {
    const std::size_t length = random() % (random() % 20 == 0 ? 10 * usual + 1 : usual + 1);
    for (std::size_t at = 0; at < length; ++at) text += "abc\r\0"[random() % 5];
    if (line + 1 < lines || random() % 2 == 0) text += random() % 3 == 0 ? "\r\n" : "\n";
  }
  return text;
}

each_line_options random_options(std::mt19937_64& random) {
  return {.threads = static_cast<unsigned>(1 + random() % 5),
          .block = std::size_t{1} << (random() % 14),
          .in_flight = static_cast<unsigned>(random() % 9)};
}

RC_GTEST_FIXTURE_PROP(each_line_property_test, transforms_a_file_like_a_loop_over_its_lines, (std::uint64_t seed)) {
  std::mt19937_64 random{seed};
  const auto text = random_text(random, random() % 300, random() % 100);
  fill(in_, text);
  const auto done = each_line(in_, out_, some_lines, random_options(random));
  RC_ASSERT(content_of(out_) == some_lines_of(text));
  RC_ASSERT(done.bytes_read == text.size());
}

RC_GTEST_FIXTURE_PROP(each_line_property_test, transforms_many_files_like_loops_over_their_lines,
                      (std::uint64_t seed)) {
  std::mt19937_64 random{seed};
  std::vector<file_pair> files;
  std::vector<std::string> texts;
  for (std::size_t count = random() % 20; count > 0; --count) {
    files.push_back({in_.string() + std::to_string(count), out_.string() + std::to_string(count)});
    texts.push_back(random_text(random, random() % (random() % 3 == 0 ? 500 : 10), 50));
    fill(files.back().in, texts.back());
  }
  each_line(std::span{std::as_const(files)}, some_lines, random_options(random));
  for (std::size_t file = 0; file < files.size(); ++file)
    RC_ASSERT(content_of(files[file].out) == some_lines_of(texts[file]));
}

RC_GTEST_FIXTURE_PROP(each_line_property_test, reports_the_first_line_that_fails, (std::uint64_t seed)) {
  std::mt19937_64 random{seed};
  const std::size_t count = 1 + random() % 500;
  std::vector<std::size_t> bad(1 + random() % 4);
  std::ranges::generate(bad, [&] { return 1 + random() % count; });
  fill(in_, test::numbered_lines(count));
  const auto fails = [&](std::string_view line, line_sink& out) {
    const auto number = std::stoul(std::string{line});
    if (std::ranges::find(bad, number) != bad.end()) throw std::invalid_argument{"no good"};
    out.write_line(line);
  };
  const file_pair other{directory_ / "other", directory_ / "other out"};
  fill(other.in, "1\n");
  const std::vector<file_pair> files{{in_, out_}, other};
  try {
    each_line(std::span{files}, fails, random_options(random));
    RC_FAIL("accepted");
  } catch (const line_error& failure) {
    RC_ASSERT(failure.line() == std::ranges::min(bad));
    RC_ASSERT(failure.path() == in_);
  }
  RC_ASSERT(!exists(out_));
}

}  // namespace
}  // namespace freshet
