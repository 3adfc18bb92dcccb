// Files that stay hidden until they are complete.
#pragma once

#include <filesystem>
#include <string>
#include <system_error>

#include <freshet/options.hpp>

#include "src/os/directory.hpp"
#include "src/os/fork.hpp"

namespace freshet::detail {

/// Whether the file stays hidden until it is closed.
[[nodiscard]] inline bool is_to_be_hidden(const writer_options& options) noexcept {
  return options.hidden_until_closed || options.atomic;
}

/// The directory entry of a file that appears under its name only when it is complete. Until then the file has no name
/// or, on file systems without O_TMPFILE, a temporary one in the same directory, which is held open.
class publisher {
 public:
  publisher() noexcept = default;
  publisher(const publisher&) = delete;
  publisher& operator=(const publisher&) = delete;
  ~publisher() { discard(); }

  /// Opens a new file in the directory of `path`; a closed one with `error` set on failure.
  [[nodiscard]] os::file open_hidden(const std::filesystem::path& path, const os::open_request& request,
                                     std::error_code& error);
  /// Whether a file was opened that publish() has not given its name.
  [[nodiscard]] bool is_pending() const noexcept { return pending_; }

  /// Gives `file`, which open_hidden() opened, the attributes of the file that it will replace; returns whether there
  /// is one.
  [[nodiscard]] bool copy_attributes(const os::file& file, std::error_code& error) const {
    return directory_.copy_attributes(name_, file, error);
  }
  /// Gives `file`, which open_hidden() opened, the last part of its `path` as its name. An existing file of that name
  /// is replaced if `replace`, and otherwise an error (file_exists).
  void publish(const os::file& file, bool replace, std::error_code& error) noexcept;
  /// Removes a temporary name; the file disappears when it is closed. In the child of a fork the name stays: it is the
  /// parent's.
  void discard() noexcept;

  /// The directory of a hidden file, even after it was published; closed if there was none.
  [[nodiscard]] const os::directory& directory() const noexcept { return directory_; }

 private:
  void rename_to_free_name(std::error_code& error) noexcept;

  os::directory directory_;
  native_string name_;
  native_string temporary_;  // empty: the file has no name
  bool pending_ = false;
  unsigned generation_ = os::fork_generation();
};

}  // namespace freshet::detail
