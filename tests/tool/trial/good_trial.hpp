// Made-up trials for tests of the gates.
#pragma once

#include <cstdint>
#include <string>
#include <utility>

#include "src/os/file.hpp"
#include "tool/trial/trial.hpp"

namespace freshet::test {

inline constexpr std::uint64_t gigabyte = 1'000'000'000;

/// A trial of 1 GB in 2 s that no gate has anything against.
[[nodiscard]] inline tool::trial_result good_trial(tool::io_class measured_class = tool::io_class::none) {
  tool::trial_result made;
  made.plan = {.method = "buffered", .measured_class = measured_class, .size = gigabyte};
  made.method = "buffered";
  made.bytes = gigabyte;
  made.seconds_to_close = 1;
  made.seconds_to_disk = 2;
  made.device_bytes = reads(measured_class) ? 0 : gigabyte;
  made.device_bytes_read = gigabyte;
  made.bytes_cached = measured_class == tool::io_class::warm ? gigabyte : 0;
  made.generator_ceiling = 10'000;
  return made;
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
