// Files that never have a name: in memory first, then in a directory.
#pragma once

#include <cstdint>
#include <filesystem>
#include <system_error>

#include "src/os/directory.hpp"
#include "src/os/file.hpp"
#include "src/os/fork.hpp"

namespace freshet::detail {

/// Where a temporary file lies. The program's descriptor stays the same when the file moves.
class scratch_file {
 public:
  scratch_file() noexcept = default;

  /// Opens `path`, a directory, and a file in memory; in the directory if `memory` is 0 bytes or the system has no
  /// files in memory. Returns a closed file and sets `error` on failure.
  [[nodiscard]] os::file open(const std::filesystem::path& path, std::uint64_t memory, std::error_code& error);

  [[nodiscard]] bool is_in_memory() const noexcept { return in_memory_; }
  /// Moves `file`, which open() returned, into the directory. After an error it is still in memory. Precondition:
  /// is_in_memory(), and nothing is in flight.
  void spill(os::file& file, std::error_code& error) noexcept;

 private:
  [[nodiscard]] os::file open_in_directory(std::error_code& error) const;

  os::directory directory_;
  bool in_memory_ = false;
  unsigned generation_ = os::fork_generation();
};

}  // namespace freshet::detail
