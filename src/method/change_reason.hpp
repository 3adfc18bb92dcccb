// Why a file goes on by another method.
#pragma once

#include <cstdint>
#include <string_view>

namespace freshet::detail {

/// Only files that are read change because of what the page cache holds.
enum class change_reason : std::uint8_t {
  known_faster,
  probe,
  probe_failed,
  device_faster,
  in_cache,
  not_in_cache,
  process,  ///< not of a change: where what the file begins with is from
  profile,  ///< the same
  forced
};

[[nodiscard]] constexpr std::string_view to_string(change_reason reason) noexcept {
  switch (reason) {
    case change_reason::known_faster:
      return "it was faster before";
    case change_reason::probe:
      return "to see how fast it is";
    case change_reason::probe_failed:
      return "the other way was no faster";
    case change_reason::device_faster:
      return "the device is faster";
    case change_reason::in_cache:
      return "the page cache holds what follows";
    case change_reason::not_in_cache:
      return "the page cache does not hold what follows";
    case change_reason::process:
      return "this process's last file";
    case change_reason::profile:
      return "the profile";
    case change_reason::forced:
      break;
  }
  return "forced";
}

}  // namespace freshet::detail
