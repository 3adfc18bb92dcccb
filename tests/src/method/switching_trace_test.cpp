// The decisions of adaptive files over traces of real machines, which bench/record_rates.cpp records.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <string>
#include <string_view>
#include <vector>

#include "tests/src/method/switching_machine.hpp"

namespace freshet::detail {
namespace {

using namespace simulation;

/// What the page cache and the device took for a piece of a file.
struct piece {
  std::uint64_t bytes = 0;
  double cached_seconds = 0;
  double direct_seconds = 0;
};

class trace {
 public:
  explicit trace(const std::filesystem::path& path) {
    std::ifstream in{path};
    std::string header;
    std::getline(in, header);
    EXPECT_EQ(header, "bytes,cached_seconds,direct_seconds") << path;
    char comma = ',';
    for (piece next; in >> next.bytes >> comma >> next.cached_seconds >> comma >> next.direct_seconds;) {
      EXPECT_TRUE(next.bytes > 0 && next.cached_seconds > 0 && next.direct_seconds > 0) << path;
      pieces_.push_back(next);
      size_ += next.bytes;
    }
    EXPECT_TRUE(in.eof()) << path << ": line " << pieces_.size() + 2 << " is wrong";
  }

  [[nodiscard]] std::uint64_t size() const { return size_; }
  /// The machine at each offset as it was when the trace was there.
  [[nodiscard]] machine on() const {
    return {[this](double, std::uint64_t offset) { return rate(offset, &piece::cached_seconds); },
            [this](double, std::uint64_t offset) { return rate(offset, &piece::direct_seconds); }};
  }

 private:
  [[nodiscard]] double rate(std::uint64_t offset, double piece::*seconds) const {
    std::uint64_t end = 0;
    const auto there = std::ranges::find_if(pieces_, [&](const piece& each) { return (end += each.bytes) > offset; });
    const piece& found = there == pieces_.end() ? pieces_.back() : *there;
    return static_cast<double>(found.bytes) / found.*seconds;
  }

  std::vector<piece> pieces_;
  std::uint64_t size_ = 0;
};

/// How many times as long as the better of the two ways a file over the trace may take.
struct bound {
  std::string_view file;
  double most;
};
constexpr std::array bounds{bound{"freed.csv", 1.10}, bound{"rest.csv", 1.25}};

TEST(recorded_trace, is_written_nearly_as_fast_as_by_the_better_way) {
  std::size_t found = 0;
  for (const auto& each : std::filesystem::directory_iterator{FRESHET_TESTS "/src/method/traces"}) {
    const std::string name = each.path().filename();
    SCOPED_TRACE(name);
    const auto* const known = std::ranges::find(bounds, std::string_view{name}, &bound::file);
    ASSERT_NE(known, bounds.end()) << "has no bound";
    const trace recorded{each.path()};
    ASSERT_GE(recorded.size(), GiB / 2);
    const machine on = recorded.on();
    const outcome_of_file written = write_file(on, recorded.size());
    const double best = best_fixed(on, recorded.size());
    EXPECT_LE(written.seconds, best * known->most) << written.changes.size() << " changes";
    std::cout << name << ": " << written.seconds / best << " times as long, cached "
              << fixed_seconds(on, recorded.size(), way::cached) << " s, direct "
              << fixed_seconds(on, recorded.size(), way::direct) << " s\n";
    ++found;
  }
  EXPECT_EQ(found, bounds.size());
}

}  // namespace
}  // namespace freshet::detail
