// Files that are written and read no faster than their program wants.
#include <freshet/reader.hpp>
#include <freshet/stream.hpp>
#include <freshet/writer.hpp>

#include <gtest/gtest.h>

#include <chrono>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "src/base/rate_limit.hpp"
#include "src/os/interceptor.hpp"
#include "tests/support/reading.hpp"
#include "tests/support/temporary_directory.hpp"
#include "tests/support/writing.hpp"

namespace freshet {
namespace {

using detail::os::call;
using clock = std::chrono::steady_clock;

constexpr std::uint64_t rate = 10'000'000;  // bytes per second
constexpr std::size_t length = 3'000'001;

double seconds_since(clock::time_point begin) { return std::chrono::duration<double>{clock::now() - begin}.count(); }

/// When the calls that move bytes were made, and how many they moved.
class moved_bytes final : public detail::os::interceptor {
 public:
  moved_bytes() : replaced_{detail::os::intercept(this)} {}
  moved_bytes(const moved_bytes&) = delete;
  moved_bytes& operator=(const moved_bytes&) = delete;
  ~moved_bytes() override { detail::os::intercept(replaced_); }
  std::error_code before(detail::os::intercepted_call& next) override {
    const std::lock_guard lock{mutex_};
    if (next.kind == call::write || next.kind == call::write_at || next.kind == call::write_dontcache ||
        next.kind == call::submit_write)
      pieces_.emplace_back(seconds_since(begin_), next.length);
    return {};
  }

  // No piece came before those in front of it had had their time. Returns how many there were.
  std::size_t expect_evenly_spread() {
    const std::lock_guard lock{mutex_};
    std::size_t before = 0;
    for (const auto& [seconds, bytes] : pieces_) {
      EXPECT_GE(seconds, static_cast<double>(before) / rate) << "after " << before << " bytes";
      EXPECT_LE(bytes, rate / 8);
      before += bytes;
    }
    return pieces_.size();
  }

 private:
  std::mutex mutex_;
  clock::time_point begin_ = clock::now();
  std::vector<std::pair<double, std::size_t>> pieces_;
  detail::os::interceptor* replaced_;
};

class limited : public testing::Test {
 protected:
  test::temporary_directory directory_;
  std::filesystem::path path_ = directory_ / "file";
};

TEST_F(limited, writing_is_spread_evenly_by_every_method) {
  for (const auto& each : test::working(test::all_ways(), directory_.path())) {
    if (std::string_view{each.options().method} == "mmap" || std::string_view{each.options().method} == "null")
      continue;
    SCOPED_TRACE(each);
    auto options = each.options();
    options.rate_limit = rate;
    moved_bytes moved;
    writer out{path_, options};
    out.write(test::bytes_from(0, length / 2));
    while (out.tell() < length)
      out.write(test::bytes_from(out.tell(), std::min<std::size_t>(1000, length - out.tell())));
    out.close();
    EXPECT_GE(moved.expect_evenly_spread(), 3U);
    test::expect_prefix(path_, length);
  }
}

TEST_F(limited, writing_does_not_make_up_for_a_pause) {
  writer out{path_, {.rate_limit = rate}};
  out.write(test::bytes_from(0, 100'000));
  out.flush();
  std::this_thread::sleep_for(std::chrono::milliseconds{150});
  moved_bytes moved;
  out.write(test::bytes_from(100'000, length));
  out.close();
  EXPECT_GE(moved.expect_evenly_spread(), 3U);
  test::expect_prefix(path_, 100'000 + length);
}

TEST_F(limited, streams_are) {
  const auto begin = clock::now();
  ofstream out{path_, {.rate_limit = rate}};
  out << test::bytes_from(0, length);
  out.close();
  EXPECT_TRUE(out);
  EXPECT_GE(seconds_since(begin), (length - rate / 8.0) / rate);
  test::expect_prefix(path_, length);
  const auto between = clock::now();
  ifstream in{path_, std::ios::in, {.rate_limit = rate}};
  std::string read(length, '\0');
  in.read(read.data(), length);
  EXPECT_EQ(in.gcount(), static_cast<std::streamsize>(length));
  EXPECT_GE(seconds_since(between), (length - rate / 8.0) / rate);
}

TEST_F(limited, reading_is_by_every_method) {
  test::make_file(path_, length);
  for (const std::string_view method : {"auto", "buffered", "direct", "uring", "adaptive"}) {
    if (method != "auto" && !test::why_not(method, directory_.path()).empty()) continue;
    SCOPED_TRACE(method);
    const auto begin = clock::now();
    reader in{path_, {.method = method, .rate_limit = rate}};
    std::uint64_t offset = 0;
    for (auto bytes = in.available(); !bytes.empty(); bytes = in.available()) {
      ASSERT_TRUE(test::belongs_at(offset, bytes));
      EXPECT_GE(seconds_since(begin), static_cast<double>(offset) / rate);
      offset += bytes.size();
      in.advance(bytes.size());
    }
    EXPECT_EQ(offset, length);
    const auto between = clock::now();
    reader whole{path_, {.method = method, .rate_limit = rate}};
    std::string into(length, '\0');
    EXPECT_EQ(whole.read(into), length);
    EXPECT_GE(seconds_since(between), (length - rate / 8.0) / rate);
  }
}

TEST(rate_limit, has_pieces_of_an_eighth_of_a_second) {
  EXPECT_EQ(detail::rate_limit{0}.largest_piece(), detail::largest_block);
  EXPECT_EQ(detail::rate_limit{1}.largest_piece(), detail::smallest_block);
  EXPECT_EQ(detail::rate_limit{1 << 20}.largest_piece(), std::size_t{128} << 10);
  EXPECT_EQ(detail::rate_limit{~std::uint64_t{0}}.largest_piece(), detail::largest_block);
  EXPECT_FALSE(detail::rate_limit{0});
  EXPECT_TRUE(detail::rate_limit{1});
}

}  // namespace
}  // namespace freshet
