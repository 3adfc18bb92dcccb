// A directory with a profile, for tests of what is made of it.
#pragma once

#include <freshet/error.hpp>

#include "src/os/environment.hpp"
#include "src/os/file.hpp"
#include "src/profile_lookup.hpp"
#include "tests/support/profile_sample.hpp"

namespace freshet::test {

/// A directory whose own profile is in force.
class profiled_directory : public profile_file {
 protected:
  profiled_directory() {
    std::error_code code;
    here_ = detail::os::file_system_of(directory(), code);
    if (code) throw error{code, "look at", directory()};
    detail::forget_profiles();
  }
  ~profiled_directory() override { detail::forget_profiles(); }

  file_system_profile current() const {
    auto made = sample(here_.key);
    made.type = here_.type;
    made.mount_options = here_.mount_options;
    made.kernel = detail::os::kernel_release();
    made.winners[none] = {.method = "buffered", .block = 1 << 20};
    made.winners[at_close] = {.method = "buffered"};
    made.cold = {.method = "buffered", .block = 2 << 20};
    return made;
  }

 private:
  detail::os::file_system here_;
  environment_variable chosen_{"FRESHET_PROFILE", path().string()};
};

}  // namespace freshet::test
