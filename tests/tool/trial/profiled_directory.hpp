// A directory with a profile, for tests that inspect it.
#pragma once

#include <freshet/error.hpp>

#include "src/os/environment.hpp"
#include "src/os/file.hpp"
#include "src/profile/profile_lookup.hpp"
#include "tests/support/profile_sample.hpp"

namespace freshet::test {

/// A directory whose own profile is in force.
class profiled_directory : public profile_file {
 protected:
  profiled_directory() {
    std::error_code code;
    file_system_ = detail::os::file_system_of(directory(), code);
    if (code) throw error{code, "look at", directory()};
    detail::forget_profiles();
  }
  ~profiled_directory() override { detail::forget_profiles(); }

  file_system_profile current() const {
    auto profile = sample(file_system_.key);
    profile.type = file_system_.type;
    profile.mount_options = file_system_.mount_options;
    profile.kernel = detail::os::kernel_release();
    profile.winners[none] = {.method = "buffered", .block = 1 << 20};
    profile.winners[at_close] = {.method = "buffered"};
    profile.cold = {.method = "buffered", .block = 2 << 20};
    return profile;
  }

 private:
  detail::os::file_system file_system_;
  environment_variable chosen_{"FRESHET_PROFILE", path().string()};
};

}  // namespace freshet::test
