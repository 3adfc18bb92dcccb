// What each Unix does in its own way, for the files of this folder: a system's folder defines these.
#pragma once

#include <sys/stat.h>

#include <cstdint>
#include <optional>

#include "src/os/file.hpp"

namespace freshet::detail::os {

/// The flags of open() for a file without a name in a directory; empty: the system has no such files.
[[nodiscard]] std::optional<int> unnamed_file_flags() noexcept;

/// The flags of open() for a directory that may not be read, but whose entries may be used; empty: it has none.
[[nodiscard]] std::optional<int> unread_directory_flags() noexcept;

/// Whether `status_flags` (F_GETFL) are those of a file that bypasses the page cache.
[[nodiscard]] bool bypasses_page_cache(int status_flags) noexcept;

/// When the content changed, in nanoseconds since the epoch.
[[nodiscard]] std::int64_t modification_time(const struct stat& entry) noexcept;

/// Lets `descriptor` mean the open file of `other`, and closes it in programs that the process becomes. Returns a
/// negative number and sets errno on failure.
[[nodiscard]] int duplicate_onto(int descriptor, int other) noexcept;

/// Tries to lock the open file for this process (EWOULDBLOCK while it is locked elsewhere), unlocks it, and tells how
/// many bytes can be read from it without waiting. All return a negative number and set errno on failure.
[[nodiscard]] int try_lock(int descriptor) noexcept;
[[nodiscard]] int release_lock(int descriptor) noexcept;
[[nodiscard]] int count_ready(int descriptor, std::uint64_t& bytes) noexcept;

/// How many bytes an open block device holds. Returns a negative number and sets errno on failure.
[[nodiscard]] int device_size(int descriptor, std::uint64_t& bytes) noexcept;

/// Waits until the data of an open file and the metadata needed to find it, or all its metadata, are on the device.
/// Both return a negative number and set errno on failure.
[[nodiscard]] int sync_data_to_device(int descriptor) noexcept;
[[nodiscard]] int sync_to_device(int descriptor) noexcept;

/// Tells the system how [offset, offset + length) of an open file will be used; a length of 0 means up to the end. Does
/// nothing where it cannot be told. Returns a negative number and sets errno on failure.
[[nodiscard]] int give_advice(int descriptor, advice kind, std::uint64_t offset, std::uint64_t length) noexcept;

/// Writes everything that the file system of an open file has in memory to its device. Returns a negative number and
/// sets errno on failure.
[[nodiscard]] int sync_whole_file_system(int descriptor) noexcept;

}  // namespace freshet::detail::os
