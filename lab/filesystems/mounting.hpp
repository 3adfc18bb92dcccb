// Mounts that end with this process, whatever ends it.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace freshet::tool {

/// Gives this process a mount namespace of its own: nobody else sees what it mounts, and the kernel unmounts that when
/// the process ends. Call it before the process has threads. @throws freshet::error  without the privilege
void keep_mounts_private();

/// Options of mounting as the system call takes them: some are flags, and the file system gets the others.
struct mount_request {
  unsigned long flags = 0;
  std::string data;
};
[[nodiscard]] mount_request make_mount_request(const std::vector<std::string>& options);

/// A mounted file system.
class mounted_volume {
 public:
  /// @throws freshet::error  if the kernel refuses it
  mounted_volume(const std::string& device, const std::filesystem::path& mount_point, const std::string& type,
                 const std::vector<std::string>& options);
  mounted_volume(const mounted_volume&) = delete;
  mounted_volume& operator=(const mounted_volume&) = delete;
  /// Unmounts it, at the latest when its last file is closed.
  ~mounted_volume();

  /// Unmounts it: all that it holds is on its device then. Waits some seconds for the kernel to close files that killed
  /// or finished work had open. @throws freshet::error
  void unmount();

  [[nodiscard]] const std::filesystem::path& path() const noexcept { return mount_point_; }

 private:
  std::filesystem::path mount_point_;
  bool is_mounted_ = true;
};

}  // namespace freshet::tool
