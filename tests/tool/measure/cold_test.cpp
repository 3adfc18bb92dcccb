// Files that must be out of memory: what proves it, and what is reported if the proof fails.
#include "tool/measure/cold.hpp"
#include "tool/base/place.hpp"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include <freshet/error.hpp>

#include "src/os/file.hpp"
#include "tests/support/fault_injection.hpp"
#include "tests/support/ordinary_user.hpp"
#include "tests/support/temporary_directory.hpp"
#include "tool/trial/gates.hpp"

namespace freshet::tool {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;

constexpr std::uint64_t size_of_file = 300'000;

fs::path make_file(const fs::path& path) {
  std::ofstream{path, std::ios::binary} << std::string(size_of_file, 'x');
  return path;
}

// Maps a page of a file, as another process may do.
class mapped_page {
 public:
  explicit mapped_page(const fs::path& path)
      : file_{::open(path.c_str(), O_RDONLY | O_CLOEXEC)},
        page_{::mmap(nullptr, 1, PROT_READ, MAP_SHARED | MAP_POPULATE, file_, 0)} {}
  mapped_page(const mapped_page&) = delete;
  mapped_page& operator=(const mapped_page&) = delete;
  ~mapped_page() {
    ::munmap(page_, 1);
    ::close(file_);
  }

 private:
  int file_;
  void* page_;
};

class cold : public testing::Test {
 protected:
  void SetUp() override {
    std::error_code failure;
    const detail::os::file_system place = detail::os::file_system_of(directory_.path(), failure);
    if (is_in_memory(place)) GTEST_SKIP() << why_never_cold(place);
  }
  // All of these tests but one call this, because dropping the caches slows down the whole machine.
  void may_not_drop_names() { faults_.fail_always(detail::os::call::write, std::errc::permission_denied); }

