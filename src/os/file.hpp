// The seam between the library and an operating system's files: all system calls on files are behind this header. Each
// function tries once; src/method/transfer.hpp completes short transfers and repeats interrupted calls. Each system has
// a folder beside this one, `unix` what all Unix systems share, and `absent` what stands for what a system lacks.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <system_error>
#include <type_traits>
#include <vector>

#include <freshet/detail/native_handle.hpp>
#include <freshet/options.hpp>
#include <freshet/path_argument.hpp>

#include "src/os/direct_state.hpp"

namespace freshet::detail::os {

/// How a file is opened for writing or reading.
struct open_request {
  enum class disposition : std::uint8_t {
    existing,    ///< must exist; its content stays
    create,      ///< created when missing; its content stays
    truncate,    ///< created when missing, emptied otherwise
    create_new,  ///< must not exist
    unnamed,     ///< create a file without a name in the directory `path` (O_TMPFILE); a system may lack it
  };
  disposition creation = disposition::truncate;
  bool read = false;
  bool write = true;
  bool append = false;          ///< every write goes to the end (O_APPEND)
  bool synchronous = false;     ///< every write is durable when it returns (O_DSYNC); see has_synchronous_writes()
  bool follow_links = true;     ///< if false, a symbolic link at the end of the path is an error (O_NOFOLLOW)
  unsigned permissions = 0666;  ///< reduced by the process's umask; a system may have none

  // Hints for systems that take them only here (Windows); the others have advise() and no such files.
  bool random = false;     ///< transfers are at random offsets
  bool once = false;       ///< from front to back, and not again soon
  bool sparse = false;     ///< a new file takes no space for what is left out of it
  bool temporary = false;  ///< will soon be deleted: need not reach the device
  /// The system deletes the file when its descriptor is closed, even if it ends the program. Only where
  /// deletes_on_close.
  bool delete_on_close = false;
};

enum class file_kind : std::uint8_t { regular, directory, pipe, socket, character_device, block_device, other };

/// Whether files of this kind hold bytes at offsets, up to a size: then they can be read and written at any of them.
[[nodiscard]] constexpr bool has_size(file_kind kind) noexcept {
  return kind == file_kind::regular || kind == file_kind::block_device;
}

/// Whether a file of this name is likely to be a device. False says nothing.
[[nodiscard]] bool may_be_device(const native_string& path) noexcept;

/// What fstat() returns.
struct file_status {
  file_kind kind = file_kind::other;
  std::uint64_t size = 0;       ///< bytes; of a block device only where it is open
  std::uint64_t allocated = 0;  ///< bytes on the device, without holes (st_blocks × 512)
  std::uint64_t device = 0;     ///< number of the file system's device; may change at boot
  std::uint64_t inode = 0;
  std::int64_t modified = 0;  ///< nanoseconds since the epoch
  std::uint64_t links = 0;    ///< names
  bool is_own = false;        ///< whether it belongs to the process's effective user
};

/// A part of a file that is contiguous on the device.
struct extent {
  std::uint64_t logical = 0;   ///< bytes from the file's start
  std::uint64_t physical = 0;  ///< bytes from the device's start
  std::uint64_t length = 0;    ///< bytes
  bool unwritten = false;      ///< allocated, not yet written
};

/// How much of a file the page cache holds, in pages of page_size() bytes.
struct residency {
  std::uint64_t pages = 0;
  std::uint64_t cached = 0;
  std::uint64_t dirty = 0;      ///< 0 if only mincore is available
  std::uint64_t writeback = 0;  ///< 0 if only mincore is available
};

enum class advice : std::uint8_t { sequential, random, will_need, dont_need, no_reuse };

/// The alignment that O_DIRECT requires.
struct direct_limits {
  std::size_t memory = 0;  ///< alignment of memory, bytes
  std::size_t offset = 0;  ///< alignment of offsets and lengths, bytes
};

/// An open file. Closes its descriptor in the end unless it was borrowed.
class file {
 public:
  file() noexcept = default;
  file(file&& other) noexcept;
  file& operator=(file&& other) noexcept;
  file(const file&) = delete;
  file& operator=(const file&) = delete;
  ~file();

