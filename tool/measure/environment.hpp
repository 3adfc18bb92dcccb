// The machine, file system and settings that trials are measured on.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

namespace freshet::tool {

struct environment {
  std::string machine;  ///< uname -m and the CPU's model
  std::string kernel;   ///< release
  unsigned cpus = 0;
  std::uint64_t memory = 0;  ///< bytes
  std::string governor;      ///< CPU frequency governor; empty if there is none
  std::string directory;
  std::string file_system_key;
  std::string file_system;  ///< type
  std::string mount_options;
  std::string device;  ///< name; empty if it cannot be seen
  std::string device_model;
  std::string scheduler;
  std::string write_cache;
  std::string dirty_settings;     ///< vm.dirty_* as "name=value …"
  double first_touch_fresh = 0;   ///< MB/s of touching memory new to this process
  double first_touch_reused = 0;  ///< MB/s of touching as much again right after freeing it
  std::string version;            ///< freshet's
  std::string build;              ///< build_description()
};

/// Describes this machine and the file system of `directory`; measures the speed of first touch, which takes memory for
/// a moment. @throws freshet::error if `directory` does not exist
[[nodiscard]] environment read_environment(const std::filesystem::path& directory);

/// How this freshet was built: compiler, build type and optional features, such as "GNU 12.2.0, Release, uring,
/// libaio".
[[nodiscard]] std::string_view build_description();

/// The network name of the machine that this process runs on, which may be one of several; empty if it is unknown.
[[nodiscard]] std::string host_name();

/// The number of processors that this process may use; at least 1.
[[nodiscard]] unsigned processor_count() noexcept;

}  // namespace freshet::tool
