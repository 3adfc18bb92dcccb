// The directory of all trial files.
#pragma once

#include <filesystem>

#include "src/os/file.hpp"

namespace freshet::tool {

/// A directory `.freshet-<pid>-<random>` below the one that is measured. The destructor removes it with its content.
/// Its owner holds a lock on a file in it, which the system releases even after SIGKILL. By that, the next run
/// recognizes the directories of dead owners, and removes them.
class scratch {
 public:
  /// Removes the directories of dead owners in `directory`, then creates one. @throws freshet::error
  explicit scratch(const std::filesystem::path& directory);
  scratch(const scratch&) = delete;
  scratch& operator=(const scratch&) = delete;
  ~scratch();

  [[nodiscard]] const std::filesystem::path& path() const noexcept { return path_; }
  /// The path of the file `number` in it.
  [[nodiscard]] std::filesystem::path file(unsigned number) const;
  /// The path of another file, which clear() keeps.
  [[nodiscard]] std::filesystem::path kept_file(unsigned number) const;
  /// Removes its content except for the lock and the kept files. @throws freshet::error
  void clear();

 private:
  // Locks the directory. False if another run took it for a leftover before.
  [[nodiscard]] bool claim();

  std::filesystem::path path_;
  detail::os::file lock_;
  unsigned generation_;
};

/// Removes the directories of dead owners in `directory`. Returns their number.
unsigned remove_leftovers(const std::filesystem::path& directory);

}  // namespace freshet::tool
