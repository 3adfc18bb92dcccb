// A real device that is to be overwritten, and all reasons not to.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace freshet::tool {

/// Something that must not be overwritten, and the devices that it lies on.
struct precious_place {
  std::string what;                  ///< "the root file system", "swap", "the directory /data"
  std::vector<std::string> devices;  ///< names, from the top down to the disks
};

/// The root file system, all swap, and `directory`, each with its devices. @throws freshet::error  if `directory` does
/// not exist
[[nodiscard]] std::vector<precious_place> find_precious_places(const std::filesystem::path& directory,
                                                               const std::filesystem::path& proc = "/proc",
                                                               const std::filesystem::path& sys = "/sys");

/// The names of the devices that the block device `name` is part of, or that are part of it: its disk, and its
/// partitions.
[[nodiscard]] std::vector<std::string> list_overlapping(const std::string& name,
                                                        const std::filesystem::path& sys = "/sys");

/// What blkid calls the content of `device`, such as "ext4" or "a gpt partition table"; empty if it has no signature.
/// @throws child_failure  if that cannot be found out
[[nodiscard]] std::string find_signature(const std::string& device);

/// Checks that `device` may be overwritten: it is a block device that can be written, it lies beneath none of
/// `precious`, it is not mounted, nobody uses it, and either it has no signature or `destroy` is true.
/// @throws freshet::error  with the reason
void require_expendable(const std::string& device, bool destroy, const std::vector<precious_place>& precious);

/// Checks only that nobody has begun to use it. @throws freshet::error
void require_unused(const std::string& device);

/// Bytes of a block device. @throws freshet::error
[[nodiscard]] std::uint64_t size_of_device(const std::string& device);

}  // namespace freshet::tool
