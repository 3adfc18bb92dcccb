#include "tests/support/refused_call.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cerrno>
#include <string>

#include "tests/support/child.hpp"
#include "tests/support/temporary_directory.hpp"

namespace freshet::test {
namespace {

const system_call unnamed{SYS_openat, "openat(O_TMPFILE)", {{2, O_TMPFILE, O_TMPFILE}}};

TEST(refused_call, fails_with_the_error) {
  EXPECT_TRUE(true_in_child([] {
    return refuse_call({SYS_getppid, "getppid"}, ENOSYS) && ::syscall(SYS_getppid) == -1 && errno == ENOSYS &&
           ::getpid() > 0;
  }));
}

TEST(refused_call, is_one_use_of_it) {
  const temporary_directory directory;
  EXPECT_TRUE(true_in_child([&] {
    const std::string place = directory.path();
    const std::string file = directory / "file";
    return refuse_call(unnamed, EINVAL) && ::open(place.c_str(), O_TMPFILE | O_WRONLY, 0600) == -1 && errno == EINVAL &&
           ::open(file.c_str(), O_CREAT | O_WRONLY, 0600) >= 0 && ::open(place.c_str(), O_DIRECTORY) >= 0;
  }));
}

TEST(refused_call, is_a_use_by_two_arguments) {
  const system_call turned_direct{SYS_fcntl, "fcntl(F_SETFL, O_DIRECT)", {{1, ~0U, F_SETFL}, {2, O_DIRECT, O_DIRECT}}};
  const temporary_directory directory;
  EXPECT_TRUE(true_in_child([&] {
    const std::string file = directory / "file";
    const int opened = ::open(file.c_str(), O_CREAT | O_WRONLY, 0600);
    return refuse_call(turned_direct, EPERM) && ::fcntl(opened, F_SETFL, O_DIRECT) == -1 && errno == EPERM &&
           ::fcntl(opened, F_SETFL, O_APPEND) == 0 && ::fcntl(opened, F_GETFL) >= 0;
  }));
}

}  // namespace
}  // namespace freshet::test
