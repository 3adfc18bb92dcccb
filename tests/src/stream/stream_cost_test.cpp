// Tests how many system calls streams take, beside std's.
#include <freshet/stream.hpp>

#include <gtest/gtest.h>

#include <fstream>
#include <functional>
#include <map>
#include <string>

#include "tests/support/fault_injection.hpp"
#include "tests/support/temporary_directory.hpp"

namespace freshet {
namespace {

constexpr std::uint64_t lines = 20'000;  // more than a block

using writing = std::function<void(std::ostream&)>;

std::map<std::string, writing> ways_to_flush() {
  const auto each_line = [](std::ostream& out, auto end) {
    for (std::uint64_t line = 0; line < lines; ++line) {
      out << "line " << line << " of the log";
      end(out);
    }
  };
  return {{"flush", [=](auto& out) { each_line(out, [](auto& to) { (to << '\n').flush(); }); }},
          {"std::endl", [=](auto& out) { each_line(out, [](auto& to) { to << std::endl; }); }},
          {"pubsync", [=](auto& out) {
             each_line(out, [](auto& to) {
               to << '\n';
               to.rdbuf()->pubsync();
             });
           }}};
}

// The calls of write() and its kin that this process has made; nothing where the kernel does not count them.
std::uint64_t writing_calls() {
  std::ifstream in{"/proc/self/io"};
  std::string word;
  std::uint64_t count = 0;
  while (in >> word >> count)
    if (word == "syscw:") return count;
  return 0;
}

// Where the file's kind and its first blocks are asked for.
constexpr std::uint64_t most_beside = 4;

TEST(stream_costs, a_line_that_is_flushed_takes_one_call_as_with_std) {
  const test::temporary_directory directory;
  const std::string name = directory / "file";
  for (const auto& [way, write] : ways_to_flush())
    for (const auto mode : {std::ios::out, std::ios::app, std::ios::in | std::ios::out | std::ios::trunc}) {
      SCOPED_TRACE(way + ", mode " + std::to_string(mode));
      std::fstream standard{name, mode};
      const std::uint64_t before = writing_calls();
      write(standard);
      const std::uint64_t calls_of_std = writing_calls() - before;
      if (before != 0) {
        EXPECT_GE(calls_of_std, lines);  // a sanitizer may write, too
      }

      fstream out{name, mode};
      const test::fault_injection watch;
      write(out);
      EXPECT_LE(watch.count_all(), lines + most_beside);
      EXPECT_TRUE(out.good());
    }
}

// A method would take part of a line where a block ends, and then each line, at a higher price.
TEST(stream_costs, lines_that_are_flushed_start_no_method) {
  const test::temporary_directory directory;
  ofstream out{directory / "file"};
  const test::fault_injection watch;
  for (std::uint64_t line = 0; line < lines; ++line) (out << "line " << line << " of the log\n").flush();
  EXPECT_LE(watch.count(detail::os::call::write), lines + most_beside);
  EXPECT_EQ(watch.count(detail::os::call::write_at), 0U);
  EXPECT_TRUE(out.good());
}

}  // namespace
}  // namespace freshet
