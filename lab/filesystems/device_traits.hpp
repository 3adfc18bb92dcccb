// What a file system that is made on a device should know of it, and what durability costs there.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace freshet::tool {

/// How a RAID spreads data over its disks.
struct raid_geometry {
  std::uint64_t chunk = 0;  ///< bytes on one disk before the next disk's turn
  unsigned disks = 0;       ///< that have data, not redundancy, in each stripe
  friend bool operator==(const raid_geometry&, const raid_geometry&) = default;
};

/// Reads "64Kx4": the chunk, and the number of disks with data. @throws std::invalid_argument
[[nodiscard]] raid_geometry parse_raid(std::string_view text);

/// The geometry of the md array `name` ("md0"), or of the one that it lies on, such as a partition or a logical volume
/// (md(4)); empty if there is none that spreads data. `sys` is where sysfs is mounted.
[[nodiscard]] std::optional<raid_geometry> find_raid(const std::string& name,
                                                     const std::filesystem::path& sys = "/sys");

/// The option of mkfs that tells a file system of that type (mkfs.xfs(8), mke2fs(8)); empty for types without one.
[[nodiscard]] std::string stripe_option(std::string_view type, const raid_geometry& raid);

/// Milliseconds that the device takes until a block of 4 KiB is durable: the median of 20, written past the page cache,
/// each with a flush of the device's cache. What `device` held there is lost. @throws freshet::error  also
/// if it is in use (O_EXCL); interrupted
[[nodiscard]] double measure_flush(const std::string& device);

/// "vdb: write cache on (write back), 1.2 ms for a durable block of 4 KiB": for people. `sys` as above.
[[nodiscard]] std::string describe_durability(const std::string& device, double flush_milliseconds,
                                              const std::filesystem::path& sys = "/sys");

}  // namespace freshet::tool
