// One process's part of `freshet encrypt`, measured.
#pragma once

#include <cstdint>
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
  double cpu_whole = 0;                      ///< with the kernel's threads
  std::optional<std::uint64_t> peak_memory;  ///< bytes; empty where the system does not say
};
void to_json(nlohmann::json& text, const encryption_figures& figures);
void from_json(const nlohmann::json& text, encryption_figures& figures);

/// Those of processes that worked side by side: sums, the longest time, and the largest memory.
[[nodiscard]] encryption_figures together(const encryption_figures& one, const encryption_figures& other);

/// Does `job`; on a terminal, a line says how far it is where `shows_progress`. @throws as encrypt()
[[nodiscard]] encryption_figures encrypt_measured(const encryption_job& job, bool shows_progress);

}  // namespace freshet::tool