  test::temporary_directory directory_;
  test::fault_injection faults_;
};

TEST_F(cold, is_proven_and_says_what_it_may_not_do) {
  may_not_drop_names();
  std::vector<fs::path> files;
  for (const char* name : {"a", "b", "c"}) files.push_back(make_file(directory_ / name));
  EXPECT_EQ(bytes_in_cache(files[1]), size_of_file);
  const eviction result = evict(files);
  EXPECT_TRUE(result.proven);
  EXPECT_THAT(result.reasons, testing::IsEmpty());
  EXPECT_THAT(result.caveats, ElementsAre(testing::AllOf(HasSubstr("names and inodes"), HasSubstr("drop_caches"),
                                                         HasSubstr("enied"), HasSubstr("root"))));
  for (const fs::path& file : files) EXPECT_EQ(bytes_in_cache(file), 0U);
  EXPECT_EQ(faults_.count(detail::os::call::sync_file), 1U) << "once for the file system";
}

TEST_F(cold, names_what_stays_in_memory) {
  may_not_drop_names();
  const std::vector<fs::path> files = {make_file(directory_ / "a"), make_file(directory_ / "b")};
  const mapped_page page{files[1]};
  const eviction result = evict(files);
  EXPECT_FALSE(result.proven);
  EXPECT_THAT(result.reasons, ElementsAre(testing::AllOf(HasSubstr(files[1].string()), HasSubstr("still in memory"))));
  EXPECT_EQ(faults_.count(detail::os::call::write), 0U) << "in vain, other files are not to be evicted, either";
}

TEST_F(cold, names_some_of_many) {
  may_not_drop_names();
  std::vector<fs::path> files;
  std::vector<std::unique_ptr<mapped_page>> pages;
  for (const char* name : {"a", "b", "c", "d", "e"}) {
    files.push_back(make_file(directory_ / name));
    pages.push_back(std::make_unique<mapped_page>(files.back()));
  }
  const eviction result = evict(files);
  EXPECT_FALSE(result.proven);
  EXPECT_THAT(result.reasons, testing::SizeIs(4));
  EXPECT_EQ(result.reasons.back(), "and 2 more");
}

TEST_F(cold, cannot_be_proven_of_others_files) {
  if (::geteuid() != 0) GTEST_SKIP() << "every file here is one's own";
  may_not_drop_names();
  const std::vector<fs::path> files = {make_file(directory_ / "a")};
  fs::permissions(directory_.path(), fs::perms{0755});
  const test::ordinary_user stranger;
  const eviction result = evict(files);
  EXPECT_FALSE(result.proven);
  EXPECT_THAT(result.reasons, ElementsAre(HasSubstr("only its owner")));
  EXPECT_FALSE(visible_bytes_in_cache(files[0]));
  EXPECT_THROW(static_cast<void>(bytes_in_cache(files[0])), error);
}

TEST_F(cold, is_empty_where_there_is_no_file) {
  may_not_drop_names();
  EXPECT_TRUE(evict({}).proven);
}

TEST_F(cold, is_an_empty_file) {
  may_not_drop_names();
  const std::vector<fs::path> files = {directory_ / "empty"};
  std::ofstream{files.front()}.close();
  EXPECT_TRUE(evict(files).proven);
}

TEST_F(cold, fails_with_the_file_s_name) {
  may_not_drop_names();
  const std::vector<fs::path> files = {make_file(directory_ / "a"), directory_ / "missing"};
  try {
    static_cast<void>(evict(files));
    FAIL() << "one is missing";
  } catch (const error& failure) {
    EXPECT_EQ(failure.code(), std::errc::no_such_file_or_directory);
    EXPECT_EQ(failure.path(), files[1]);
  }
}

TEST_F(cold, fails_where_the_file_system_cannot_be_written_out) {
  may_not_drop_names();
  faults_.fail_always(detail::os::call::sync_file, std::errc::io_error);
  const std::vector<fs::path> files = {make_file(directory_ / "a")};
  EXPECT_THROW(static_cast<void>(evict(files)), error);
}

// It drops the caches of the whole machine, so it runs alone.
TEST_F(cold, has_no_caveat_where_this_user_may_drop_names) {
  if (::access("/proc/sys/vm/drop_caches", W_OK) != 0) GTEST_SKIP() << "only root may";
  const std::vector<fs::path> files = {make_file(directory_ / "a")};
  const eviction result = evict(files);
  EXPECT_TRUE(result.proven);
  EXPECT_THAT(result.caveats, testing::IsEmpty());
  EXPECT_EQ(faults_.count(detail::os::call::write), 1U);
}

TEST(cold_in_memory, is_nothing_ever) {
  if (::access("/dev/shm", W_OK) != 0) GTEST_SKIP() << "no /dev/shm that can be written to";
  const test::temporary_directory directory{"/dev/shm"};
  const std::vector<fs::path> files = {make_file(directory / "a"), make_file(directory / "b")};
  const eviction result = evict(files);
  EXPECT_FALSE(result.proven);
  EXPECT_THAT(result.reasons, ElementsAre(HasSubstr("has its files in memory"))) << "said once";
}

TEST_F(cold, and_warm_are_opposites) {
  const fs::path file = make_file(directory_ / "file");
  drop_pages(file);
  EXPECT_EQ(bytes_in_cache(file), 0U);
  read_into_cache(file);
  EXPECT_EQ(bytes_in_cache(file), size_of_file);
}

TEST_F(cold, files_are_read_once_where_nobody_is_told_what_is_in_memory) {
  const std::vector<fs::path> files = {make_file(directory_ / "a"), make_file(directory_ / "b")};
  faults_.fail_always(detail::os::call::status, std::errc::operation_not_supported);
  EXPECT_FALSE(warm_up(files));
  EXPECT_EQ(faults_.count(detail::os::call::read_at), 2 * 3U) << "two pieces of each, and its end";
  EXPECT_FALSE(visible_bytes_in_cache(files));
}

TEST_F(cold, files_of_which_this_user_is_not_told_are_not_warmed) {
  const std::vector<fs::path> files = {make_file(directory_ / "a")};
  faults_.fail_always(detail::os::call::status, std::errc::operation_not_permitted);
  EXPECT_THROW(static_cast<void>(warm_up(files)), error);
}

}  // namespace
}  // namespace freshet::tool
