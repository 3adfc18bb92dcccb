// A block device in a file: a loop device with direct I/O, so that the page cache of the file system below takes no
// part.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "src/os/file.hpp"

namespace freshet::tool {

/// A file of a fixed size, all of it written, and the loop device over it. The device ends when nobody has it open or
/// mounted any more: at the latest when this process ends. The file stays for whom its directory belongs to.
class loop_file {
 public:
  /// Writes `bytes` to a new file `path`. @throws freshet::error  if the file cannot be written, or no loop device with
  /// direct I/O can be had; interrupted
  loop_file(const std::filesystem::path& path, std::uint64_t bytes);

  /// "/dev/loop3"
  [[nodiscard]] const std::string& device() const noexcept { return device_; }

 private:
  void attach(const std::filesystem::path& path);

  std::string device_;
  detail::os::file open_;  // keeps the device
};

}  // namespace freshet::tool
