// Files that are deleted when they are closed, or later if their program was killed.
#pragma once

#include <filesystem>
#include <string>
#include <system_error>

#include "src/os/directory.hpp"
#include "src/os/file.hpp"
#include "src/os/fork.hpp"

namespace freshet::detail {

/// The two names of a file that is to be deleted. The second one, the marker, is a hidden entry beside it. Whoever
/// holds the lock of the file owns both names. The kernel releases the lock when the last process that has the file
/// open ends, and create() then deletes what such processes left in the directory.
class deletion {
 public:
  deletion() noexcept = default;
  deletion(const deletion&) = delete;
  deletion& operator=(const deletion&) = delete;
  ~deletion();

  /// Creates `path`, which must not exist, and deletes all such files in its directory whose processes have ended.
  /// Returns a closed file and sets `error` on failure: file_exists; operation_not_supported on file systems without
  /// hard links; device_or_resource_busy while a program has a file open whose name was the same.
  [[nodiscard]] os::file create(const std::filesystem::path& path, os::open_request request, std::error_code& error);

  /// Whether there is a file that remove() has not deleted. In the child of a fork there is none: it is the parent's.
  [[nodiscard]] bool is_pending() const noexcept { return pending_ && generation_ == os::fork_generation(); }
  /// Deletes the file. A file of the same name that another program put there stays. Precondition: is_pending().
  void remove(std::error_code& error) noexcept;

 private:
  os::directory directory_;
  native_string name_;
  native_string marker_;
  os::file_status status_;  // tells the file from others of its name
  bool pending_ = false;
  unsigned generation_ = os::fork_generation();
};

}  // namespace freshet::detail
