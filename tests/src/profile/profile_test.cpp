#include <freshet/profile.hpp>

#include <gmock/gmock.h>
#include <sys/stat.h>
#include <unistd.h>

#include <freshet/error.hpp>

#include "src/profile/profile_text.hpp"
#include "tests/support/fault_injection.hpp"
#include "tests/support/ordinary_user.hpp"
#include "tests/support/profile_sample.hpp"

namespace freshet {
namespace {

namespace fs = std::filesystem;
using namespace test;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

TEST_F(profile_file, comes_back_as_it_was_saved) {
  save_profile(path(), sample("uuid:1"));
  const auto read = read_profile(path());
  EXPECT_EQ(read.path, path());
  EXPECT_THAT(read.warnings, IsEmpty());
  ASSERT_EQ(read.file_systems.size(), 1U);
  expect_same(read.file_systems.at("uuid:1"), sample("uuid:1"));
}

TEST_F(profile_file, keeps_other_entries_and_unknown_keys) {
  put_text(path(),
           "format = 1\nowner = 'me'\n[file_system.'uuid:1']\nlabel = 'fast'\neach_write = { method = 'direct' }\n");
  save_profile(path(), sample("uuid:2"));
  save_profile(path(), sample("uuid:1"));
  const auto read = read_profile(path());
  ASSERT_EQ(read.file_systems.size(), 2U);
  // Results that were not measured this time are removed, because they belong to another kernel than the entry names.
  expect_same(read.file_systems.at("uuid:1"), sample("uuid:1"));
  expect_same(read.file_systems.at("uuid:2"), sample("uuid:2"));
  EXPECT_THAT(read.warnings, testing::UnorderedElementsAre(HasSubstr("owner"), HasSubstr("label")));
}

TEST_F(profile_file, makes_folders_and_leaves_no_other_file) {
  const auto deep = directory() / "a" / "b" / "profile.toml";
  save_profile(deep, sample("uuid:1"));
  save_profile(deep, sample("uuid:2"));
  EXPECT_EQ(read_profile(deep).file_systems.size(), 2U);
  EXPECT_EQ(std::distance(fs::directory_iterator{deep.parent_path()}, {}), 1);
}

TEST_F(profile_file, keeps_a_broken_one_aside) {
  put_text(path(), "format = 1\n[broken");
  save_profile(path(), sample("uuid:1"));
  EXPECT_EQ(text_of(path().string() + ".broken"), "format = 1\n[broken");
  EXPECT_EQ(read_profile(path()).file_systems.size(), 1U);
  EXPECT_THAT(read_profile(path()).warnings, IsEmpty());
}

TEST_F(profile_file, does_not_touch_a_newer_one) {
  put_text(path(), "format = 2\n");
  EXPECT_THROW(save_profile(path(), sample("uuid:1")), error);
  EXPECT_EQ(text_of(path()), "format = 2\n");
}

TEST_F(profile_file, stays_behind_its_symbolic_link) {
  fs::create_directory(directory() / "real");
  put_text(directory() / "real" / "p.toml", "format = 1\n");
  fs::create_symlink("real/p.toml", path());
  save_profile(path(), sample("uuid:1"));
  save_profile(path(), sample("uuid:2"));
  EXPECT_TRUE(fs::is_symlink(path()));
  EXPECT_EQ(read_profile(directory() / "real" / "p.toml").file_systems.size(), 2U);
}

TEST_F(profile_file, that_is_too_large_is_left_out) {
  put_text(path(), "format = 1\n" + std::string(detail::largest_profile, '\n'));
  EXPECT_THAT(read_profile(path()).warnings,
              ElementsAre(AllOf(StartsWith(path().string() + ":1: "), HasSubstr("bytes"))));
}

TEST_F(profile_file, that_is_none_is_an_error) {
  EXPECT_THROW(static_cast<void>(read_profile(path())), error);
  EXPECT_THROW(static_cast<void>(read_profile(directory())), error);
  EXPECT_THROW(save_profile(directory(), sample("uuid:1")), error);
  ASSERT_EQ(::mkfifo(path().c_str(), 0600), 0);
  EXPECT_THROW(static_cast<void>(read_profile(path())), error);
}

TEST_F(profile_file, without_permission_is_an_error_that_names_it) {
  put_text(path(), "format = 1\n");
  fs::permissions(path(), fs::perms::none);
  const test::ordinary_user user;
  try {
    static_cast<void>(read_profile(path()));
    FAIL() << "no error";
  } catch (const error& fault) {
    EXPECT_EQ(fault.code(), std::errc::permission_denied);
    EXPECT_EQ(fault.path(), path());
  }
}

TEST_F(profile_file, cannot_be_saved_below_a_file) {
  put_text(directory() / "file", "");
  const auto below = directory() / "file" / "profile.toml";
  try {
    save_profile(below, sample("uuid:1"));
    FAIL() << "no error";
  } catch (const error& fault) {
    EXPECT_THAT(fault.what(), HasSubstr((directory() / "file").string()));
  }
}

TEST_F(profile_file, stays_as_it_was_when_saving_fails) {
  save_profile(path(), sample("uuid:1"));
  const auto before = text_of(path());
  for (const detail::os::call kind : {detail::os::call::open, detail::os::call::write_at, detail::os::call::sync_file,
                                      detail::os::call::close, detail::os::call::rename}) {
    {
      fault_injection disk;
      disk.fail_always(kind, std::errc::no_space_on_device);
      try {
        save_profile(path(), sample("uuid:2"));
        ADD_FAILURE() << "no error from call " << static_cast<int>(kind);
      } catch (const error& fault) {
        EXPECT_EQ(fault.code(), std::errc::no_space_on_device);
        EXPECT_THAT(fault.path().string(), StartsWith(path().string()));
      }
    }
    EXPECT_EQ(text_of(path()), before);
    EXPECT_EQ(std::distance(fs::directory_iterator{directory()}, {}), 1);
  }
}

TEST_F(profile_file, is_whole_after_interruptions_and_short_writes) {
  fault_injection disk;
  for (const detail::os::call kind : {detail::os::call::write_at, detail::os::call::read_at}) {
    disk.shorten_sometimes(kind, 0.5);
    disk.fail_sometimes(kind, 0.5, std::errc::interrupted);
  }
  for (int i = 0; i < 20; ++i) save_profile(path(), sample("uuid:" + std::to_string(i)));
  const auto read = read_profile(path());
  EXPECT_THAT(read.warnings, IsEmpty());
  EXPECT_EQ(read.file_systems.size(), 20U);
}

TEST(profile_places, follow_the_environment) {
  const environment_variable chosen{"FRESHET_PROFILE", ""};
  const environment_variable home{"HOME", "/home/someone"};
  {
    const environment_variable config{"XDG_CONFIG_HOME", "/config"};
    EXPECT_EQ(user_profile_path(), "/config/freshet/profile.toml");
  }
  const environment_variable config{"XDG_CONFIG_HOME", "relative"};
  EXPECT_EQ(user_profile_path(), "/home/someone/.config/freshet/profile.toml");
  EXPECT_THAT(profile_search_path(), ElementsAre(user_profile_path(), system_profile_path()));
  {
    const environment_variable file{"FRESHET_PROFILE", "/some/file"};
    EXPECT_THAT(profile_search_path(), ElementsAre("/some/file"));
  }
  {
    const environment_variable nothing{"FRESHET_PROFILE", "none"};
    EXPECT_THAT(profile_search_path(), IsEmpty());
  }
  const environment_variable homeless{"HOME", ""};
  EXPECT_TRUE(user_profile_path().empty());
  EXPECT_THROW(save_profile(user_profile_path(), sample("uuid:1")), error);
}

}  // namespace
}  // namespace freshet
