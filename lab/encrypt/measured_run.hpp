// The measurement of `freshet encrypt`, and the record of it.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "lab/encrypt/encryption.hpp"
#include "tool/base/json_optional.hpp"
#include "tool/measure/cold.hpp"
#include "tool/store/record.hpp"

namespace freshet::tool {

/// The figures of one process, or of all processes together.
struct encryption_figures {
  std::uint64_t files = 0;
  std::uint64_t bytes_read = 0;
  std::uint64_t bytes_written = 0;
  double seconds = 0;
  double cpu_process = 0;
  double cpu_whole = 0;                      ///< including the kernel's threads
  std::optional<std::uint64_t> peak_memory;  ///< bytes; empty if the system does not tell
  /// Bytes of the inputs and outputs that the page cache held afterwards; empty if the system does not tell.
  std::optional<std::uint64_t> page_cache;
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(encryption_figures, files, bytes_read, bytes_written, seconds, cpu_process,
                                   cpu_whole, peak_memory, page_cache)

/// The figures of two processes that ran at the same time: sums, the longer time and the larger memory of a process.
[[nodiscard]] encryption_figures combine(const encryption_figures& one, const encryption_figures& other);

/// Called about five times a second, by a thread of its own, with the state of a run and the seconds that are left,
/// which are negative as long as they are not known.
using progress_listener = std::function<void(const std::string& state, double seconds_left)>;

/// Runs `job` and measures it. `listener` may be empty. @throws as encrypt()
[[nodiscard]] encryption_figures measure_encryption(const encryption_job& job, const progress_listener& listener);

void to_json(nlohmann::json& out, const eviction& cold);
/// @throws nlohmann::json::exception
void from_json(const nlohmann::json& in, eviction& cold);

/// A run that succeeded.
struct encryption_report {
  std::string started;  ///< ISO 8601, UTC
  std::string in;
  std::string out;
  encryption_plan plan;
  std::string why;  ///< why the strategy was chosen; empty if the user named it
  unsigned ranks = 1;
  std::size_t finished_before = 0;  ///< files that the continued run had finished
  std::optional<eviction> cold;     ///< empty if it was not requested
  /// Files that hold what their inputs become; empty if that was not requested.
  std::optional<std::size_t> verified;
  encryption_figures figures;
};

/// The time until the disk has the files is not measured, so it is 0. The record has neither an id nor a run yet.
[[nodiscard]] record make_record(const encryption_report& report);

}  // namespace freshet::tool
