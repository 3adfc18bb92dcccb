// What is known of the ways to write and read on a device before a file shows it: by this process's files, or by the
// profile.
#pragma once

#include <cstdint>

#include <freshet/profile.hpp>

#include "src/os/file.hpp"

namespace freshet::detail {

/// What figures are of: they hold for files of the same kind only.
enum class file_kind : std::uint8_t {
  written,  ///< with durability::none: seconds until the program may go on
  durable,  ///< with durability::at_close: seconds until the device has it
  read,     ///< that the page cache did not hold
};

/// Where a file is, as far as its speed depends on it.
struct file_place {
  std::uint64_t device = 0;
  file_kind kind = file_kind::written;
  friend bool operator==(const file_place&, const file_place&) = default;
};

/// Returns the place of a file on `device`, the number in its status; where numbers of devices do not name file
/// systems, as on btrfs and overlayfs, by the key that profiles have.
[[nodiscard]] file_place place_of(const os::file& target, std::uint64_t device, file_kind kind) noexcept;

/// What files of this process left of a place within the last minute; figures that none left are zero. The child of a
/// fork has what its parent had. Takes no lock, and no memory.
[[nodiscard]] measured_ways recall_ways(const file_place& place) noexcept;
/// Leaves the figures that are not zero for later files of the place. Takes no lock, and no memory: of more than 32
/// places, some are forgotten.
void leave_ways(const file_place& place, const measured_ways& ways) noexcept;
/// Makes the next file the first one of the process, as far as its speed depends on earlier ones. For measurements.
void forget_priors() noexcept;

/// Whether FRESHET_PRIOR=none is not in the environment.
[[nodiscard]] bool are_priors_wanted() noexcept;

/// What a file may begin with.
struct prior_setup {
  bool is_wanted = false;       ///< if not, the file begins with nothing, and leaves nothing
  std::uint64_t device = 0;     ///< the number in the file's status
  measured_ways profiled = {};  ///< that the profile has of its class
};

/// What a file begins with.
struct prior {
  measured_ways ways;
  bool is_of_process = false;  ///< or at least some of it
  [[nodiscard]] bool is_empty() const noexcept;
};
/// What this process's files left of the place and, beyond that, what `profiled` has.
[[nodiscard]] prior find_prior(const file_place& place, const measured_ways& profiled) noexcept;

}  // namespace freshet::detail
