// Whether the machine can have done what a trial shows.
#pragma once

#include <string>

#include "os/file.hpp"
#include "trial.hpp"

namespace freshet::tool {

inline constexpr double durable_share = 0.98;    ///< of the bytes claimed durable that the device must have seen
inline constexpr double ceiling_distance = 1.5;  ///< by which the generator must be faster than the result

/// Finds `made` invalid, unknown or valid, with its reasons.
/// @param content_matches  false where its files were looked at and hold something else than was written
/// @param place            the file system that they were written to
void judge(trial& made, bool content_matches, const os::file_system& place);

}  // namespace freshet::tool
