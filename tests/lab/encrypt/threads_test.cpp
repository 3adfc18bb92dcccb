// Several threads at the same time with every strategy, on so little data that the thread sanitizer can run it.
#include <gtest/gtest.h>

#include <atomic>
#include <filesystem>
#include <functional>
#include <string>

#include "lab/encrypt/encryption.hpp"
#include "tests/lab/encrypt/encrypt_files.hpp"
#include "tests/support/temporary_directory.hpp"

namespace freshet::tool {
namespace {

namespace fs = std::filesystem;
using test::files_in;
using test::fill;

class encrypt_threads : public testing::TestWithParam<strategy> {
 protected:
  encrypt_threads() {
    fs::create_directory(in_);
    for (unsigned number = 0; number < 40; ++number) {
      std::string text;
      for (unsigned line = 0; line < number * 10; ++line) text += std::string(line % 200, 'x') + "\n";
      fill(in_ / std::to_string(number), text);
    }
  }

  fs::path encrypt_all(const std::string& name, const encryption_plan& plan) {
    const fs::path to = directory_ / name;
    fs::create_directory(to);
    encryption_progress progress;
    const auto files = list_input(in_);
    encrypt({in_, to, files, plan}, progress);
    return to;
  }

  test::temporary_directory directory_;
  fs::path in_ = directory_ / "in";
};

TEST_P(encrypt_threads, make_the_same_bytes_as_one_thread) {
  const cipher_plan cipher{.cipher = cipher_kind::aes, .work = 2};
  const auto expected = files_in(encrypt_all("one", {.cipher = cipher, .how = strategy::streaming}));
  for (const stream_kind streams : {stream_kind::std, stream_kind::freshet}) {
    const std::string name = streams == stream_kind::std ? "std" : "freshet";
    const encryption_plan plan{.cipher = cipher, .how = GetParam(), .threads = 4, .streams = streams};
    EXPECT_TRUE(files_in(encrypt_all(name, plan)) == expected) << name;
  }
}

TEST_P(encrypt_threads, can_be_measured_before_they_end) {
  const fs::path to = directory_ / "out";
  fs::create_directory(to);
  const auto files = list_input(in_);
  std::atomic<unsigned> threads{0};
  encryption_job job{in_, to, files, {.how = GetParam(), .threads = 3}};
  job.around_thread = [&](const std::function<void()>& work) {
    work();
    ++threads;
  };
  encryption_progress progress;
  encrypt(job, progress);
  if (GetParam() == strategy::streaming || GetParam() == strategy::buffering) {
    EXPECT_EQ(threads, 3U);
  }
  EXPECT_EQ(progress.files, 40U);
}

TEST_P(encrypt_threads, stop_when_one_of_them_fails) {
  fill(in_ / "39", "no Base64");
  const cipher_plan cipher{.decrypt = true};
  EXPECT_ANY_THROW(encrypt_all("out", {.cipher = cipher, .how = GetParam(), .threads = 4}));
  EXPECT_FALSE(test::has_leftovers(directory_ / "out"));
}

INSTANTIATE_TEST_SUITE_P(all, encrypt_threads,
                         testing::Values(strategy::streaming, strategy::buffering, strategy::pipelined,
                                         strategy::async));

}  // namespace
}  // namespace freshet::tool
