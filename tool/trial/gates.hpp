// Whether the machine can have done what a trial shows.
#pragma once

#include <string>

#include "tool/base/place.hpp"
#include "tool/trial/trial.hpp"

namespace freshet::tool {

inline constexpr double durable_share = 0.98;  ///< of the bytes claimed durable that the device must have seen
inline constexpr double ceiling_distance =
    1.5;  ///< by which what makes or takes the bytes must be faster than the result

/// What a processor may be withheld for: shares of the trial's seconds to disk.
inline constexpr double quota_share = 0.01;        ///< CPU time that a control group's quota withheld
inline constexpr double stolen_share = 0.10;       ///< of one processor's time that the hypervisor gave to others
inline constexpr double stolen_least = 0.10;       ///< seconds: it comes in ticks of 10 ms from all processors
inline constexpr double suspended_seconds = 0.01;  ///< apart: the two clocks are not read at the same moment

/// What another process may write to the device meanwhile: a share of the trial's bytes, or so many bytes.
inline constexpr double others_share = 0.01;
inline constexpr double others_least = 1 << 20;
/// What the file system itself may write for each durable block, journal and tree: measured, ext4 takes 24 KiB, xfs 1.5
/// and btrfs 141.
inline constexpr double journal_per_block = 160 << 10;
/// What the device may have seen beyond the trial's bytes, and what the file system writes for them, where no process
/// is known to have written it: a share of them, or so many bytes.
inline constexpr double unnamed_share = 0.25;
inline constexpr double unnamed_least = 16 << 20;

/// Finds `made` invalid, unknown or valid, with its reasons.
/// @param content_matches  false where its files, or what was read of them, are not what was to be written
/// @param place            the file system that they lie on
/// @param drop_failure     why pages that were to be dropped before it began were not; empty: they were
void apply_gates(trial_result& made, bool content_matches, const detail::os::file_system& place,
                 const std::string& drop_failure = {});

/// The part of apply_gates() that asks nothing of a trial's files: adds to the reasons what withheld its processors.
void judge_processors(trial_result& made);
/// The same: whether others used the device meanwhile, of which its files took `written` bytes.
void judge_neighbours(trial_result& made, std::uint64_t written, const detail::os::file_system& place);

/// Of a trial without a file that could be looked at, as of `null`: what is known of it is nothing about a disk.
[[nodiscard]] trial_result without_files(trial_result made, std::string reason);

}  // namespace freshet::tool
