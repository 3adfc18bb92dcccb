// Whether the machine can have done what a trial shows.
#pragma once

#include <string>

#include "os/file.hpp"
#include "trial.hpp"

namespace freshet::tool {

inline constexpr double durable_share = 0.98;  ///< of the bytes claimed durable that the device must have seen
inline constexpr double ceiling_distance =
    1.5;  ///< by which what makes or takes the bytes must be faster than the result

/// Finds `made` invalid, unknown or valid, with its reasons.
/// @param content_matches  false where its files, or what was read of them, are not what was to be written
/// @param place            the file system that they lie on
void judge(trial& made, bool content_matches, const os::file_system& place);

/// Of a trial of `null`, which says nothing about a disk.
[[nodiscard]] trial without_files(trial made);

/// Whether files there never are anywhere but in memory, so that none can be read cold.
[[nodiscard]] bool is_in_memory(const os::file_system& place);
/// The same in words. Precondition: is_in_memory(place).
[[nodiscard]] std::string never_cold(const os::file_system& place);

}  // namespace freshet::tool
