// Made-up trials for tests of the gates.
#pragma once

#include <cstdint>
#include <string>
#include <utility>

#include "src/os/file.hpp"
#include "tests/support/made_up_trials.hpp"
#include "tool/trial/trial.hpp"

namespace freshet::test {

/// A trial of 1 GB in 2 s that passes all gates.
[[nodiscard]] inline tool::trial_result good_trial(tool::io_class measured_class = tool::io_class::none) {
  tool::trial_result trial =
      make_trial({.method = "buffered", .measured_class = measured_class}, 1, 0, {.disk = 2, .cpu = 0});
  trial.device_bytes = reads(measured_class) ? 0 : gigabyte;
  trial.device_bytes_read = gigabyte;
  trial.bytes_cached = measured_class == tool::io_class::warm ? gigabyte : 0;
  trial.generator_ceiling = 10'000;
  return trial;
}

/// A file system of that type on the device "sda".
[[nodiscard]] inline detail::os::file_system on(std::string type, std::string options = "rw") {
  detail::os::file_system place;
  place.type = std::move(type);
  place.mount_options = std::move(options);
  place.device_name = "sda";
  return place;
}

}  // namespace freshet::test
