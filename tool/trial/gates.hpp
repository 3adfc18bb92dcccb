// The gates: checks that find a trial invalid if the machine cannot have done what its figures say, and disturbed if
// others used what it needs.
//
// To add a gate: a figure that it reads (trial_result, trial_figures.hpp, a schema step of the store), the meter that
// measures the figure, and a row of the table in gates.cpp.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "src/os/file.hpp"
#include "tool/trial/trial.hpp"

namespace freshet::tool {

/// The device must have seen this share of the bytes claimed durable.
inline constexpr double durable_share = 0.98;
/// What making or taking the bytes alone must be faster by, or else it bounds the plan's figures: rankings mark it.
inline constexpr double ceiling_distance = 1.5;

// What may hold up a processor, as shares of the trial's seconds to disk, where nothing else is said.
inline constexpr double quota_share = 0.01;        ///< CPU time that a control group's quota withheld
inline constexpr double stolen_share = 0.50;       ///< of one processor's time that the hypervisor gave to others
inline constexpr double stolen_least = 0.10;       ///< seconds: it is counted in ticks of 10 ms on all processors
inline constexpr double waited_share = 0.50;       ///< of the time to close, waited for processors that others had
inline constexpr double waited_least = 0.05;       ///< seconds: the time of others is counted in ticks of 10 ms
inline constexpr double suspended_seconds = 0.01;  ///< more than the two clocks differ for being read one by one

// What other processes may write to the device during a trial: a share of its bytes, or so many bytes.
inline constexpr double others_share = 0.01;
inline constexpr double others_least = 1 << 20;
/// Bytes that the file system itself may write for each durable block, journal and tree: measured, ext4 takes 24 KiB,
/// xfs 1.5 and btrfs 141.
inline constexpr double journal_per_block = 160 << 10;
// What the device may have seen beyond the trial's bytes and the file system's own writes, if no process is known to
// have written it: a share of the trial's bytes, or so many bytes.
inline constexpr double unnamed_share = 0.25;
inline constexpr double unnamed_least = 16 << 20;

/// How work that is no plan of the library was to move its bytes, and how it says that it did: `wanted` "auto" takes
/// any method. Both are empty where the trial's plan and its method say so themselves.
struct work_method {
  std::string wanted = {};
  std::string used = {};
};

/// What a gate reads: a trial's figures, and what the runner knows about its files.
struct gate_input {
  const trial_result& trial;
  const detail::os::file_system& place;  ///< that the trial's files lie on
  bool content_matches = true;           ///< its files, or what was read of them, hold what they should
  std::string drop_failure = {};         ///< why cached pages could not be dropped before the trial; empty: they were
  std::uint64_t written = 0;             ///< bytes that its files take on the device
  work_method method = {};
};

/// What a gate has against a trial.
struct gate_finding {
  trial_validity validity = trial_validity::invalid;
  std::string reason;
};

/// What a gate is about, and so how often it applies to a trial that several processes make.
enum class gate_scope : std::uint8_t {
  work,        ///< the plan and the one file of each job, which it finds invalid; a sweep checks its many files itself
  processors,  ///< what held up the processors, and so disturbed the trial: once for each process
  device,      ///< who else used the device: once
};

struct gate {
  std::string_view name;  ///< as doc/reference/gates.md lists it
  gate_scope scope = gate_scope::work;
  std::optional<gate_finding> (*check)(const gate_input& input) = nullptr;
};

/// All gates in the order in which their reasons appear.
[[nodiscard]] std::span<const gate> gates() noexcept;

/// Sets the trial's validity and reasons by all gates: the worst that any of them finds.
/// @param content_matches  false if its files, or what was read of them, do not hold what they should
/// @param place            the file system that they lie on
/// @param drop_failure     why cached pages could not be dropped before the trial; empty: they were
/// @param method           how the work was to move its bytes and did, unless plan and trial say so
/// @param stored           bytes that its files take on the device, if they are others than were written
void apply_gates(trial_result& trial, bool content_matches, const detail::os::file_system& place,
                 const std::string& drop_failure = {}, const work_method& method = {},
                 std::optional<std::uint64_t> stored = {});

/// Adds what the gates of `scope` find to the trial's reasons. `written`: bytes that its files take on the device.
void apply_gates(trial_result& trial, gate_scope scope, const detail::os::file_system& place, std::uint64_t written);

/// The trial, of unknown validity for `reason`: it has no file that could be checked, as with `null`.
[[nodiscard]] trial_result without_files(trial_result trial, std::string reason);

}  // namespace freshet::tool
