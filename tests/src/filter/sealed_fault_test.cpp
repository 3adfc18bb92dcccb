// Encrypted files whose system calls fail, whose process forks, and how much memory they take.
#include <freshet/encryption.hpp>
#include <freshet/reader.hpp>
#include <freshet/writer.hpp>

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <string>
#include <tuple>
#include <vector>

#include "src/base/pool.hpp"
#include "tests/support/fault_injection.hpp"
#include "tests/support/reading.hpp"
#include "tests/support/sealed_bytes.hpp"
#include "tests/support/soak.hpp"
#include "tests/support/temporary_directory.hpp"

namespace freshet {
namespace {

using detail::os::call;
using test::fault_injection;

constexpr std::size_t length = 1'000'001;

class encrypted_fault : public testing::TestWithParam<test::way> {
 protected:
  void SetUp() override {
    if (const auto reason = test::why_not(GetParam().method, directory_.path()); !reason.empty())
      GTEST_SKIP() << GetParam().method << ": " << reason;
  }

  // Writes all, flushed now and then; returns the first error that a call reported.
  [[nodiscard]] std::error_code write(writer_options options) {
    options.key = &key_;
    std::error_code reported;
    const auto note = [&](const std::error_code& failure) {
      if (!reported) reported = failure;
      EXPECT_EQ(failure, reported) << "the first error did not stick";
    };
    std::error_code failure;
    writer out{path_, options, failure};
    if (failure) return failure;
    for (std::size_t at = 0; at < length; at += 50'000) {
      out.write(std::string_view{plain_}.substr(at, 50'000), failure);
      note(failure);
      if (at % 300'000 == 0) out.flush(failure);
      note(failure);
    }
    out.close(failure);
    note(failure);
    return reported;
  }

  // What is in the file is a prefix of what was written, and complete only if all calls succeeded.
  void check(bool complete) {
    const std::string stored = test::content_of(path_);
    const auto read = test::unseal(stored, key_, stored.size() + 1);
    EXPECT_EQ(read.plain, plain_.substr(0, read.plain.size()));
    EXPECT_EQ(!read.failure, read.plain.size() == length) << read.message;
    EXPECT_TRUE(!complete || !read.failure);
  }

  std::string plain_ = test::bytes_from(0, length);
  encryption_key key_ = test::key_of(5);
  test::temporary_directory directory_ = test::directory_for(GetParam().method);
  std::filesystem::path path_ = directory_ / "file";
};

TEST_P(encrypted_fault, failures_are_reported_and_leave_whole_chunks) {
  const auto options = GetParam().options();
  ASSERT_FALSE(write(options));
  check(true);
  std::vector<std::pair<call, std::uint64_t>> points;
  {
    const fault_injection faults;
    ASSERT_FALSE(write(options));
    for (const call kind : {call::open, call::write, call::write_at, call::submit_write, call::set_size, call::close})
      for (const std::uint64_t n : test::numbers_to(faults.count(kind))) points.emplace_back(kind, n);
  }
  for (const auto& [kind, n] : test::sample(points, 15)) {
    SCOPED_TRACE("call kind " + std::to_string(static_cast<int>(kind)) + ", number " + std::to_string(n));
    std::filesystem::remove(path_);
    std::error_code reported;
    {
      fault_injection faults;
      faults.fail(kind, n, test::fault::ever, std::errc::no_space_on_device);
      reported = write(options);
      // A method that changes at random makes other calls each time.
      if (faults.count(kind) < n) continue;
    }
    if (kind == call::write || kind == call::write_at || kind == call::open) {
      EXPECT_EQ(reported, std::errc::no_space_on_device);
    }
    if (kind != call::open) check(!reported);
  }
}

TEST_P(encrypted_fault, hidden_ones_do_not_appear_after_a_failure) {
  auto options = GetParam().options();
  options.hidden_until_closed = true;
  for (const call kind : {call::write, call::write_at, call::submit_write}) {
    fault_injection faults;
    faults.fail_always(kind, std::errc::io_error);
    if (!write(options)) {
      EXPECT_EQ(faults.count(kind), 0U);
      std::filesystem::remove(path_);
    }
    EXPECT_EQ(test::entries_in(directory_.path()), 0U);
  }
}

TEST_P(encrypted_fault, interrupted_and_short_writes_are_completed) {
  fault_injection faults{test::sample_seed()};
  const std::size_t unit = detail::find_method(GetParam().method)->direct ? 4096 : 1;
  for (const call kind : {call::write, call::write_at, call::write_dontcache})
    faults.shorten_sometimes(kind, 0.5, unit), faults.fail_sometimes(kind, 0.3, std::errc::interrupted);
  EXPECT_FALSE(write(GetParam().options()));
  check(true);
}

INSTANTIATE_TEST_SUITE_P(all, encrypted_fault, testing::ValuesIn(test::ordered_ways),
                         [](const auto& each) { return each.param.name(); });

class encrypted_process : public testing::Test {
 protected:
  test::temporary_directory directory_;
  std::filesystem::path path_ = directory_ / "file";
  encryption_key key_ = test::key_of(5);
};

TEST_F(encrypted_process, failed_reads_are_reported) {
  test::write_closed(path_, test::bytes_from(0, 500'000), {.key = &key_});
  for (const std::uint64_t n : {1U, 2U, 3U}) {
    fault_injection faults;
    for (const call kind : {call::read, call::read_at}) faults.fail(kind, n, test::fault::ever, std::errc::io_error);
    try {
      reader in{path_, {.method = "buffered", .block = 64 << 10, .key = &key_}};
      std::string read(500'001, '\0');
      std::ignore = in.read(read);
      EXPECT_GT(n, faults.count(call::read) + faults.count(call::read_at));
    } catch (const error& failed) {
      EXPECT_EQ(failed.code(), std::errc::io_error) << failed.what();
      EXPECT_EQ(failed.path(), path_);
    }
  }
}

// Its chunks would have the nonces of the parent's.
TEST_F(encrypted_process, a_child_of_a_fork_cannot_go_on) {
  writer out{path_, {.key = &key_}};
  out.write("one");
  out.flush();
  const pid_t child = ::fork();
  if (child == 0) {
    std::error_code failure;
    out.write("two", failure);
    out.flush(failure);
    ::_exit(failure == std::errc::owner_dead ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  out.write("three");
  out.close();
  reader in{path_, {.key = &key_}};
  EXPECT_EQ(test::text_of(in.view(20)), "onethree");
}

// A block of the method, and a segment.
TEST_F(encrypted_process, memory_does_not_grow_with_the_file) {
  constexpr std::size_t block = 64 << 10;
  const std::size_t before = detail::pool::in_use();
  const std::size_t most = before + block + detail::default_segment;
  const std::string piece = test::bytes_from(0, 300'000);
  writer out{path_, {.method = "buffered", .block = block, .key = &key_}};
  for (int i = 0; i < 50; ++i) {
    out.write(piece);
    ASSERT_LE(detail::pool::in_use(), most);
  }
  out.close();
  reader in{path_, {.method = "buffered", .block = block, .key = &key_}};
  for (auto bytes = in.available(); !bytes.empty(); bytes = in.available()) {
    ASSERT_LE(bytes.size(), detail::default_segment);
    ASSERT_LE(detail::pool::in_use(), before + block);
    in.advance(bytes.size());
  }
  EXPECT_EQ(in.tell(), 50 * piece.size());
}

}  // namespace
}  // namespace freshet
