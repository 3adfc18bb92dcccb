// Directories in the seam: the entries of one that is held open.
#pragma once

#include <filesystem>
#include <system_error>
#include <utility>
#include <vector>

#include <freshet/path_argument.hpp>

#include "src/os/file.hpp"

namespace freshet::detail::os {

/// An open directory. Its entries are found through it, whatever becomes of its path and the working directory.
class directory {
 public:
  directory() noexcept = default;
  directory(directory&& other) noexcept : descriptor_{std::exchange(other.descriptor_, no_native_handle)} {}
  directory& operator=(directory&& other) noexcept {
    std::swap(descriptor_, other.descriptor_);
    return *this;
  }
  directory(const directory&) = delete;
  directory& operator=(const directory&) = delete;
  ~directory();

  /// Opens `path`; returns a closed directory and sets `error` on failure. One that may not be read can be used, but
  /// not synced.
  [[nodiscard]] static directory open(const std::filesystem::path& path, std::error_code& error);
  /// Opens the directory in which `inside` is now, as /proc tells; where it does not, the directory of `path`.
  [[nodiscard]] static directory containing(const file& inside, const native_string& path,
                                            std::error_code& error) noexcept;

  [[nodiscard]] bool is_open() const noexcept { return descriptor_ != no_native_handle; }
  /// Whether its file system is_local().
  [[nodiscard]] bool is_local() const noexcept;

  /// Opens the entry `name`, or for disposition::unnamed a file without a name ("." as `name`). As file::open().
  [[nodiscard]] file open_file(const native_string& name, const open_request& request, std::error_code& error) const;
  /// Gives `target`, a file of this file system, the name `name`, which must not exist. `present` is the name that it
  /// has in this directory; empty: it has none, and where there are no files without names, operation_not_supported.
  void link(const file& target, const native_string& present, const native_string& name,
            std::error_code& error) const noexcept;
  /// Sets `error` if link() could not give `unnamed`, a file without a name, one here: with neither /proc nor Linux
  /// 6.10, or where the system refuses the call.
  void require_linkable(const file& unnamed, std::error_code& error) const noexcept;
  void rename(const native_string& from, const native_string& to, std::error_code& error) const noexcept;
  /// Renames an entry unless there is one with the name `to` (file_exists); operation_not_supported or invalid_argument
  /// where the system or the file system cannot tell at once.
  void rename_to_free(const native_string& from, const native_string& to, std::error_code& error) const noexcept;
  void remove(const native_string& name, std::error_code& error) const noexcept;
  /// The names of the entries, except "." and ".."; those found before `error` if it is set.
  [[nodiscard]] std::vector<native_string> names(std::error_code& error) const;
  /// The status of the entry `name`, without following links.
  [[nodiscard]] file_status status_of(const native_string& name, std::error_code& error) const noexcept;
  /// Gives `target` the mode, the owner, the access control list and the extended attributes of the entry `name`, if
  /// there is one; returns whether it did. Where this user may not give files away, the owner stays, and set-user-ID
  /// and set-group-ID are dropped. Attributes of the system's own ("security.", "trusted.") are kept where it allows
  /// that.
  [[nodiscard]] bool copy_attributes(const native_string& name, const file& target,
                                     std::error_code& error) const noexcept;
  /// Waits until the entries are on the device; permission_denied if the directory may not be read.
  void sync(std::error_code& error) const noexcept;
  /// Writes everything that the file system has in memory to its device (syncfs), for a directory that may be read.
  void sync_file_system(std::error_code& error) const noexcept;

 private:
  native_handle_type descriptor_ = no_native_handle;
};

/// The name of the entry that `path` means in its directory: its last part, on Windows without the dots and spaces at
/// its end, which Windows drops from paths, but not from names of entries.
[[nodiscard]] native_string entry_name(const std::filesystem::path& path);

}  // namespace freshet::detail::os
