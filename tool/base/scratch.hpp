// The one directory that trial files live in.
#pragma once

#include <filesystem>
#include <string>

#include "src/os/file.hpp"

namespace freshet::tool {

/// A directory `.freshet-<pid>-<random>` below the one that is measured; removed, with all that is in it, in the end.
/// Its owner holds a lock on a file in it, which the system lets go of even after SIGKILL: so the next run knows which
/// leftovers nobody owns any more, and removes them.
class scratch {
 public:
  /// Removes leftovers of dead owners in `directory`, then makes a directory of its own there. @throws freshet::error
  explicit scratch(const std::filesystem::path& directory);
  scratch(const scratch&) = delete;
  scratch& operator=(const scratch&) = delete;
  ~scratch();

  [[nodiscard]] const std::filesystem::path& path() const noexcept { return path_; }
  /// The path of the file `number` in it.
  [[nodiscard]] std::filesystem::path file(unsigned number) const;
  /// The path of another one, which clear() leaves.
  [[nodiscard]] std::filesystem::path kept_file(unsigned number) const;
  /// Removes all that is in it but the lock and those to be kept. @throws freshet::error
  void clear();

 private:
  std::filesystem::path path_;
  detail::os::file lock_;
  unsigned generation_;
};

/// Removes what dead owners left in `directory`; returns how many directories that were.
unsigned remove_leftovers(const std::filesystem::path& directory);

}  // namespace freshet::tool
