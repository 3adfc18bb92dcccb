// If the kernel lacks resources for a moment, freshet waits; if it lacks them for longer, it does without them.
#include <freshet/reader.hpp>
#include <freshet/writer.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <tuple>

#include "tests/support/fault_injection.hpp"
#include "tests/support/temporary_directory.hpp"
#include "tests/support/writing.hpp"

namespace freshet {
namespace {

using detail::os::call;
using test::fault_injection;

class shortages : public testing::TestWithParam<std::tuple<std::string, std::errc>> {
 protected:
  void SetUp() override {
    const auto method = std::get<0>(GetParam());
    if (const auto reason = test::why_not(method, directory_.path()); !reason.empty()) GTEST_SKIP() << reason;
    options_ = {.method = method_, .block = block, .depth = 4, .ordered = false};
  }
  void expect_written(fault_injection& faults, std::string_view method) {
    writer out{path_, options_};
    // At an odd address, so that the bytes go through blocks: aligned ones would be submitted as one.
    out.write(std::string_view{bytes_}.substr(1));
    out.flush();
    EXPECT_EQ(out.method(), method);
    out.close();
    test::expect_prefix(path_, length);
    EXPECT_GT(faults.count(call::submit), 1U);
  }

  static constexpr std::size_t block = 65'536, length = 16 * block + 17;
  const test::temporary_directory directory_ = test::directory_for(std::get<0>(GetParam()));
  const std::filesystem::path path_ = directory_ / "file";
  const std::string method_ = std::get<0>(GetParam());
  const std::errc shortage_ = std::get<1>(GetParam());
  const std::string bytes_ = '?' + test::bytes_from(0, length);
  writer_options options_;
};

TEST_P(shortages, that_end_are_waited_for_when_writing) {
  for (const std::uint64_t first : {1U, 2U, 9U}) {
    fault_injection faults;
    faults.fail(call::submit, first, first + 2, shortage_);
    expect_written(faults, method_);
  }
}

TEST_P(shortages, that_stay_end_the_use_of_the_queue_and_not_the_file) {
  for (const std::uint64_t first : {1U, 5U}) {
    fault_injection faults;
    faults.fail(call::submit, first, test::fault::ever, shortage_);
    expect_written(faults, method_ == "aio" || method_ == "uring-buffered" ? "buffered" : "direct");
  }
}

TEST_P(shortages, of_a_wait_are_waited_for) {
  fault_injection faults;
  faults.fail(call::wait, 2, 4, shortage_);
  expect_written(faults, method_);
}

TEST_P(shortages, of_one_transfer_do_not_fail_the_file) {
  fault_injection faults;
  faults.fail(call::submit_write, 3, shortage_);
  expect_written(faults, method_);
}

INSTANTIATE_TEST_SUITE_P(all, shortages,
                         testing::Combine(testing::Values("uring", "uring-buffered", "libaio", "aio"),
                                          testing::Values(std::errc::resource_unavailable_try_again,
                                                          std::errc::not_enough_memory)),
                         [](const auto& which) {
                           auto name =
                               std::get<0>(which.param) +
                               (std::get<1>(which.param) == std::errc::not_enough_memory ? "_ENOMEM" : "_EAGAIN");
                           std::ranges::replace(name, '-', '_');
                           return name;
                         });

TEST(shortages_of_reading, are_waited_for) {
  const auto directory = test::directory_for("uring");
  if (const auto reason = test::why_not("uring", directory.path()); !reason.empty()) GTEST_SKIP() << reason;
  const std::string expected = test::bytes_from(0, 1 << 20);
  writer{directory / "file"}.write(expected);
  for (const auto shortage : {std::errc::resource_unavailable_try_again, std::errc::not_enough_memory})
    for (const auto kind : {call::submit, call::wait, call::submit_read}) {
      fault_injection faults;
      faults.fail(kind, 2, 4, shortage);
      reader in{directory / "file", {.method = "uring", .block = 65'536, .depth = 4}};
      std::string content(expected.size() + 1, '\0');
      content.resize(in.read(content));
      EXPECT_EQ(content, expected) << static_cast<int>(kind);
    }
}

}  // namespace
}  // namespace freshet
