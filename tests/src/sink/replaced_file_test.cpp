// What a hidden file takes from the file that it replaces, symbolic links, and files that are given up.
#include <freshet/stream.hpp>
#include <freshet/writer.hpp>

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <array>
#include <cstdint>
#include <fstream>
#include <string>

#include "tests/support/confined.hpp"
#include "tests/support/fault_injection.hpp"
#include "tests/support/temporary_directory.hpp"
#include "tests/support/writing.hpp"

namespace freshet {
namespace {

using detail::os::call;
using test::fault_injection;

/// Everything of a file but its bytes and times.
struct attributes {
  mode_t mode = 0;
  uid_t user = 0;
  gid_t group = 0;
  std::string own;          // "user.colour"
  std::string access_list;  // in the kernel's form
  bool operator==(const attributes&) const = default;
};

std::string attribute(const std::filesystem::path& path, const char* name) {
  std::array<char, 256> value{};
  const auto length = ::getxattr(path.c_str(), name, value.data(), value.size());
  return length < 0 ? std::string{} : std::string(value.data(), static_cast<std::size_t>(length));
}

attributes attributes_of(const std::filesystem::path& path) {
  struct stat status {};
  EXPECT_EQ(::stat(path.c_str(), &status), 0);
  return {status.st_mode & 07777U, status.st_uid, status.st_gid, attribute(path, "user.colour"),
          attribute(path, "system.posix_acl_access")};
}

// An access control list as the kernel has it (linux/posix_acl_xattr.h): `user` may read, the rest as in mode 0640.
std::string access_list_for(std::uint32_t user) {
  struct entry {
    std::uint16_t tag;
    std::uint16_t rights;
    std::uint32_t id;
  };
  constexpr std::uint32_t version = 2;
  constexpr std::uint32_t nobody = 0xFFFF'FFFF;
  const std::array entries{entry{0x01, 6, nobody}, entry{0x02, 4, user}, entry{0x04, 4, nobody}, entry{0x10, 4, nobody},
                           entry{0x20, 0, nobody}};
  return std::string(reinterpret_cast<const char*>(&version), sizeof version) +
         std::string(reinterpret_cast<const char*>(entries.data()), sizeof entries);
}

class replacing : public testing::Test {
 protected:
  void SetUp() override {
    std::ofstream{path_} << "old";
    ASSERT_EQ(::chmod(path_.c_str(), 0640), 0);
  }

  void replace() {
    writer out{path_, options_};
    out.write("new");
    out.close();
    EXPECT_EQ(content(), "new");
    EXPECT_EQ(test::entries_in(directory_.path()), 1U);
  }

  [[nodiscard]] std::string content() const {
    std::ifstream in{path_};
    return {std::istreambuf_iterator<char>{in}, {}};
  }

