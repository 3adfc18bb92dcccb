// Visits: a file system is made, mounted, used for some trials, and unmounted.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "tool/trial/trial.hpp"
#include "tool/trial/trial_runner.hpp"

namespace freshet::tool {

/// Seconds around the trials of a visit.
struct visit_times {
  double mkfs = 0;
  double mount = 0;
  double umount = 0;
};

struct visit {
  visit_times times;
  std::vector<trial_result> trials;
};

/// Bytes of each of the files that the workload `files` consists of; a plan's size is that of all of them.
inline constexpr std::uint64_t small_file_size = 4096;
/// The share of a volume that aging fills.
inline constexpr double aged_share = 0.8;
/// What aging writes, as a share of the volume: all of that, and twice half of it again.
inline constexpr double written_by_aging = 2 * aged_share;

/// Makes volumes on one block device, one after another. All that is on the device is lost.
class volume_runner {
 public:
  /// @param device       "/dev/loop3"
  /// @param mount_point  an empty directory
  /// @param memory       prepares the memory of the machine for each trial
  volume_runner(std::string device, std::filesystem::path mount_point, std::shared_ptr<memory_preparation> memory);

  /// Makes the volume of that name, ages it if the name says so, mounts it, runs a trial of each plan, and unmounts it.
  /// @throws freshet::error  if the volume cannot be made or mounted, with the words of mkfs; interrupted
  [[nodiscard]] visit run(const std::string& volume, std::span<const trial_plan> plans);

  /// Bytes that the device was told to write since this object was made: by trials, mkfs and aging.
  [[nodiscard]] std::uint64_t bytes_written() const;

 private:
  [[nodiscard]] double make(const std::string& volume) const;
  [[nodiscard]] std::uint64_t read_written_bytes() const;

  std::string device_;
  std::filesystem::path mount_point_;
  std::shared_ptr<memory_preparation> memory_;
  std::uint64_t written_before_;
  std::uint64_t aged_ = 0;  // volumes, so that no two age alike
};

/// Runs a trial of the workload `files` in `directory`: makes all files, 100 in each directory, and syncs the file
/// system once. @throws freshet::error; interrupted
[[nodiscard]] trial_result write_small_files(const std::filesystem::path& directory, const trial_plan& plan,
                                             const std::shared_ptr<memory_preparation>& memory);

/// Fills aged_share of the file system with files of 4 KiB to 16 MiB, then twice deletes half of them at random and
/// fills it again. Leaves `room` bytes free at least. @throws freshet::error; interrupted
void age(const std::filesystem::path& directory, std::uint64_t seed, std::uint64_t room);

}  // namespace freshet::tool
