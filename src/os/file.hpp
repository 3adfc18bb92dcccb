// The seam: what the library asks of an operating system's files. System calls stand behind this header and nowhere
// else. Each function makes one attempt: finishing short transfers and interrupted calls is the caller's policy,
// written once in src/method/transfer.hpp.
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
#include <vector>

#include <freshet/options.hpp>

namespace freshet::detail::os {

/// How a file is opened for writing or reading.
struct open_request {
  enum class disposition : std::uint8_t {
    existing,    ///< must exist; its content stays
    create,      ///< created when missing; its content stays
    truncate,    ///< created when missing, emptied otherwise
    create_new,  ///< must not exist
    unnamed,     ///< a file without a name in the directory `path` (O_TMPFILE)
  };
  disposition what = disposition::truncate;
  bool read = false;
  bool write = true;
  bool append = false;          ///< every write goes to the end (O_APPEND)
  bool synchronous = false;     ///< every write is durable when it returns (O_DSYNC)
  unsigned permissions = 0666;  ///< less the process's umask
};

enum class file_kind : std::uint8_t { regular, directory, pipe, socket, character_device, block_device, other };

/// What stat says.
struct file_status {
  file_kind kind = file_kind::other;
  std::uint64_t size = 0;       ///< bytes
  std::uint64_t allocated = 0;  ///< bytes on the device, holes left out (st_blocks × 512)
  std::uint64_t device = 0;     ///< number of the file system's device; changes at boot
  std::uint64_t inode = 0;
  std::int64_t modified = 0;  ///< nanoseconds since the epoch
};

/// A piece of a file that lies in one piece on the device.
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
  std::uint64_t dirty = 0;      ///< 0 where only mincore answers
  std::uint64_t writeback = 0;  ///< 0 where only mincore answers
};

enum class advice : std::uint8_t { sequential, random, will_need, dont_need };

/// What O_DIRECT asks of offsets and memory.
struct direct_limits {
  std::size_t memory = 0;  ///< alignment of memory, bytes
  std::size_t offset = 0;  ///< alignment of offsets and lengths, bytes
};

/// An open file: owns its descriptor, unless it was borrowed.
class file {
 public:
  file() noexcept = default;
  file(file&& other) noexcept;
  file& operator=(file&& other) noexcept;
  file(const file&) = delete;
  file& operator=(const file&) = delete;
  ~file();

  /// Opens `path`; a closed file with `error` set when that fails. Interrupted opens are tried again.
  [[nodiscard]] static file open(const std::filesystem::path& path, const open_request& request,
                                 std::error_code& error);
  /// Wraps an open descriptor; closes it in the end only when `owned`.
  [[nodiscard]] static file wrap(int descriptor, bool owned) noexcept;

  [[nodiscard]] bool is_open() const noexcept { return descriptor_ >= 0; }
  [[nodiscard]] int descriptor() const noexcept { return descriptor_; }
  /// Closes; the descriptor is gone whatever `error` says (close(2)).
  void close(std::error_code& error) noexcept;

  /// Writes at the descriptor's own position (the end, with O_APPEND); returns the bytes taken, maybe fewer.
  std::size_t write(std::span<const std::byte> bytes, std::error_code& error) noexcept;
  /// Writes at `offset` (pwrite).
  std::size_t write_at(std::span<const std::byte> bytes, std::uint64_t offset, std::error_code& error) noexcept;
  /// Writes at `offset` through the page cache and has the pages dropped after writeback (RWF_DONTCACHE, Linux 6.14);
  /// operation_not_supported where kernel or file system lacks it.
  std::size_t write_dontcache(std::span<const std::byte> bytes, std::uint64_t offset, std::error_code& error) noexcept;
  /// Reads at the descriptor's own position; 0 at the end of the file.
  std::size_t read(std::span<std::byte> bytes, std::error_code& error) noexcept;
  /// Reads at `offset`; 0 at the end of the file.
  std::size_t read_at(std::span<std::byte> bytes, std::uint64_t offset, std::error_code& error) noexcept;

  /// The descriptor's own position; invalid_seek for what has none.
  [[nodiscard]] std::uint64_t position(std::error_code& error) const noexcept;
  void set_position(std::uint64_t offset, std::error_code& error) noexcept;

  /// Allocates space for [offset, offset + length) without changing the size (FALLOC_FL_KEEP_SIZE).
  void preallocate(std::uint64_t offset, std::uint64_t length, std::error_code& error) noexcept;
  /// Gives back the space allocated at and beyond `size`, the file's size.
  void give_back(std::uint64_t size, std::error_code& error) noexcept;
  void set_size(std::uint64_t size, std::error_code& error) noexcept;

