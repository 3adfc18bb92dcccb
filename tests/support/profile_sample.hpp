// Shared by the tests of profiles.
#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>

#include <freshet/detail/native_handle.hpp>
#include <freshet/profile.hpp>

#include "tests/support/temporary_directory.hpp"

namespace freshet::test {

inline constexpr auto none = static_cast<std::size_t>(durability::none);
inline constexpr auto at_close = static_cast<std::size_t>(durability::at_close);
inline constexpr auto each_write = static_cast<std::size_t>(durability::each_write);

/// Sets an environment variable and restores its old value in the end.
class environment_variable {
 public:
  environment_variable(const char* name, const std::string& value) : name_{name} {
    if (const char* old = std::getenv(name)) old_ = old;
    ::setenv(name, value.c_str(), 1);
  }
  environment_variable(const environment_variable&) = delete;
  environment_variable& operator=(const environment_variable&) = delete;
  ~environment_variable() {
    if (old_) {
      ::setenv(name_, old_->c_str(), 1);
    } else {
      ::unsetenv(name_);
    }
  }

 private:
  const char* name_;
  std::optional<std::string> old_;
};

inline void put_text(const std::filesystem::path& path, std::string_view text) {
  std::ofstream{path, std::ios::binary} << text;
}

inline std::string text_of(const std::filesystem::path& path) {
  std::ifstream in{path, std::ios::binary};
  return {std::istreambuf_iterator<char>{in}, {}};
}

/// The entry of a file system for which two durability classes and reading files that are not cached were measured.
inline file_system_profile sample(const std::string& key) {
  const char* const queue = std::is_pointer_v<native_handle_type> ? "overlapped" : "uring";
  file_system_profile profile;
  profile.key = key;
  profile.type = "ext4";
  profile.mount_options = "rw,relatime";
  profile.kernel = "6.18.0";
  profile.measured = "2026-11-20T18:04:11Z";
  profile.size = 1 << 30;
  profile.winners[none] = {.method = queue, .block = 4 << 20, .depth = 2};
  profile.winners[at_close] = {.method = "direct", .block = 1 << 20, .depth = 1};
  profile.cold = {.method = queue, .block = 2 << 20, .depth = 4};
  return profile;
}

inline void expect_same(const file_system_profile& left, const file_system_profile& right) {
  EXPECT_EQ(left.key, right.key);
  EXPECT_EQ(left.type, right.type);
  EXPECT_EQ(left.mount_options, right.mount_options);
  EXPECT_EQ(left.kernel, right.kernel);
  EXPECT_EQ(left.measured, right.measured);
  EXPECT_EQ(left.size, right.size);
  EXPECT_EQ(left.winners, right.winners);
  EXPECT_EQ(left.cold, right.cold);
  EXPECT_EQ(left.warm, right.warm);
}

/// A test with a directory for profile files.
class profile_file : public testing::Test {
 protected:
  std::filesystem::path path() const { return directory_.path() / "profile.toml"; }
  const std::filesystem::path& directory() const { return directory_.path(); }

 private:
  temporary_directory directory_;
};

}  // namespace freshet::test
