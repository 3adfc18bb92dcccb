// methods() offers what this system has: its answers are compared with the kernel's own, asked without freshet.
#include <freshet/methods.hpp>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <linux/aio_abi.h>
#include <linux/io_uring.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>

#include "src/os/queue_kinds.hpp"
#include "tests/support/fault_injection.hpp"
#include "tests/support/temporary_directory.hpp"
#include "tests/support/writing.hpp"

namespace freshet {
namespace {

bool kernel_offers_uring() {
  ::io_uring_params wanted{};
  const auto ring = static_cast<int>(::syscall(SYS_io_uring_setup, 1, &wanted));
  if (ring >= 0) ::close(ring);
  return ring >= 0;
}

bool kernel_offers_aio() {
  ::aio_context_t context = 0;
  if (::syscall(SYS_io_setup, 1, &context) != 0) return false;
  ::syscall(SYS_io_destroy, context);
  return true;
}

// A file that is removed again, opened with these flags.
class opened_file {
 public:
  opened_file(const std::filesystem::path& path, int flags)
      : path_{path}, descriptor_{::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | flags, 0600)} {}
  opened_file(const opened_file&) = delete;
  opened_file& operator=(const opened_file&) = delete;
  ~opened_file() {
    if (descriptor_ >= 0) ::close(descriptor_);
    ::unlink(path_.c_str());
  }
  [[nodiscard]] int descriptor() const { return descriptor_; }

 private:
  std::filesystem::path path_;
  int descriptor_;
};

bool takes_direct_writes(const std::filesystem::path& directory) {
  constexpr std::size_t page = 4096;
  const opened_file file{directory / "direct", O_DIRECT};
  const std::unique_ptr<void, decltype(&std::free)> memory{std::aligned_alloc(page, page), &std::free};
  std::fill_n(static_cast<char*>(memory.get()), page, 'x');
  return ::pwrite(file.descriptor(), memory.get(), page, 0) == static_cast<ssize_t>(page);
}

bool takes_uncached_writes(const std::filesystem::path& directory) {
  constexpr int dontcache = 0x80;  // RWF_DONTCACHE, which older headers do not name
  const opened_file file{directory / "uncached", 0};
  std::string text = "x";
  const ::iovec one{text.data(), text.size()};
  return ::syscall(SYS_pwritev2, file.descriptor(), &one, 1UL, 0L, 0L, dontcache) == 1;
}

class offered_methods : public testing::TestWithParam<const char*> {
 protected:
  void expect_offered(std::string_view method, bool is_there) {
    const std::string why_not = test::why_not(method, directory_.path());
    EXPECT_EQ(why_not.empty(), is_there) << method << " in " << directory_.path() << ": " << why_not;
  }

  test::temporary_directory directory_{std::string_view{GetParam()} == "disk" ? test::disk_place()
                                                                              : test::undisturbed_place()};
};

TEST_P(offered_methods, include_those_that_need_nothing) {
  for (const char* method : {"buffered", "writebehind", "aio", "mmap", "null"}) expect_offered(method, true);
}

TEST_P(offered_methods, include_direct_where_the_file_system_takes_it) {
  expect_offered("direct", takes_direct_writes(directory_.path()));
}

TEST_P(offered_methods, include_dontcache_where_kernel_and_file_system_take_it) {
  expect_offered("dontcache", takes_uncached_writes(directory_.path()));
}

TEST_P(offered_methods, include_io_uring_where_the_kernel_has_it) {
  if (!detail::os::has_uring()) GTEST_SKIP() << "built without liburing";
  expect_offered("uring-buffered", kernel_offers_uring());
  expect_offered("uring", kernel_offers_uring() && takes_direct_writes(directory_.path()));
}

TEST_P(offered_methods, include_libaio_where_the_kernel_has_it) {
  if (!detail::os::has_libaio()) GTEST_SKIP() << "built without libaio";
  expect_offered("libaio", kernel_offers_aio() && takes_direct_writes(directory_.path()));
}

// 0: everybody may use io_uring, 1: only privileged users, 2: nobody.
TEST_P(offered_methods, follow_what_the_administrator_allows) {
  const std::filesystem::path setting = "/proc/sys/kernel/io_uring_disabled";
  int disabled = -1;
  std::ifstream{setting} >> disabled;
  if (disabled != 0 && disabled != 2) GTEST_SKIP() << setting << " does not decide for this user";
  if (!detail::os::has_uring()) GTEST_SKIP() << "built without liburing";
  if (disabled == 0 && !kernel_offers_uring()) GTEST_SKIP() << "io_uring is refused by other means than " << setting;
  expect_offered("uring-buffered", disabled == 0);
}

// In a process that has already found out, there is no fault to forget.
TEST_P(offered_methods, include_io_uring_after_a_passing_shortage) {
  if (!detail::os::has_uring()) GTEST_SKIP() << "built without liburing";
  for (const std::errc passing : {std::errc::too_many_files_open, std::errc::too_many_files_open_in_system,
                                  std::errc::not_enough_memory, std::errc::resource_unavailable_try_again}) {
    test::fault_injection faults;
    faults.fail_always(detail::os::call::queue_setup, passing);
    static_cast<void>(test::why_not("uring-buffered", directory_.path()));
  }
  expect_offered("uring-buffered", kernel_offers_uring());
}

INSTANTIATE_TEST_SUITE_P(all, offered_methods, testing::Values("disk", "memory"),
                         [](const auto& which) { return std::string{which.param}; });

}  // namespace
}  // namespace freshet
