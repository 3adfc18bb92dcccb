// Each difference from std's file streams that doc/reference/differences.md lists, beside what std does.
#include <freshet/stream.hpp>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <csignal>
#include <fstream>
#include <string>
#include <utility>

#include "tests/support/fault_injection.hpp"
#include "tests/support/temporary_directory.hpp"
#include "tests/support/writing.hpp"

namespace freshet {
namespace {

using std::ios_base;

class differences : public testing::Test {
 protected:
  test::temporary_directory directory_;
  const std::filesystem::path path_ = directory_ / "file";
};

TEST_F(differences, a_failed_write_stays_reported) {
  test::fault_injection faults;
  faults.fail(detail::os::call::write, 1, std::errc::no_space_on_device);
  ofstream out{path_};
  out << "lost" << std::flush;
  EXPECT_TRUE(out.bad());
  out.clear();
  out << "more" << std::flush;
  EXPECT_TRUE(out.bad()) << "bytes are missing before these";
  out.clear();
  out.close();
  EXPECT_TRUE(out.fail());
}

TEST_F(differences, setbuf_chooses_no_buffer) {
  char memory[16];
  ofstream out{path_};
  out.rdbuf()->pubsetbuf(memory, sizeof memory);
  out << std::string(100, 'x');
  EXPECT_EQ(test::content_of(path_), "") << "a buffer of 16 characters would have been written";
}

TEST_F(differences, assigning_a_stream_to_itself_keeps_its_file_open) {
  std::ofstream standard{path_};
  auto& same_standard = standard;
  standard = std::move(same_standard);
  EXPECT_FALSE(standard.is_open());
  ofstream out{path_};
  auto& same = out;
  out = std::move(same);
  EXPECT_TRUE(out.is_open());
  out << "kept";
  out.close();
  EXPECT_EQ(test::content_of(path_), "kept");
}

TEST_F(differences, programs_that_are_started_do_not_inherit_the_file) {
  const int next = ::dup(STDIN_FILENO);
  ::close(next);
  const std::ofstream standard{path_};
  EXPECT_EQ(::fcntl(next, F_GETFD), 0);
  const ofstream out{path_};
  const ifstream in{path_};
  const fstream both{path_};
  for (const int descriptor : {out.native_handle(), in.native_handle(), both.native_handle()})
    EXPECT_EQ(::fcntl(descriptor, F_GETFD), FD_CLOEXEC);
}

TEST_F(differences, a_directory_has_no_end_to_seek_to) {
  std::ifstream standard{directory_.path()};
  ifstream in{directory_.path()};
  EXPECT_TRUE(standard.is_open() && in.is_open());
  in.seekg(0, ios_base::end);
  EXPECT_LE(in.tellg(), std::streampos{0}) << "std has what lseek() says: the largest number, for one";
  EXPECT_EQ(in.get(), std::char_traits<char>::eof());
  EXPECT_TRUE(in.fail());
}

// std::ofstream writes 8 KiB at a time, freshet more.
TEST_F(differences, a_limit_shows_when_a_block_is_written) {
  std::signal(SIGXFSZ, SIG_IGN);
  rlimit before{};
  ::getrlimit(RLIMIT_FSIZE, &before);
  rlimit limit = before;
  limit.rlim_cur = 4096;
  ::setrlimit(RLIMIT_FSIZE, &limit);
  ofstream out{path_};
  out << std::string(20'000, 'x');
  EXPECT_TRUE(out.good());
  out.close();
  EXPECT_TRUE(out.fail());
  ASSERT_TRUE(out.last_error());
  EXPECT_EQ(out.last_error()->code(), std::errc::file_too_large);
  ::setrlimit(RLIMIT_FSIZE, &before);
}

}  // namespace
}  // namespace freshet
