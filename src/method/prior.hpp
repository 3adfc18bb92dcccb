// What is known of the ways to write and read on a device before a file shows it: by this process's files, or by the
// profile.
#pragma once

#include <cstdint>
#include <optional>

#include <freshet/profile.hpp>

#include "src/method/change_reason.hpp"
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
};

/// What files of this process left of a place within the last minute; figures that none left are zero. The child of a
/// fork has what its parent had. Takes no lock, and no memory.
[[nodiscard]] measured_ways recall_ways(const file_place& place) noexcept;
/// Leaves what a file showed for later files of the place, but for figures of fewer than 8 MiB. Takes no lock, and no
/// memory: of more than 32 places, some are forgotten.
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
  std::optional<file_place> place;  ///< where the file leaves its figures; empty: nowhere
  measured_ways ways;
  change_reason source = change_reason::profile;  ///< process: at least some of it
};
/// What this process's files left of the file's place and, beyond that, what the profile has. Numbers of devices do not
/// name file systems on btrfs and overlayfs; there, the key that profiles have does.
[[nodiscard]] prior find_prior(const os::file& target, const prior_setup& setup, file_kind kind) noexcept;

}  // namespace freshet::detail
