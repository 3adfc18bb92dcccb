// each_line() while allocations fail: an error, without an output; never the end of the program.
#include <freshet/each_line.hpp>

#include <gtest/gtest.h>

#include <fstream>
#include <string>

#include "tests/src/allocation/allocation_run.hpp"

namespace freshet {
namespace {

using test::failing_allocations;

// By one thread: oneTBB's own end the program when they lack memory as they start.
std::string transform_file(std::size_t first, std::size_t last) {
  const test::temporary_directory directory;
  const auto in = directory / "in";
  const auto out = directory / "out";
  const std::string text(300'000, 'x');
  std::ofstream{in} << text << '\n' << std::string(10'000, '\n') << text << '\n';
  bool failed = false;
  {
    const failing_allocations failing{first, last};
    try {
      each_line(in, out, [](std::string_view line, line_sink& to) { to.write_line(line); },
                {.threads = 1, .block = 10'000});
    } catch (const std::exception&) {
      failed = true;
    }
  }
  if (failed) return std::filesystem::exists(out) ? "an output of a failed run" : "";
  return test::content_of(out) == test::content_of(in) ? "" : "wrong output";
}

TEST(allocation_each_line, is_an_error) { test::expect_to_survive_each("each_line", transform_file, 1000); }

}  // namespace
}  // namespace freshet