  /// Data and what is needed to find it is on the device (fdatasync). Never to be retried after an error.
  void sync_data(std::error_code& error) noexcept;
  /// Data and all metadata are on the device (fsync). Never to be retried after an error.
  void sync(std::error_code& error) noexcept;
  /// Starts writing the range's dirty pages (sync_file_range).
  void start_writeback(std::uint64_t offset, std::uint64_t length, std::error_code& error) noexcept;
  /// Starts it and waits until it is done; says nothing about the device's own cache.
  void wait_writeback(std::uint64_t offset, std::uint64_t length, std::error_code& error) noexcept;
  /// posix_fadvise; a length of 0 reaches to the end.
  void advise(advice what, std::uint64_t offset, std::uint64_t length, std::error_code& error) noexcept;

  /// Turns O_DIRECT on or off; invalid_argument where the file system refuses it. Remembers, so that asking again for
  /// the state it is in costs nothing.
  void set_direct(bool on, std::error_code& error) noexcept;
  [[nodiscard]] bool is_direct() const noexcept { return direct_; }
  /// What O_DIRECT needs (statx STATX_DIOALIGN, Linux 6.1); empty where the kernel does not say; zeros where the file
  /// system cannot do it.
  [[nodiscard]] std::optional<direct_limits> direct_alignment() const noexcept;

  [[nodiscard]] file_status status(std::error_code& error) const noexcept;
  /// Locks it for this open file alone, until it is closed (flock); operation_would_block while another has it.
  void lock(std::error_code& error) const noexcept;
  /// Whether the descriptor was opened with O_APPEND; and whether for reading and writing both.
  [[nodiscard]] bool appends() const noexcept;
  [[nodiscard]] bool reads_and_writes() const noexcept;
  /// Whether it was opened for reading; for writing.
  [[nodiscard]] bool is_readable() const noexcept;
  [[nodiscard]] bool is_writable() const noexcept;
  /// The file's extents in order (FIEMAP), those left out that have no place on the device yet; flushes nothing.
  [[nodiscard]] std::vector<extent> extents(std::error_code& error) const;
  /// How much of it, or of its first `length` bytes, the page cache holds (cachestat, Linux 6.5; else mincore);
  /// operation_not_permitted for who neither owns it nor may write it, and is told nothing.
  [[nodiscard]] residency cached(std::error_code& error,
                                 std::uint64_t length = std::numeric_limits<std::uint64_t>::max()) const;

  /// Gives an unnamed file (disposition::unnamed) the name `path`, which must not exist.
  void link_as(const std::filesystem::path& path, std::error_code& error) const noexcept;

 private:
  int descriptor_ = -1;
  bool owned_ = false;
  bool direct_ = false;
};

/// A range of a file mapped shared; unmapped in the end.
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

  /// The same for reading only: `target` need not be open for writing, and bytes() must not be written to.
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

/// Private memory straight from the system, aligned to a page (to 2 MiB from that size up, with huge pages asked for);
/// null when there is none.
[[nodiscard]] std::byte* allocate_pages(std::size_t length) noexcept;
void free_pages(std::byte* memory, std::size_t length) noexcept;
/// Memory from allocate_pages() of `length` bytes made as large as `wanted`, with its content, elsewhere perhaps, but
/// without a copy; null, and `memory` as it was, where there is none.
[[nodiscard]] std::byte* grow_pages(std::byte* memory, std::size_t length, std::size_t wanted) noexcept;
[[nodiscard]] std::size_t page_size() noexcept;

/// What stat says of `path`, links followed.
[[nodiscard]] file_status status_of(const std::filesystem::path& path, std::error_code& error) noexcept;
/// Sets `error` where this user may not open `path` for reading.
void require_readable(const std::filesystem::path& path, std::error_code& error) noexcept;

/// Makes the directory's entries durable.
void sync_directory(const std::filesystem::path& directory, std::error_code& error) noexcept;
void rename(const std::filesystem::path& from, const std::filesystem::path& to, std::error_code& error) noexcept;
void remove(const std::filesystem::path& path, std::error_code& error) noexcept;
/// Writes out everything the file system of `inside` has in memory (syncfs).
void sync_file_system(const file& inside, std::error_code& error) noexcept;

/// Counts up in the child of every fork: what belongs to another generation is left alone.
[[nodiscard]] unsigned fork_generation() noexcept;

/// The file system that a path lies on.
struct file_system {
  std::string key;   ///< "uuid:…", else "type:fsid" ("tmpfs:memory"); the same after a boot
  std::string type;  ///< "ext4", "xfs", …
  std::string mount_point;
  std::string mount_options;
  std::string device_name;      ///< the block device's name below /sys/class/block; empty where there is none to see
  std::uint64_t device = 0;     ///< as in file_status
  std::uint64_t available = 0;  ///< bytes that this user may still write
  std::uint64_t total = 0;      ///< bytes
};
[[nodiscard]] file_system file_system_of(const std::filesystem::path& path, std::error_code& error);
/// Only `key`, from an open file: what opening with a profile needs.
[[nodiscard]] std::string file_system_key(const file& inside);

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
/// Empty where the device is not to be seen.
[[nodiscard]] std::optional<device_counters> read_device_counters(const std::string& device_name);

}  // namespace freshet::detail::os
