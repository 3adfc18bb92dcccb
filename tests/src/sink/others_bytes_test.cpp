// What another process appends to a file that is being written, and what a failed write leaves of it.
#include <freshet/stream.hpp>
#include <freshet/writer.hpp>

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include "tests/support/fault_injection.hpp"
#include "tests/support/file_content.hpp"
#include "tests/support/temporary_directory.hpp"
#include "tests/support/writing.hpp"

namespace freshet {
namespace {

using detail::os::call;

constexpr std::size_t before = 1'000;

class others_bytes : public testing::TestWithParam<std::string_view> {
 protected:
  void SetUp() override {
    if (const auto reason = test::why_not(GetParam(), directory_.path()); !reason.empty()) GTEST_SKIP() << reason;
  }

  // Returns the content after a write failed behind which another process had appended `length` bytes.
  [[nodiscard]] std::string left_behind(std::size_t length) {
    writer out{path_, {.method = GetParam()}};
    out.write(test::bytes_from(0, before));
    out.flush();
    std::ofstream{path_, std::ios::app | std::ios::binary} << std::string(length, 'o');
    test::fault_injection faults;
    for (const call each : {call::write, call::write_at, call::write_dontcache, call::submit_write})
      faults.fail_always(each, std::errc::io_error);
    std::error_code failure;
    out.write(test::bytes_from(before, 100'000), failure);
    if (!failure) out.flush(failure);
    EXPECT_EQ(failure, std::errc::io_error);
    out.close(failure);
    EXPECT_EQ(out.written_bytes(), before);
    return test::content_of(path_);
  }

  test::temporary_directory directory_ = test::directory_for(GetParam());
  std::filesystem::path path_ = directory_ / "file";
};

TEST_P(others_bytes, stay_where_they_end_behind_all_of_the_file) {
  constexpr std::size_t theirs = 8'000'000;
  EXPECT_TRUE(left_behind(theirs) == test::bytes_from(0, before) + std::string(theirs, 'o'));
}

INSTANTIATE_TEST_SUITE_P(all, others_bytes, testing::ValuesIn([] {
                           std::vector<std::string_view> methods;
                           for (const test::way& each : test::ordered_ways) methods.push_back(each.method);
                           return methods;
                         }()),
                         [](const auto& which) { return test::way{which.param}.name(); });

// The standard's streams never cut a file.
TEST(others_bytes_of_streams, stay_after_a_failed_write) {
  const test::temporary_directory directory;
  ofstream out{directory / "file"};
  out << test::bytes_from(0, before) << std::flush;
  std::ofstream{directory / "file", std::ios::app | std::ios::binary} << std::string(50'000, 'o');
  {
    test::fault_injection faults;
    for (const call each : {call::write, call::write_at}) faults.fail_always(each, std::errc::io_error);
    out << test::bytes_from(before, 100'000) << std::flush;
  }
  EXPECT_FALSE(out);
  out.close();
  EXPECT_TRUE(test::content_of(directory / "file") == test::bytes_from(0, before) + std::string(50'000, 'o'));
}

}  // namespace
}  // namespace freshet
