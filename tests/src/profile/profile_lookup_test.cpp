#include "src/profile/profile_lookup.hpp"

#include <gmock/gmock.h>

#include <atomic>
#include <vector>

#include <freshet/error.hpp>

#include "tests/support/fault_injection.hpp"
#include "tests/support/joining_thread.hpp"
#include "tests/support/profile_sample.hpp"

namespace freshet {
namespace {

using namespace test;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

TEST_F(profile_file, of_the_user_goes_over_the_system_s) {
  auto users = sample("uuid:1");
  users.type = "users";
  save_profile(directory() / "user.toml", users);
  save_profile(directory() / "system.toml", sample("uuid:1"));
  save_profile(directory() / "system.toml", sample("uuid:2"));

  const auto stack = detail::read_profiles({directory() / "user.toml", directory() / "system.toml"}, false);
  EXPECT_EQ(stack.find("uuid:1").entry->type, "users");
  EXPECT_EQ(stack.find("uuid:1").from->path, directory() / "user.toml");
  EXPECT_EQ(stack.find("uuid:2").entry->type, "ext4");
  EXPECT_EQ(stack.find("uuid:3").entry, nullptr);
}

TEST_F(profile_file, that_is_missing_is_worth_a_warning_only_where_it_was_asked_for) {
  EXPECT_THAT(detail::read_profiles({path()}, false).warnings, IsEmpty());
  EXPECT_THAT(detail::read_profiles({path()}, true).warnings, ElementsAre(HasSubstr(path().string())));
  EXPECT_THAT(detail::read_profiles({directory()}, false).warnings, ElementsAre(HasSubstr(directory().string())));
}

/// A file that is open on the file system under test, whose profile FRESHET_PROFILE names.
class profile_lookup : public profile_file {
 protected:
  profile_lookup() {
    std::error_code code;
    put_text(directory() / "data", "");
    target_ = detail::os::file::open(directory() / "data", {}, code);
    if (code) throw error{code, "open", directory() / "data"};
    device_ = target_.status(code).device;
    key_ = detail::os::file_system_key(target_);
    detail::forget_profiles();
  }
  ~profile_lookup() override { detail::forget_profiles(); }

  std::optional<write_settings> look_up(durability wanted) const {
    return detail::profiled_settings(target_, device_, wanted);
  }
  const std::string& key() const { return key_; }

 private:
  detail::os::file target_;
  std::uint64_t device_ = 0;
  std::string key_;
};

TEST_F(profile_lookup, finds_each_class_and_nothing_for_what_was_not_measured) {
  save_profile(path(), sample(key()));
  const environment_variable chosen{"FRESHET_PROFILE", path().string()};
  EXPECT_EQ(look_up(durability::none), sample(key()).winners[none]);
  EXPECT_EQ(look_up(durability::at_close), sample(key()).winners[at_close]);
  EXPECT_FALSE(look_up(durability::each_write));
}

TEST_F(profile_lookup, finds_nothing_in_another_file_system_s_entry) {
  save_profile(path(), sample("uuid:another"));
  const environment_variable chosen{"FRESHET_PROFILE", path().string()};
  EXPECT_FALSE(look_up(durability::none));
}

TEST_F(profile_lookup, reads_nothing_where_the_environment_says_none) {
  save_profile(directory() / "freshet" / "profile.toml", sample(key()));
  const environment_variable config{"XDG_CONFIG_HOME", directory().string()};
  {
    const environment_variable chosen{"FRESHET_PROFILE", ""};
    EXPECT_TRUE(look_up(durability::none));
  }
  const environment_variable chosen{"FRESHET_PROFILE", "none"};
  detail::forget_profiles();
  EXPECT_FALSE(look_up(durability::none));
}

TEST_F(profile_lookup, goes_on_without_a_broken_profile_and_keeps_the_warning) {
  put_text(path(), "format = 1\n[");
  const environment_variable chosen{"FRESHET_PROFILE", path().string()};
  EXPECT_FALSE(look_up(durability::none));
  EXPECT_THAT(detail::profile_warnings(), ElementsAre(StartsWith(path().string() + ":2: ")));
}

TEST_F(profile_lookup, uses_what_it_is_given_instead_of_the_files) {
  save_profile(path(), sample(key()));
  const environment_variable chosen{"FRESHET_PROFILE", path().string()};
  EXPECT_TRUE(look_up(durability::none));
  profile given;
  given.file_systems[key()].winners[at_close] = write_settings{.method = "direct", .fixed = true};
  detail::use_profile(given);
  EXPECT_FALSE(look_up(durability::none));
  EXPECT_EQ(look_up(durability::at_close), given.file_systems.at(key()).winners[at_close]);
  detail::forget_profiles();
  EXPECT_TRUE(look_up(durability::none));
}

TEST_F(profile_lookup, asks_the_system_only_once) {
  save_profile(path(), sample(key()));
  const environment_variable chosen{"FRESHET_PROFILE", path().string()};
  EXPECT_TRUE(look_up(durability::none));
  std::filesystem::remove(path());
  const fault_injection counter;
  for (int i = 0; i < 10'000; ++i) EXPECT_TRUE(look_up(durability::none));
  for (const detail::os::call kind : {detail::os::call::open, detail::os::call::read_at, detail::os::call::status})
    EXPECT_EQ(counter.count(kind), 0U);
  detail::forget_profiles();
  EXPECT_FALSE(look_up(durability::none));
  EXPECT_GT(counter.count(detail::os::call::open), 0U);
}

TEST_F(profile_lookup, answers_many_threads_at_once) {
  save_profile(path(), sample(key()));
  const environment_variable chosen{"FRESHET_PROFILE", path().string()};
  std::atomic<int> right{0};
  for (int round = 0; round < 20; ++round) {
    detail::forget_profiles();
    std::vector<test::joining_thread> threads;
    for (int i = 0; i < 8; ++i) {
      threads.emplace_back([&] {
        for (int n = 0; n < 50; ++n) right += look_up(durability::none) == sample(key()).winners[none];
      });
    }
  }
  EXPECT_EQ(right, 20 * 8 * 50);
}

}  // namespace
}  // namespace freshet