  test::temporary_directory directory_;
  std::filesystem::path path_ = directory_ / "file";
  writer_options options_{.atomic = true};
  std::error_code failure_;
};

TEST_F(replacing, keeps_mode_owner_lists_and_attributes) {
  if (::setxattr(path_.c_str(), "user.colour", "red", 3, 0) != 0) GTEST_SKIP() << "no extended attributes here";
  const std::string list = access_list_for(12345);
  if (::setxattr(path_.c_str(), "system.posix_acl_access", list.data(), list.size(), 0) != 0)
    GTEST_SKIP() << "no access control lists here";
  if (::geteuid() == 0) {
    ASSERT_EQ(::chown(path_.c_str(), 4321, 1234), 0);
  }
  // Whoever writes to a file takes these rights from it, unless he is root.
  ASSERT_EQ(::chmod(path_.c_str(), 06750), 0);
  const attributes before = attributes_of(path_);
  EXPECT_EQ(before.own, "red");
  EXPECT_FALSE(before.access_list.empty());
  for (const bool unnamed : {true, false}) {
    fault_injection faults;
    if (!unnamed) faults.fail(call::open, 1, std::errc::operation_not_supported);
    replace();
    EXPECT_EQ(attributes_of(path_), before);
  }
  options_ = {.hidden_until_closed = true};
  replace();
  EXPECT_EQ(attributes_of(path_), before);
}

TEST_F(replacing, keeps_a_file_without_a_list_without_one) {
  const std::string list = access_list_for(12345);
  if (::setxattr(directory_.path().c_str(), "system.posix_acl_default", list.data(), list.size(), 0) != 0)
    GTEST_SKIP() << "no access control lists here";
  ASSERT_EQ(attribute(path_, "system.posix_acl_access"), "") << "it was there before";
  const attributes before = attributes_of(path_);
  replace();
  EXPECT_EQ(attributes_of(path_), before);
}

TEST_F(replacing, gives_a_new_file_the_usual_mode) {
  std::ofstream{directory_ / "usual"} << "new";
  const attributes usual = attributes_of(directory_ / "usual");
  std::filesystem::remove(directory_ / "usual");
  std::filesystem::remove(path_);
  replace();
  EXPECT_EQ(attributes_of(path_), usual);
}

// As where an ordinary user replaces another's file.
TEST_F(replacing, drops_the_rights_of_an_owner_who_cannot_be_kept) {
  if (::geteuid() != 0) GTEST_SKIP() << "giving files away takes root";
  ASSERT_EQ(::chown(path_.c_str(), 4321, 1234), 0);
  ASSERT_EQ(::chmod(path_.c_str(), 06755), 0);
  {
    fault_injection faults;
    faults.fail(call::set_attributes, 1, std::errc::operation_not_permitted);
    replace();
  }
  EXPECT_EQ(attributes_of(path_), (attributes{.mode = 0755, .user = 0, .group = 1234, .own = {}, .access_list = {}}));
}

// As exFAT does, whose files all have one mode, and CIFS.
TEST_F(replacing, changes_nothing_that_is_right) {
  ASSERT_EQ(::chmod(path_.c_str(), 0600), 0);
  const attributes before = attributes_of(path_);
  fault_injection faults;
  faults.fail_always(call::set_attributes, std::errc::operation_not_permitted);
  replace();
  EXPECT_EQ(attributes_of(path_), before);
  EXPECT_EQ(faults.count(call::set_attributes), 0U);
}

TEST_F(replacing, changes_the_owner_whom_its_user_namespace_does_not_know) {
  if (::geteuid() != 0) GTEST_SKIP() << "giving files away takes root";
  ASSERT_EQ(::chown(path_.c_str(), 1000, 1000), 0);
  ASSERT_EQ(::chmod(path_.c_str(), 04666), 0);
  const auto answer = test::ask_confined([&] { return test::enter_user_namespace(); },
                                         [&] {
                                           writer out{path_, options_};
                                           out.write("new");
                                           out.close();
                                         });
  if (!answer.why_not.empty()) GTEST_SKIP() << answer.why_not;
  EXPECT_EQ(answer.complaint, "");
  EXPECT_EQ(content(), "new");
  EXPECT_EQ(attributes_of(path_), (attributes{.mode = 0666, .user = 0, .group = 0, .own = {}, .access_list = {}}));
}

TEST_F(replacing, keeps_attributes_without_proc) {
  const bool has_attribute = ::setxattr(path_.c_str(), "user.colour", "red", 3, 0) == 0;
  const attributes before = attributes_of(path_);
  EXPECT_EQ(before.own, has_attribute ? "red" : "");
  const auto answer = test::ask_confined([&] { return test::enter_root(directory_.path()); },
                                         [&] {
                                           writer out{"/file", options_};
                                           out.write("new");
                                           out.close();
                                         });
  if (!answer.why_not.empty()) GTEST_SKIP() << answer.why_not;
  EXPECT_EQ(answer.complaint, "");
  EXPECT_EQ(content(), "new");
  EXPECT_EQ(attributes_of(path_), before);
  EXPECT_EQ(test::entries_in(directory_.path()), 1U);
}

TEST_F(replacing, fails_where_they_cannot_be_kept) {
  const bool has_attribute = ::setxattr(path_.c_str(), "user.colour", "red", 3, 0) == 0;
  const attributes before = attributes_of(path_);
  for (const bool unnamed : {true, false}) {
    for (const auto& [kind, calls] : {std::pair{call::set_attributes, has_attribute ? 2U : 1U}, {call::status, 5U}}) {
      for (unsigned number = 1; number <= calls; ++number) {
        SCOPED_TRACE(std::to_string(static_cast<int>(kind)) + " " + std::to_string(number));
        fault_injection faults;
        if (!unnamed) faults.fail(call::open, 1, std::errc::operation_not_supported);
        writer out{path_, options_};
        faults.fail(kind, faults.count(kind) + number, std::errc::io_error);
        out.write("new");
        out.close(failure_);
        EXPECT_EQ(failure_, std::errc::io_error);
        EXPECT_EQ(content(), "old");
        EXPECT_EQ(attributes_of(path_), before);
      }
    }
  }
  EXPECT_EQ(test::entries_in(directory_.path()), 1U);
}

TEST_F(replacing, has_the_attributes_on_the_device_before_the_name) {
  fault_injection watch;
  replace();
  EXPECT_EQ(watch.count(call::sync_file), 1U) << "fdatasync() is for bytes";
  EXPECT_EQ(watch.count(call::sync_data), 0U);
}

TEST_F(replacing, follows_a_link_or_refuses_it) {
  const auto link = directory_ / "link";
  std::filesystem::create_symlink("file", link);
  for (const writer_options& options :
       {writer_options{.follow_links = false}, writer_options{.mode = open_mode::append, .follow_links = false},
        writer_options{.follow_links = false, .hidden_until_closed = true},
        writer_options{.follow_links = false, .atomic = true}}) {
    const writer refused{link, options, failure_};
    EXPECT_EQ(failure_, std::errc::too_many_symbolic_link_levels);
    fstream both{link, std::ios::in | std::ios::out, options};
    EXPECT_FALSE(both.is_open());
    EXPECT_EQ(content(), "old");
    writer{path_, options, failure_}.discard();
    EXPECT_FALSE(failure_) << "no link";
    std::ofstream{path_} << "old";
  }
  options_.follow_links = true;
  writer out{link, options_};
  out.write("new");
  out.close();
  EXPECT_TRUE(std::filesystem::is_symlink(link));
  EXPECT_EQ(content(), "new");
}

TEST_F(replacing, is_given_up_by_discard) {
  writer out{path_, options_};
  out.write("new");
  out.discard();
  EXPECT_FALSE(out.is_open());
  EXPECT_EQ(out.tell(), 0U);
  out.discard();
  out.write("more", failure_);
  EXPECT_EQ(failure_, std::errc::bad_file_descriptor);
  ofstream stream{path_, options_};
  stream << "new";
  stream.discard();
  EXPECT_FALSE(stream.is_open());
  EXPECT_EQ(content(), "old");
  EXPECT_EQ(test::entries_in(directory_.path()), 1U);
}

TEST_F(replacing, keeps_what_was_written_to_a_visible_file_that_is_given_up) {
  writer out{path_};
  out.write("new");
  out.discard();
  EXPECT_EQ(content(), "new");
  ofstream stream{path_};
  stream << "newer";
  stream.discard();
  EXPECT_EQ(content(), "newer");
}

}  // namespace
}  // namespace freshet