  /// Opens `path`; returns a closed file and sets `error` on failure. Repeats interrupted calls.
  [[nodiscard]] static file open(const native_string& path, const open_request& request, std::error_code& error);
  /// Opens the existing file or directory `path` for reading.
  [[nodiscard]] static file open_existing(const native_string& path, std::error_code& error) {
    return open(path, {.creation = open_request::disposition::existing, .read = true, .write = false}, error);
  }
  /// Wraps an open descriptor, which close() closes only if it is `owned`.
  [[nodiscard]] static file wrap(native_handle_type descriptor, bool owned) noexcept;

  [[nodiscard]] bool is_open() const noexcept { return descriptor_ != no_native_handle; }
  [[nodiscard]] native_handle_type descriptor() const noexcept { return descriptor_; }
  /// Closes the descriptor, even if `error` is set (close(2)).
  void close(std::error_code& error) noexcept;

  /// Lets the descriptor mean the open file of `other`, which keeps its own; the file before is closed (dup3).
  void replace(const file& other, std::error_code& error) noexcept;

  /// Writes at the descriptor's own position (with O_APPEND, at the end); returns how many bytes were written, which
  /// may be fewer than all.
  std::size_t write(std::span<const std::byte> bytes, std::error_code& error) noexcept;
  /// Writes `first` and then `second` there in one call (writev). A system without such a call writes only the first of
  /// them that has bytes.
  std::size_t write(std::span<const std::byte> first, std::span<const std::byte> second,
                    std::error_code& error) noexcept;
  /// Writes at `offset` (pwrite).
  std::size_t write_at(std::span<const std::byte> bytes, std::uint64_t offset, std::error_code& error) noexcept;
  /// Reads at the descriptor's own position; 0 at the end of the file.
  std::size_t read(std::span<std::byte> bytes, std::error_code& error) noexcept;
  /// Reads at `offset`; 0 at the end of the file.
  std::size_t read_at(std::span<std::byte> bytes, std::uint64_t offset, std::error_code& error) noexcept;

  /// The descriptor's own position; invalid_seek for pipes and other files without positions.
  [[nodiscard]] std::uint64_t position(std::error_code& error) const noexcept;
  void set_position(std::uint64_t offset, std::error_code& error) noexcept;
  /// Moves it to the end of the file; invalid_argument where there is none to go to, as in most files below /proc.
  void set_position_to_end(std::error_code& error) noexcept;

  void set_size(std::uint64_t size, std::error_code& error) noexcept;

  /// Waits until the data, and the metadata needed to find it, are on the device (fdatasync). Must not be repeated
  /// after an error.
  void sync_data(std::error_code& error) noexcept;
  /// Waits until the data and all metadata are on the device (fsync). Must not be repeated after an error.
  void sync(std::error_code& error) noexcept;
  /// posix_fadvise; a length of 0 means up to the end.
  void advise(advice kind, std::uint64_t offset, std::uint64_t length, std::error_code& error) noexcept;

  [[nodiscard]] file_status status(std::error_code& error) const noexcept;
  /// Whether the descriptor was opened with O_APPEND; whether for both reading and writing.
  [[nodiscard]] bool appends() const noexcept;
  [[nodiscard]] bool reads_and_writes() const noexcept;
  /// Whether the descriptor was opened for reading; for writing. Where the system does not tell, whether it is open.
  [[nodiscard]] bool is_readable() const noexcept;
  [[nodiscard]] bool is_writable() const noexcept;

  // What a system may lack. There, unless it says otherwise, a call fails with operation_not_supported and changes
  // nothing.

  /// Opens a new file in memory, without a name, for reading and writing (memfd_create, Linux 3.17).
  [[nodiscard]] static file in_memory(std::error_code& error);
  /// Locks the open file exclusively until it is closed (flock); operation_would_block while another open file has the
  /// lock, in this process or another.
  void lock(std::error_code& error) const noexcept;
  /// Gives that lock up, also for the child of a fork, which shares it.
  void unlock(std::error_code& error) const noexcept;
  /// How many bytes can be read without waiting, for a pipe, a socket or a terminal (FIONREAD).
  [[nodiscard]] std::uint64_t ready(std::error_code& error) const noexcept;

  /// Allocates space for [offset, offset + length) without changing the size (FALLOC_FL_KEEP_SIZE).
  void preallocate(std::uint64_t offset, std::uint64_t length, std::error_code& error) noexcept;
  /// Frees the space allocated beyond `size`, the file's size; does nothing where none can be allocated.
  void free_preallocation(std::uint64_t size, std::error_code& error) noexcept;

