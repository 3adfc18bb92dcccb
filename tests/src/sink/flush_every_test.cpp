// A bound on what a killed program loses.
#include <freshet/stream.hpp>
#include <freshet/writer.hpp>

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <sstream>
#include <string>

#include "tests/support/file_content.hpp"
#include "tests/support/filters.hpp"
#include "tests/support/temporary_directory.hpp"
#include "tests/support/writing.hpp"

namespace freshet {
namespace {

constexpr std::size_t bound = 8192;

class flush_every : public testing::TestWithParam<std::string_view> {
 protected:
  void SetUp() override {
    if (const auto reason = test::why_not(GetParam(), directory_.path()); GetParam() != "auto" && !reason.empty())
      GTEST_SKIP() << reason;
  }
  [[nodiscard]] writer_options options() const { return {.method = GetParam(), .flush_every = bound}; }

  // Lets a child run `write` until it kills itself; returns the size of its file then.
  template <typename Write>
  [[nodiscard]] std::uint64_t size_when_killed(Write write) const {
    const pid_t child = ::fork();
    if (child == 0) {
      write();
      ::raise(SIGKILL);
    }
    int status = 0;
    EXPECT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFSIGNALED(status));
    return std::filesystem::file_size(path_);
  }

  test::temporary_directory directory_ = test::directory_for(GetParam());
  std::filesystem::path path_ = directory_ / "file";
};

TEST_P(flush_every, a_killed_program_loses_no_more) {
  for (const std::size_t record : {1U, 77U, 5000U, 300'000U}) {
    const std::string plain = test::bytes_from(0, std::max<std::size_t>(record * 3, 100'000) / record * record);
    const auto by_writer = size_when_killed([&] {
      writer out{path_, options()};
      for (std::size_t i = 0; i < plain.size(); i += record) out.write(std::string_view{plain}.substr(i, record));
    });
    EXPECT_GT(by_writer + bound, plain.size()) << record;
    test::expect_prefix(path_, by_writer);
    const auto by_stream = size_when_killed([&] {
      ofstream out{path_, options()};
      for (std::size_t i = 0; i < plain.size(); i += record) out << std::string_view{plain}.substr(i, record);
    });
    EXPECT_GT(by_stream + bound, plain.size()) << record;
    test::expect_prefix(path_, by_stream);
  }
}

INSTANTIATE_TEST_SUITE_P(all, flush_every, testing::Values("auto", "buffered", "direct", "uring"),
                         [](const auto& which) { return std::string{which.param}; });

TEST(flush_every_by_filter, what_closed_reads_back) {
  const test::temporary_directory directory;
  const std::string plain = test::bytes_from(0, 500'000);
  for (const test::filters each :
       {test::filters{.checksum = true}, test::filters{.compression = true}, test::filters{.encryption = true},
        test::filters{.checksum = true, .compression = true, .encryption = true}}) {
    SCOPED_TRACE(testing::Message() << each);
    writer out{directory / "file", each.apply({.flush_every = bound})};
    for (std::size_t i = 0; i < plain.size(); i += 500) out.write(std::string_view{plain}.substr(i, 500));
    if (each.change_bytes()) {
      EXPECT_GT(out.written_bytes(), 0U);
    }
    out.write(plain);
    out.close();
    EXPECT_TRUE(each.content_of(directory / "file", out.checksum()) == plain + plain);
  }
}

}  // namespace
}  // namespace freshet
