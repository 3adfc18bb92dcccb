// Shared by the tests of the seam of macOS on Linux. The calls are fake/calls.hpp's, which keep what was asked of the
// system, and answer as a test says.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <system_error>
#include <vector>

#include "src/os/file.hpp"
#include "tests/support/temporary_directory.hpp"
#include "tests/systems/macos/fake/calls.hpp"

namespace freshet::detail::os {

using fake_macos::made_call;
using names = std::vector<std::string>;

constexpr std::uint64_t MiB = std::uint64_t{1} << 20;

class macos_seam : public testing::Test {
 protected:
  macos_seam() { fake_macos::state() = {}; }

  static fake_macos::system_state& system() { return fake_macos::state(); }
  static const std::vector<made_call>& calls() { return system().calls; }
  file open() {
    auto opened = file::open(path_, {.creation = open_request::disposition::create, .read = true}, error_);
    EXPECT_FALSE(error_) << error_.message();
    return opened;
  }

  test::temporary_directory scratch_;
  const std::string path_ = scratch_ / "file";
  std::error_code error_;
};

}  // namespace freshet::detail::os
