// Files that reach the limit of files' sizes (RLIMIT_FSIZE): every method tells of it, and keeps the bytes up to it.
#include <freshet/writer.hpp>

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>

#include <cstdint>
#include <filesystem>
#include <string>
#include <system_error>

#include "tests/support/child.hpp"
#include "tests/support/confined.hpp"
#include "tests/support/file_content.hpp"
#include "tests/support/known_bytes.hpp"
#include "tests/support/temporary_directory.hpp"
#include "tests/support/writing.hpp"

namespace freshet {
namespace {

// What comes of 5 MB that are written in pieces.
std::error_code error_of_writing(const std::filesystem::path& path, const writer_options& options) {
  constexpr std::size_t piece = 1'000'000;
  std::error_code failure;
  writer out{path, options, failure};
  for (std::size_t from = 0; from < 5 * piece && !failure; from += piece)
    out.write(test::bytes_from(from, piece), failure);
  if (!failure) out.close(failure);
  return failure;
}

class size_limit : public testing::TestWithParam<test::way> {
 protected:
  void SetUp() override {
    // A process that has used POSIX aio has children that cannot.
    const auto answer = test::ask_confined([&] { return test::why_not(GetParam().method, directory_.path()); }, [] {});
    if (!answer.why_not.empty()) GTEST_SKIP() << answer.why_not;
  }

  test::temporary_directory directory_ = test::directory_for(GetParam().method);
  std::filesystem::path path_ = directory_ / "file";
};

TEST_P(size_limit, is_told_and_the_bytes_up_to_it_are_kept) {
  for (const std::uint64_t limit : {3'000'001U, 3'145'728U, 4'095U, 70'000U}) {
    for (const std::size_t block : {std::size_t{0}, std::size_t{64} << 10}) {
      SCOPED_TRACE(testing::Message() << "limit " << limit << ", block " << block);
      EXPECT_TRUE(test::true_in_child([&] {
        ::signal(SIGXFSZ, SIG_IGN);
        const rlimit of_files{limit, limit};
        return ::setrlimit(RLIMIT_FSIZE, &of_files) == 0 &&
               error_of_writing(path_, GetParam().options(block, 2)) == std::errc::file_too_large;
      }));
      const std::string content = test::content_of(path_);
      EXPECT_EQ(test::first_difference(content), content.size());
      if (GetParam().ordered) {
        EXPECT_EQ(content.size(), limit);
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(all, size_limit, testing::ValuesIn(test::all_ways()),
                         [](const auto& instance) { return instance.param.name(); });

}  // namespace
}  // namespace freshet
