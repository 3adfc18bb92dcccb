// What is kept of every trial, whatever command made it.
#pragma once

#include <cstdint>
#include <string>

#include <nlohmann/json.hpp>

#include "tool/trial/trial.hpp"

namespace freshet::tool {

/// A call of the command, which its trials share.
struct run {
  std::int64_t id = 0;  ///< in the store; 0: not kept
  std::string command;  ///< "tune", "bench", …
  std::string words;    ///< the command line as it was typed
  std::string started;  ///< ISO 8601, UTC
  std::string ended;    ///< the same; empty while it is at work, and where it was ended from outside
  environment env;      ///< where it ran
};

/// A trial of any command. Records with equal workload, method, plan and class are repetitions of one another.
struct record {
  std::int64_t id = 0;   ///< in the store, in the order in which the trials were made; 0: not kept
  std::int64_t run = 0;  ///< the id of its run
  std::string workload;  ///< "text", "blocks", "bytes" (one at a time), "lines" (files processed line by line)
  std::string method;    ///< what is compared: a library's method, a baseline, a way to write bytes, a strategy
  std::string label;     ///< method and options for people: "uring 4 MiB x 2"
  nlohmann::json plan;   ///< all options, as the command's --json has them
  nlohmann::json more;   ///< figures that only this command has, by name; an empty object: none
  /// All figures. Of its plan, class, block (bytes; of `bytes` the buffer), depth, size and jobs (of `lines` the
  /// threads) mean the same for all commands.
  trial_result figures;
};

/// Of a trial of `tune`, `bench` or `text`; neither kept nor part of a run yet.
[[nodiscard]] record make_record(const trial_result& made);

}  // namespace freshet::tool