  /// Writes at `offset` through the page cache; the kernel drops the pages after writing them (RWF_DONTCACHE, Linux
  /// 6.14). operation_not_supported if the kernel or the file system does not support that, and before Linux 6.16,
  /// where it could damage pages.
  std::size_t write_dontcache(std::span<const std::byte> bytes, std::uint64_t offset, std::error_code& error) noexcept;
  /// Starts writing the range's dirty pages (sync_file_range). On overlayfs this drops those that are not dirty, too
  /// (posix_fadvise).
  void start_writeback(std::uint64_t offset, std::uint64_t length, std::error_code& error) noexcept;
  /// Starts writing them and waits until they are written; they may still be in the device's own cache. On overlayfs,
  /// does the same for the whole file, as sync_data().
  void wait_writeback(std::uint64_t offset, std::uint64_t length, std::error_code& error) noexcept;

  /// Turns O_DIRECT on or off; invalid_argument if the file system refuses it. Makes no system call if the flag is set
  /// already.
  void set_direct(bool on, std::error_code& error) noexcept;
  [[nodiscard]] bool is_direct() const noexcept { return static_cast<bool>(direct_); }
  /// The alignment for O_DIRECT (statx STATX_DIOALIGN, Linux 6.1); empty if the kernel does not tell; zeros if the file
  /// system, or the whole system, does not support O_DIRECT.
  [[nodiscard]] std::optional<direct_limits> direct_alignment() const noexcept;

  /// The file's extents in order (FIEMAP), except those that have no place on the device yet. Flushes nothing.
  [[nodiscard]] std::vector<extent> extents(std::error_code& error) const;
  /// How much of the file, or of its first `length` bytes, the page cache holds (cachestat, Linux 6.5; without it,
  /// and on overlayfs, mincore). operation_not_permitted if the caller neither owns the file nor may write to it.
  [[nodiscard]] residency cached(std::error_code& error,
                                 std::uint64_t length = std::numeric_limits<std::uint64_t>::max()) const;

  /// The same for [offset, offset + length), which must lie in the file.
  [[nodiscard]] residency cached_in(std::uint64_t offset, std::uint64_t length, std::error_code& error) const;

  /// Bytes of [offset, offset + length) that are in the page cache and not yet on the device (cachestat, Linux 6.5);
  /// function_not_supported without it, and on overlayfs.
  [[nodiscard]] std::uint64_t unwritten(std::uint64_t offset, std::uint64_t length,
                                        std::error_code& error) const noexcept;

 private:
  friend class directory;
  static file open_at(native_handle_type directory, const native_string& path, const open_request& request,
                      std::error_code& error);

  native_handle_type descriptor_ = no_native_handle;
  bool owned_ = false;
  direct_state direct_{};
};

/// A shared mapping of a part of a file. The destructor unmaps it.
class mapping {
 public:
  mapping() noexcept = default;
  mapping(mapping&& other) noexcept;
  mapping& operator=(mapping&& other) noexcept;
  mapping(const mapping&) = delete;
  mapping& operator=(const mapping&) = delete;
  ~mapping();

  /// Maps [offset, offset + length) of `target`, which must be open for reading and writing and at least that long.
  /// Precondition: offset is a multiple of page_size().
  [[nodiscard]] static mapping map(const file& target, std::uint64_t offset, std::size_t length,
                                   std::error_code& error);

  /// Maps for reading only: `target` need not be open for writing, and bytes() must not be changed.
  [[nodiscard]] static mapping map_to_read(const file& target, std::uint64_t offset, std::size_t length,
                                           std::error_code& error);

  [[nodiscard]] std::span<std::byte> bytes() const noexcept { return {data_, length_}; }
  /// Writes the dirty pages to the device and waits (msync).
  void sync(std::error_code& error) const noexcept;

 private:
  static mapping map_as(int protection, const file& target, std::uint64_t offset, std::size_t length,
                        std::error_code& error);

