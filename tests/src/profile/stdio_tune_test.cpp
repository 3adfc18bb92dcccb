// Tests freshet::stdio_tune.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <malloc.h>
#include <stdio_ext.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>

#include <freshet/error.hpp>
#include <freshet/stdio.hpp>

#include "src/os/file.hpp"
#include "src/profile/profile_lookup.hpp"
#include "tests/support/profile_sample.hpp"

namespace freshet {
namespace {

using namespace test;

constexpr std::size_t KiB = 1024;

struct close_stream {
  void operator()(std::FILE* stream) const noexcept { std::fclose(stream); }
};
using stream = std::unique_ptr<std::FILE, close_stream>;

/// A file in a directory whose profile is in FRESHET_PROFILE and is empty at first.
class stdio_tuning : public profile_file {
 protected:
  stdio_tuning() { detail::forget_profiles(); }
  ~stdio_tuning() override { detail::forget_profiles(); }

  std::filesystem::path data() const { return directory() / "data"; }
  stream open(const char* mode) const { return stream{std::fopen(data().c_str(), mode)}; }
  void save_blocks(std::size_t write_block, std::size_t read_block) const {
    std::error_code failure;
    file_system_profile entry = sample(detail::os::file_system_of(directory(), failure).key);
    entry.winners[none]->block = write_block;
    entry.warm = read_settings{.block = read_block};
    save_profile(path(), entry);
    detail::forget_profiles();
  }

 private:
  environment_variable profile_{"FRESHET_PROFILE", path().string()};
};

void put_bytes(std::FILE* file, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) ASSERT_EQ(std::putc('x', file), 'x');
}

TEST_F(stdio_tuning, gives_a_buffer_that_is_filled_completely) {
  const stream file = open("wb");
  EXPECT_EQ(stdio_tune(file.get()), 256 * KiB);
  put_bytes(file.get(), 256 * KiB);
  EXPECT_EQ(std::filesystem::file_size(data()), 0U);
  put_bytes(file.get(), 1);
  EXPECT_EQ(std::filesystem::file_size(data()), 256 * KiB);
}

TEST_F(stdio_tuning, applies_the_profile_of_each_direction) {
  save_blocks(512 * KiB, 64 * KiB);
  put_text(data(), std::string(300 * KiB, 'x'));
  const stream in = open("rb");
  EXPECT_EQ(stdio_tune(in.get()), 64 * KiB);
  EXPECT_EQ(std::getc(in.get()), 'x');
  EXPECT_EQ(::lseek(fileno(in.get()), 0, SEEK_CUR), 64 * KiB);
  EXPECT_EQ(stdio_tune(open("ab").get()), 512 * KiB);
  EXPECT_EQ(stdio_tune(open("r+b").get()), 512 * KiB);
  save_blocks(64 * KiB * KiB, 0);
  EXPECT_EQ(stdio_tune(open("wb").get()), 1024 * KiB);
  EXPECT_EQ(stdio_tune(open("rb").get()), 256 * KiB);
}

TEST_F(stdio_tuning, turns_off_locking) {
  const stream file = open("wb");
  stdio_tune(file.get());
  EXPECT_EQ(__fsetlocking(file.get(), FSETLOCKING_QUERY), FSETLOCKING_BYCALLER);
}

std::size_t allocated() {
  const struct mallinfo2 now = mallinfo2();
  return now.uordblks + now.hblkhd;
}

// Under the address sanitizer nothing is counted here; the sanitizer itself finds leaks and double frees.
TEST_F(stdio_tuning, frees_the_buffer_with_the_stream) {
  const std::size_t before = allocated();
  for (int i = 0; i < 50; ++i) {
    const stream file = open("wb");
    stdio_tune(file.get());
    put_bytes(file.get(), 1);
  }
  EXPECT_LT(allocated(), before + 256 * KiB);
  EXPECT_EQ(text_of(data()), "x");
}

TEST_F(stdio_tuning, keeps_the_buffer_until_the_process_ends) {
  EXPECT_EXIT(
      {
        std::FILE* const file = std::fopen(data().c_str(), "wb");
        stdio_tune(file);
        std::fputs("at the end", file);
        std::exit(0);
      },
      testing::ExitedWithCode(0), "");
  EXPECT_EQ(text_of(data()), "at the end");
}

TEST_F(stdio_tuning, works_again_after_freopen) {
  const stream file = open("wb");
  stdio_tune(file.get());
  std::fputs("first", file.get());
  ASSERT_NE(std::freopen((directory() / "second").c_str(), "wb", file.get()), nullptr);
  EXPECT_EQ(stdio_tune(file.get()), 256 * KiB);
  EXPECT_EQ(text_of(data()), "first");
}

TEST_F(stdio_tuning, keeps_the_buffers_of_devices_and_memory_streams) {
  const stream null{std::fopen("/dev/null", "wb")};
  EXPECT_EQ(stdio_tune(null.get()), 0U);
  char memory[16] = {};
  const stream inside{fmemopen(memory, sizeof memory, "w")};
  EXPECT_EQ(stdio_tune(inside.get()), 0U);
  EXPECT_EQ(__fsetlocking(inside.get(), FSETLOCKING_QUERY), FSETLOCKING_BYCALLER);
  std::fputs("word", inside.get());
  std::fflush(inside.get());
  EXPECT_STREQ(memory, "word");
}

TEST_F(stdio_tuning, works_on_a_pipe) {
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  stream in{fdopen(ends[0], "r")};
  stream out{fdopen(ends[1], "w")};
  EXPECT_EQ(stdio_tune(in.get()), 256 * KiB);
  EXPECT_EQ(stdio_tune(out.get()), 256 * KiB);
  std::fputs("through", out.get());
  out.reset();
  char text[16] = {};
  EXPECT_EQ(std::fread(text, 1, sizeof text, in.get()), 7U);
  EXPECT_STREQ(text, "through");
}

TEST_F(stdio_tuning, error_names_the_descriptor_that_is_not_open) {
  const stream file = open("wb");
  const int descriptor = fileno(file.get());
  const int copy = ::dup(descriptor);
  ::close(descriptor);
  std::error_code failure;
  EXPECT_EQ(stdio_tune(file.get(), failure), 0U);
  EXPECT_EQ(failure, std::errc::bad_file_descriptor);
  try {
    stdio_tune(file.get());
    ADD_FAILURE() << "nothing was thrown";
  } catch (const error& caught) {
    EXPECT_THAT(caught.what(),
                testing::HasSubstr("tune: Bad file descriptor (descriptor " + std::to_string(descriptor)));
  }
  ::dup2(copy, descriptor);
  ::close(copy);
  stdio_tune(file.get(), failure);
  EXPECT_FALSE(failure);
}

}  // namespace
}  // namespace freshet
