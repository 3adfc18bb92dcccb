/// @file
/// The options that freshet::writer, freshet::reader and the streams take.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace freshet {

/// When written data is safe from a power cut.
enum class durability : std::uint8_t {
  none,        ///< the kernel has the data and writes it to the device in its own time, as for std::ofstream
  at_close,    ///< when close() returns, the device has the data and the directory entry
  each_write,  ///< each block is on the device before the next one is accepted; flush() implies sync()
};

/// The order in which the program will read or write the file.
enum class access : std::uint8_t {
  sequential,  ///< from front to back
  random,      ///< in any order: the kernel is told not to read ahead (posix_fadvise)
};

/// Whether a writer or a reader closes the descriptor that it was given.
enum class ownership : std::uint8_t {
  borrow,  ///< the caller closes it
  take,    ///< close() or the destructor closes it
};

/// What happens to a file that already exists. All modes create a file that does not exist.
enum class open_mode : std::uint8_t {
  truncate,    ///< empties the file
  append,      ///< keeps the file and writes at its end, with O_APPEND
  create_new,  ///< fails (errc::file_exists)
  overwrite,   ///< writes over the file from its start; close() truncates it to what was written
};

/// How a freshet::writer writes. Options that are zero or "auto" come from the file system's profile, which
/// `freshet tune` saves. Without a profile, a writer begins with the page cache and blocks of 256 KiB; from 16 MiB on,
/// a new file also goes past it where that is faster.
struct writer_options {
  /// The name of a method that freshet::methods() lists, or "auto". The text must live until the call that takes the
  /// options returns. "auto" begins by the profile's method, and new files may change it (doc/guide/library.md).
  /// Default: "auto".
  std::string_view method = "auto";

  /// Bytes per write to the kernel: a power of two from 4 KiB to 64 MiB. Default: 0, as in the profile.
  std::size_t block = 0;

  /// Blocks in memory, including the one being filled: 1 to 64. Synchronous methods always use one, and ordered
  /// methods at most two. Default: 0, as in the profile.
  unsigned depth = 0;

  /// Bytes of disk space to preallocate. The file's size does not change, and close() frees what was not used.
  /// Default: 0, none.
  std::uint64_t reserve = 0;

  /// Whether the file always holds a prefix of the written data, even after the program crashes. One write is then in
  /// flight while the program fills the next block. If false, blocks may reach the file in any order between two calls
  /// of flush(). Default: true.
  bool ordered = true;

  /// Whether to set the file's size before its data is written, `reserve` bytes or some blocks ahead; some file systems
  /// then write faster. Until close() or flush(), the file's end reads as zeros. Requires `ordered = false`.
  /// Default: false.
  bool size_ahead = false;

  /// The most bytes per second, spread evenly: each block waits for its turn, and blocks are at most what an eighth of
  /// a second allows. Default: 0, no limit.
  std::uint64_t rate_limit = 0;

  /// When written data is safe from a power cut. Default: durability::none.
  freshet::durability durability = freshet::durability::none;

  /// The order in which the file will be used. Default: access::sequential.
  freshet::access access = freshet::access::sequential;

  /// What happens to a file that already exists. Default: open_mode::truncate.
  open_mode mode = open_mode::truncate;

  /// Whether `path` may end in a symbolic link, which is followed. If false, that is an error
  /// (errc::too_many_symbolic_link_levels). Default: true.
  bool follow_links = true;

  /// Whether the file stays hidden until close() succeeds: it then appears complete under its name. Otherwise it never
  /// appears, and an existing file of that name does not change, even if the program is killed. After a power cut,
  /// `durability` applies. Unless it is `none`, making the new name durable can still fail after the file is visible;
  /// close() reports that. The new file has the mode, owner, access control list and extended attributes that an
  /// existing one had when it was opened; where this user may not give files away, it keeps the owner and loses
  /// set-user-ID and set-group-ID. discard() gives the file up. Requires open_mode::truncate or create_new. Default:
  /// false.
  bool hidden_until_closed = false;

  /// Like hidden_until_closed with at least durability::at_close: the file is durable before it appears.
  /// Default: false.
  bool atomic = false;
};

/// How a freshet::reader reads. Options that are zero or "auto" come from the file system's profile, which
/// `freshet tune` saves. Without a profile, a reader uses the page cache and blocks of 256 KiB. In files of 16 MiB and
/// more, "auto" means "adaptive": what the page cache holds is read from there, and the rest past it where that is
/// faster.
struct reader_options {
  /// The name of a reading method that freshet::methods() lists, or "auto". The text must live until the call that
  /// takes the options returns. "auto" never chooses "mmap": if another process truncates the mapped file or the device
  /// fails, the caller's code gets SIGBUS. Default: "auto".
  std::string_view method = "auto";

  /// Bytes per read from the kernel: a power of two from 4 KiB to 64 MiB. Default: 0, as in the profile.
  std::size_t block = 0;

  /// Blocks in memory, including the one being read: 1 to 64. Synchronous methods always use one.
  /// Default: 0, as in the profile.
  unsigned depth = 0;

  /// The most bytes per second, spread evenly: each block waits for its turn, and blocks are at most what an eighth of
  /// a second allows. Default: 0, no limit.
  std::uint64_t rate_limit = 0;

  /// The order in which the file will be read. With access::random, the profile does not apply: options that are zero
  /// or "auto" mean the page cache and blocks of 16 KiB. Default: access::sequential.
  freshet::access access = freshet::access::sequential;
};

}  // namespace freshet