  std::byte* data_ = nullptr;
  std::size_t length_ = 0;
};

/// Allocates memory directly from the system, aligned to a page; from 2 MiB on aligned to 2 MiB, with huge pages
/// requested. Returns null if there is none.
[[nodiscard]] std::byte* allocate_pages(std::size_t length) noexcept;
void free_pages(std::byte* memory, std::size_t length) noexcept;
/// Enlarges memory from allocate_pages() from `length` to `wanted` bytes without copying; it may move. Returns null,
/// and leaves `memory` unchanged, if there is not enough.
[[nodiscard]] std::byte* grow_pages(std::byte* memory, std::size_t length, std::size_t wanted) noexcept;
[[nodiscard]] std::size_t page_size() noexcept;

/// Whether the system deletes files that ask for it when they are opened (Windows).
inline constexpr bool deletes_on_close = std::is_pointer_v<native_handle_type>;
/// Whether setting a file's size allocates its space (Windows); elsewhere the file gets a hole, and stores into a
/// mapping of it end the program where the device is full.
inline constexpr bool set_size_allocates = std::is_pointer_v<native_handle_type>;
/// Whether file::sync_data() misses what is in mappings, unless they were synced before (Windows).
inline constexpr bool mappings_sync_apart = std::is_pointer_v<native_handle_type>;

/// Whether what was written to a file opened as `synchronous` is on the device. Where it is not, each write takes a
/// file::sync_data().
[[nodiscard]] bool has_synchronous_writes() noexcept;

/// Whether programs decide here when the page cache writes a part of a file (file::start_writeback, wait_writeback).
[[nodiscard]] bool has_writeback_control() noexcept;

/// The status of `path`, following links.
[[nodiscard]] file_status status_of(const std::filesystem::path& path, std::error_code& error) noexcept;
/// Sets `error` if this user may not open `path` for reading.
void require_readable(const std::filesystem::path& path, std::error_code& error) noexcept;

/// Waits until the directory's entries are on the device.
void sync_directory(const std::filesystem::path& path, std::error_code& error) noexcept;
void rename(const std::filesystem::path& from, const std::filesystem::path& to, std::error_code& error) noexcept;
void remove(const std::filesystem::path& path, std::error_code& error) noexcept;
/// Writes everything that the file system of `inside` has in memory to its device (syncfs).
void sync_file_system(const file& inside, std::error_code& error) noexcept;

/// The file system that a path lies on.
struct file_system {
  std::string key;   ///< "uuid:…", otherwise "type:fsid" or "tmpfs:memory"; the same after a boot
  std::string type;  ///< "ext4", "xfs", …
  std::string mount_point;
  std::string mount_options;
  std::string device_name;      ///< the block device's name below /sys/class/block; empty if none is visible
  std::uint64_t device = 0;     ///< as in file_status
  std::uint64_t available = 0;  ///< bytes that this user may still write
  std::uint64_t total = 0;      ///< bytes
};
[[nodiscard]] file_system file_system_of(const std::filesystem::path& path, std::error_code& error);
/// Only the key, from an open file: enough to find a profile.
[[nodiscard]] std::string file_system_key(const file& inside);
/// The type of the file system of `inside` as its identity tells it ("ext4" also for ext2 and ext3), for programs that
/// do not see its mount.
[[nodiscard]] std::string file_system_type(const file& inside);
/// Whether that is tmpfs or ramfs, which have no device; false if the kernel does not tell.
[[nodiscard]] bool is_in_memory(const file& inside) noexcept;
/// Whether that is overlayfs, on which containers have their files. Their pages belong to the files of its layers:
/// sync_file_range and cachestat find none, and do not fail (Linux 6.18).
[[nodiscard]] bool is_overlay(const file& inside) noexcept;
/// Whether the number of a device in the status of files names one file system; on btrfs and overlayfs, for example, it
/// does not.
[[nodiscard]] bool names_file_system(std::uint64_t device) noexcept;
/// Whether it is one that only this system uses, so that file::lock() sees every process; false where that is unknown.
[[nodiscard]] bool is_local(const file& inside) noexcept;

/// A block device's counters since boot (/sys/class/block/NAME/stat).
struct device_counters {
  std::uint64_t reads = 0;
  std::uint64_t read_bytes = 0;
  std::uint64_t writes = 0;
  std::uint64_t write_merges = 0;
  std::uint64_t written_bytes = 0;
  std::uint64_t in_flight = 0;
  std::chrono::milliseconds busy{0};
};
/// Empty if the device is not visible.
[[nodiscard]] std::optional<device_counters> read_device_counters(const std::string& device_name);

}  // namespace freshet::detail::os
