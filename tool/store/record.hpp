// The records that every measuring command keeps: a run, and each of its trials.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <tuple>

#include <nlohmann/json.hpp>

#include "tool/trial/trial.hpp"

namespace freshet::tool {

/// One call of a measuring command; its trials share it.
struct run {
  std::int64_t id = 0;       ///< in the store; 0: not stored
  std::string command;       ///< "tune", "bench", …
  std::string words;         ///< the command line as the user typed it
  std::string started;       ///< ISO 8601, UTC
  std::string ended;         ///< ISO 8601, UTC; empty while the run works, and for good if the run was killed
  std::int64_t attempt = 0;  ///< the id of the attempt at a campaign's step that made it; 0: none
  /// Whether that attempt has no result: it was cut off, or is still at work. Read from a store, never written.
  bool lacks_result = false;
  std::string store =
      {};           ///< the name of the store that it was read from, where several were; else empty. Never written
  environment env;  ///< where it ran
};

/// A trial of any command. Records with equal workload, method, plan and class are repetitions of one another.
struct record {
  std::int64_t id = 0;   ///< in the store, ascending in the order of the trials; 0: not stored
  std::int64_t run = 0;  ///< the id of its run
  std::string workload;  ///< "text", "blocks", "bytes" (one at a time), "lines" (files processed line by line)
  std::string method;    ///< what is compared: a method, a baseline, a way to write bytes, a strategy or a peer
  std::string label;     ///< method and options as people read them: "uring 4 MiB x 2"
  nlohmann::json plan;   ///< all options, as in the command's --json
  nlohmann::json extra;  ///< figures of this command alone, by name; an empty object if it has none
  /// All figures. In its plan, these mean the same for all commands: class, block (bytes; the buffer in the workload
  /// `bytes`), depth, size and jobs (the threads in the workload `lines`).
  trial_result figures;
};

/// The largest size of the trials of each run (its id), workload and class: a search begins with smaller files.
using task_sizes = std::map<std::tuple<std::int64_t, std::string, io_class>, std::uint64_t>;

/// The record of a trial of `tune`, `bench` or `text`. It has no id and belongs to no run yet.
[[nodiscard]] record make_record(const trial_result& trial);
/// Names the block and the depth of the library's own methods where the plan left them to the method, as stores of
/// older versions do: "uring" and "uring 4 MiB x 2" are one plan.
void name_defaults(record& stored);

[[nodiscard]] trial_purpose purpose_of(const record& stored);
void set_purpose(record& stored, trial_purpose purpose);
/// Which of two programs that took turns wrote the trial's file: "first" or "against"; empty if there was only one.
[[nodiscard]] std::string side_of(const record& stored);
void set_side(record& stored, std::string_view side);

}  // namespace freshet::tool
