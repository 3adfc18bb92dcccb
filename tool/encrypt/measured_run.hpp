// The measurement of one process's part of `freshet encrypt`.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include <nlohmann/json_fwd.hpp>

#include "tool/encrypt/encryption.hpp"

namespace freshet::tool {

struct encryption_figures {
  std::uint64_t files = 0;
  std::uint64_t bytes_read = 0;
  std::uint64_t bytes_written = 0;
  double seconds = 0;
  double cpu_process = 0;
  double cpu_whole = 0;                      ///< including the kernel's threads
  std::optional<std::uint64_t> peak_memory;  ///< bytes; empty if the system does not tell
};
void to_json(nlohmann::json& text, const encryption_figures& figures);
void from_json(const nlohmann::json& text, encryption_figures& figures);

/// The figures of two processes that ran at the same time: sums, the longer time and the larger memory.
[[nodiscard]] encryption_figures combine(const encryption_figures& one, const encryption_figures& other);

/// Called about five times a second, by a thread of its own, with the state of a run and the seconds that are left,
/// which are negative as long as they are not known.
using progress_listener = std::function<void(const std::string& state, double seconds_left)>;

/// Runs `job` and measures it. `listener` may be empty. @throws as encrypt()
[[nodiscard]] encryption_figures measure_encryption(const encryption_job& job, const progress_listener& listener);

}  // namespace freshet::tool
