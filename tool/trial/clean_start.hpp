// What every trial begins with: a machine on which nothing of the last one goes on.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>

#include "tool/measure/cpu.hpp"
#include "tool/measure/memory.hpp"
#include "tool/trial/trial.hpp"

namespace freshet::tool {

/// The same for all trials of a run in one directory.
class clean_start {
 public:
  /// `device_name`: empty where there is none to be seen.
  clean_start(std::filesystem::path directory, std::string device_name)
      : directory_{std::move(directory)}, device_name_{std::move(device_name)} {}

  /// Has everything written out, and waits until the device has nothing to do; false where it does not come to that.
  /// @throws freshet::error; interrupted
  [[nodiscard]] bool wait();

  /// Has the next `bytes` of the page cache come from memory in that state. @throws freshet::error; interrupted
  void provide(memory_state wanted, std::uint64_t bytes);

  /// What the waiting taught.
  [[nodiscard]] const idle_baseline& idle() const noexcept { return idle_; }

 private:
  std::filesystem::path directory_;
  std::string device_name_;
  idle_baseline idle_;
  memory_in_use memory_;  // in which no trial's file may lie
};

}  // namespace freshet::tool
