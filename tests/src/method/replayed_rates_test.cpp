// The rule of adaptive files over traces of real machines, which bench/record_rates.cpp records, and over drawn ones.
#include "tests/src/method/replayed_rates.hpp"

#include <gtest/gtest.h>

#include <array>
#include <iostream>
#include <sstream>

#include "tests/support/soak.hpp"

namespace freshet::detail {
namespace {

using namespace simulation;

std::vector<traces::row> rows(const std::string& text) {
  std::istringstream in{text};
  return traces::read_rows(in, 3, "trace");
}

TEST(rate_trace, has_the_rates_of_parts_of_a_file) {
  const rate_trace trace = traces::by_bytes(rows("1000,1,0.5\n3000,0.5,1\n"));
  EXPECT_EQ(trace.size, 4000U);
  EXPECT_DOUBLE_EQ(trace.on.cached(0, 999), 1000);
  EXPECT_DOUBLE_EQ(trace.on.device(0, 999), 2000);
  EXPECT_DOUBLE_EQ(trace.on.cached(0, 1000), 6000);
  EXPECT_DOUBLE_EQ(trace.on.device(0, 1'000'000), 3000);
}

TEST(rate_trace, has_the_rates_over_time) {
  const rate_trace trace = traces::by_time(rows("0,1000,2000\n2,4000,500\n3,1,1\n"));
  EXPECT_EQ(trace.size, 6'000'000'000U / MiB * MiB);
  EXPECT_DOUBLE_EQ(trace.on.cached(1.9, 0), 1000e6);
  EXPECT_DOUBLE_EQ(trace.on.device(2, 0), 500e6);
  EXPECT_DOUBLE_EQ(trace.on.device(100, 0), 1e6);
}

TEST(rate_trace, says_which_line_is_wrong) {
  for (const char* wrong : {"", "1,2\n", "1,2,3\n1,x,3\n", "1,2,3,4\n", "1,-2,3\n", "1,2,inf\n"})
    EXPECT_THROW(std::ignore = rows(wrong), std::runtime_error) << wrong;
}

/// How fast a file over the trace is at least, beside the better of the two ways.
struct least_ratio {
  std::string_view file;
  double ratio;
};
constexpr std::array least_ratios{least_ratio{"freed.csv", 0.9}, least_ratio{"rest.csv", 0.9},
                                  least_ratio{"left.csv", 0.93}, least_ratio{"ordinary.csv", 0.94},
                                  least_ratio{"compacted.csv", 1}};

TEST(recorded_traces, are_written_nearly_as_fast_as_by_the_better_way) {
  std::size_t found = 0;
  for (const auto& each : std::filesystem::directory_iterator{FRESHET_TESTS "/src/method/traces"}) {
    const std::string name = each.path().filename().string();
    SCOPED_TRACE(name);
    const auto* const known = std::ranges::find(least_ratios, std::string_view{name}, &least_ratio::file);
    ASSERT_NE(known, least_ratios.end()) << "has no least ratio";
    const replayed_file file = replay(read_trace(each.path()));
    EXPECT_GE(file.ratio(), known->ratio);
    std::cout << name << ": " << file.ratio() << '\n';
    ++found;
  }
  EXPECT_EQ(found, least_ratios.size());
}

constexpr std::uint64_t file_bytes = GiB;

machine::rate changed_at_half(double first, double later) {
  return [=](double, std::uint64_t offset) { return offset < file_bytes / 2 ? first : later; };
}

/// A machine whose disk is slow, or of which a rate changes while the file is written. The program forms 5 GB/s.
struct changing_machine {
  const char* name;
  machine::rate cached;
  machine::rate device;
  double least_ratio;
};

TEST(slow_and_changing_machines, are_written_nearly_as_fast_as_by_the_better_way) {
  const std::array all{
      changing_machine{"a disk of 150 MB/s, a page cache of 4 GB/s", always(4e9), always(0.15e9), 0.98},
      changing_machine{"a disk of 150 MB/s, a page cache of 0.8 GB/s", always(0.8e9), always(0.15e9), 0.98},
      changing_machine{"a disk of 2.4 GB/s that becomes half as fast", always(0.8e9), changed_at_half(2.4e9, 1.2e9),
                       0.9},
      changing_machine{"a disk of 1.2 GB/s that becomes twice as fast", always(0.8e9), changed_at_half(1.2e9, 2.4e9),
                       0.95},
      changing_machine{"a disk of 0.6 GB/s that becomes twice as fast", always(0.8e9), changed_at_half(0.6e9, 1.2e9),
                       1.2},
      changing_machine{"a page cache that falls to a fifth, a disk of 150 MB/s", changed_at_half(4e9, 0.8e9),
                       always(0.15e9), 0.98},
      changing_machine{"a page cache that falls to a fifth, a disk of 1.2 GB/s", changed_at_half(4e9, 0.8e9),
                       always(1.2e9), 1.2},
      // The device has nothing to do before; then the page cache must still copy after the program's own work.
      changing_machine{"a page cache that falls to a fifth, a disk of 2.4 GB/s", changed_at_half(4e9, 0.8e9),
                       always(2.4e9), 0.8},
  };
  for (const changing_machine& each : all) {
    const replayed_file file = replay({{each.cached, each.device, 5e9}, file_bytes});
    EXPECT_GE(file.ratio(), each.least_ratio) << each.name;
    std::cout << each.name << ": " << file.ratio() << '\n';
  }
}

TEST(drawn_traces, are_written_nearly_as_fast_as_by_the_better_way) {
  std::mt19937_64 random{test::sample_seed()};
  std::vector<double> ratios;
  const std::size_t count = test::sample_size(3000, 600);
  while (ratios.size() < count) {
    const rate_trace trace = draw_trace(random);
    const replayed_file file = replay(trace);
    EXPECT_LE(file.seconds, longest_seconds(trace, file)) << "trace " << ratios.size();
    ratios.push_back(file.ratio());
  }
  std::ranges::sort(ratios);
  std::cout << "the slowest " << ratios.front() << ", 5 % below " << ratios[count / 20] << ", median "
            << ratios[count / 2] << '\n';
  EXPECT_GE(ratios[count / 20], test::is_complete() ? 0.85 : 0.78) << "usually 0.88, of a sample 0.84 to 0.92";
}

}  // namespace
}  // namespace freshet::detail
