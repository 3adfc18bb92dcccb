/// @file
/// The options that freshet::writer, freshet::reader and the streams take.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace freshet {

class encryption_key;

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
  once,        ///< from front to back, and not again soon: its pages are the first that the kernel drops when it needs
               ///< memory (POSIX_FADV_NOREUSE; without effect before Linux 6.3)
};

/// What the page cache holds of a file because it was written or read. All but `automatic` need the method "auto".
enum class caching : std::uint8_t {
  automatic,  ///< as method and profile have it; a new file keeps its pages or gives them back, whichever is faster
  keep,       ///< everything, as for other programs: the file goes through the page cache, by the method "buffered"
  /// At most 64 MiB, whatever the file's size: it goes through the page cache, but is written to the device and dropped
  /// behind the cursor (RWF_DONTCACHE from Linux 6.16 on, sync_file_range(2), posix_fadvise(2)). A writer also drops
  /// what the page cache held of the bytes that it writes over. A reader leaves each piece of 8 MiB as it was of which
  /// the page cache held half or more before, be it another reader's; if it may not write to a file of another user,
  /// the kernel does not tell, and every piece is dropped.
  drop,
  /// Nothing but unaligned ends, which are shorter than 4 KiB: the file goes past the page cache (O_DIRECT). Files that
  /// cannot be used so are an error when they are opened (errc::operation_not_supported).
  bypass,
};

/// How a checksum is computed.
enum class checksum_algorithm : std::uint8_t {
  none,  ///< there is no checksum
  xxh3,  ///< XXH3 with 64 bits and no seed, as `xxhsum -H3` prints it (https://xxhash.com)
};

/// The checksum of a file's bytes, before they are compressed or encrypted. It finds damage, but not forgery.
struct checksum {
  checksum_algorithm algorithm = checksum_algorithm::none;  ///< Default: checksum_algorithm::none.
  std::uint64_t value = 0;                                  ///< Default: 0.
  /// Whether algorithm and value are equal.
  [[nodiscard]] bool operator==(const checksum&) const noexcept = default;
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

/// How stored bytes are compressed.
enum class compression_format : std::uint8_t {
  none,  ///< they are not
  zstd,  ///< as zstd does (RFC 8878), in its seekable format: `zstd -d` decompresses the file
};

/// How a freshet::writer compresses what it writes.
struct compression {
  /// Default: compression_format::none.
  compression_format format = compression_format::none;

  /// zstd's level: from 1, the fastest, to 22, the smallest file; negative levels down to -131072 are still faster, and
  /// 0 means zstd's own default, 3. Each thread takes about 1 MiB of memory for it at level 3, and up to 65 MiB from
  /// level 12 on. Default: 3.
  int level = 3;

  /// The threads that compress while the program goes on, at most 64; each has a frame of up to 4 MiB and its result in
  /// memory. Files below 4 MiB need none. Default: 0, as many as the process has processors, but at most 4.
  unsigned threads = 0;
};

/// Whether a freshet::reader decompresses what it reads.
enum class decompression : std::uint8_t {
  none,       ///< it returns the bytes that the file has
  automatic,  ///< if the file begins with the magic number of zstd or of its skippable frames, or was compressed before
              ///< it was encrypted; otherwise as `none`
  zstd,       ///< always; a file that does not begin so is an error (errc::bad_message)
};

/// How a freshet::writer writes. Options that are zero or "auto" come from the file system's profile, which
/// `freshet tune` saves. Without a profile, a writer uses the page cache and blocks of 256 KiB; a new file gives its
/// pages back while it is written, where that is faster.
struct writer_options {
  /// The name of a method that freshet::methods() lists, or "auto". The text must live until the call that takes the
  /// options returns. "auto" is the profile's method; without one, and if it is "buffered", new files also give their
  /// pages back (doc/guide/library.md). Default: "auto".
  std::string_view method = "auto";

  /// Bytes per write to the kernel: a power of two from 4 KiB to 64 MiB. Larger pieces of the program go to the page
  /// cache in several writes; a file that is appended to, a pipe or a device gets them in one. Default: 0, as in the
  /// profile.
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

  /// What the page cache holds of the file. `drop` and `bypass` need a file that is not open for reading, too; `bypass`
  /// cannot append. Default: caching::automatic.
  freshet::caching caching = freshet::caching::automatic;

  /// What happens to a file that already exists. Default: open_mode::truncate.
  open_mode mode = open_mode::truncate;

  /// Whether `path` may end in a symbolic link, which is followed. If false, that is an error
  /// (errc::too_many_symbolic_link_levels). Default: true.
  bool follow_links = true;

  /// Whether the file stays hidden until close() succeeds: it then appears complete under its name. Otherwise it never
  /// appears, and an existing file of that name does not change, even if the program is killed. After a power cut,
  /// `durability` applies. Unless it is `none`, making the new name durable can still fail after the file is visible;
  /// close() reports that. The new file has the mode, owner, access control list and extended attributes that an
  /// existing one has then; where this user may not give files away, the owner changes, and set-user-ID and
  /// set-group-ID are lost. Where the system has no files without names, or could not name one at close(), the file has
  /// a temporary name until then; if the program is killed, the next such file of the same user in the directory
  /// removes it where a lock (flock(2)) can tell. discard() gives the file up. Requires open_mode::truncate or
  /// create_new. Default: false.
  bool hidden_until_closed = false;

  /// Like hidden_until_closed with at least durability::at_close: the file is durable before it appears.
  /// Default: false.
  bool atomic = false;

  /// Whether `path` names a directory, in which the file never has a name: it is gone when it is closed, also if the
  /// program is killed. It begins in memory (memfd_create(2)) and moves into the directory before it exceeds
  /// `temporary_memory` bytes; native_handle() stays the same, but duplicates of it made before keep the old file.
  /// sync() only flushes. After fork(), only the parent can move the file. Needs open_mode::truncate, durability::none
  /// and the method "auto". With freshet::fstream, every combination of modes that writes and reads but does not append
  /// opens it. Default: false.
  bool temporary = false;

  /// The most bytes of a temporary file that stay in memory. 0: the file begins in the directory. Default: 64 MiB.
  std::uint64_t temporary_memory = std::uint64_t{64} << 20;

  /// Whether close(), or the destructor, deletes the file. It must not exist before (errc::file_exists): only what the
  /// writer made is deleted, and only while it has its name. If the program is killed, the next such file that is
  /// opened in the directory deletes it; a lock (flock(2)) tells that no process has it open any more. A second, hidden
  /// name beside it, ".freshet-delete." and the name, marks the file, which therefore needs a file system with hard
  /// links, a system with locks of open files (errc::operation_not_supported), and a name of at most 239 bytes. After
  /// fork(), only the parent deletes it. Needs durability::none. Default: false.
  bool delete_on_close = false;

  /// Whether a new file begins with what is known of its device: what files of this process found out in the last
  /// minute, and what the profile has. Otherwise it finds out by itself, and leaves nothing for later files. What it
  /// begins with shows only beyond 4 MiB. With FRESHET_PRIOR=none in the environment, no file does. Default: true.
  bool prior = true;

  /// How many bytes a killed program can lose: whenever as many were written since the last flush(), the file is
  /// flushed as by flush(). 0: blocks are handed to the kernel when they are full, so that a killed program loses up to
  /// a block or, with a filter, a chunk; std::ofstream loses up to 8 KiB. At least 4096 otherwise. Default: 0.
  std::size_t flush_every = 0;

  /// The checksum that writer::checksum() returns after close(). A file with one cannot be appended to, and is written
  /// from front to back: a stream refuses to seek. errc::function_not_supported if Freshet was built without libxxhash.
  /// Default: checksum_algorithm::none.
  checksum_algorithm checksum = checksum_algorithm::none;

  /// What the file is encrypted and authenticated with (AES-256-GCM): readers need the same key, and notice every
  /// change (doc/reference/sealed-format.md). The key must live until the call that takes the options returns; include
  /// <freshet/encryption.hpp>. Such a file is written from front to back: requires open_mode::truncate or create_new,
  /// and no seek. flush() makes what was written readable. Only a close() that returns without an error writes the
  /// file's end: readers refuse a file without it after all its bytes, unless they accept_unclosed. Offsets count the
  /// bytes of the program, written_bytes(), durable_bytes() and statistics() those of the file. Default: null, no
  /// encryption.
  const encryption_key* key = nullptr;

  /// How the bytes are compressed before they are stored. Offsets, tell() and size() count the program's bytes, all
  /// else counts those of the file: written_bytes(), durable_bytes(), reserve, rate_limit and statistics(). flush()
  /// ends a frame early, so what was flushed can be read; often done, that makes the file larger. close() adds the
  /// table by which readers seek, and the file's end: without it, readers and `zstd -t` refuse the file after all its
  /// bytes. Requires open_mode::truncate or create_new, and a file that is only written. Default:
  /// none.
  freshet::compression compression = {};
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

  /// Bytes per read from the kernel: a power of two from 4 KiB to 64 MiB. Default: 0, as in the profile; 8 KiB for
  /// pipes, sockets and character devices, which may let a reader wait for each byte that it asks for.
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

  /// What the page cache holds of the file. `drop` and `bypass` need a file that is not open for writing, too.
  /// Default: caching::automatic.
  freshet::caching caching = freshet::caching::automatic;

  /// Whether a file begins with what is known of its device: what files of this process found out in the last minute,
  /// and what the profile has. Otherwise it finds out by itself, and leaves nothing for later files. With
  /// FRESHET_PRIOR=none in the environment, no file does. Default: true.
  bool prior = true;

  /// What the bytes must add up to, as writer::checksum() returned it. Where the file ends, the call that would report
  /// the end reports an error instead (errc::bad_message) if they do not; close() does if all bytes were taken before.
  /// Nothing is compared if the program stops earlier. seek() is an error beyond what is in memory, streams refuse it,
  /// and skip() reads. errc::function_not_supported if Freshet was built without libxxhash. Default: none.
  checksum expected_checksum = {};

  /// What the file was encrypted with; a file that is not encrypted, or with another key, is refused. What is read was
  /// authenticated before: an alteration, damage or a cut is an error (errc::bad_message) that comes after all bytes
  /// before it. Offsets and sizes count the bytes that were encrypted. The key must live until the call that takes the
  /// options returns; include <freshet/encryption.hpp>. Default: null, to read the bytes as they are stored.
  const encryption_key* key = nullptr;

  /// Whether the file is decompressed while it is read: any file of zstd whose window is at most 128 MiB, with as many
  /// frames as there are. Offsets, tell() and size() count the decompressed bytes. Frames with a checksum and at most
  /// 4 MiB, such as freshet's own, are checked before their first byte is returned, larger ones at their end. A file
  /// that was cut or damaged is an error after the last good frame (errc::bad_message). seek() jumps by the table that
  /// freshet writes; in files without one, it decompresses from the nearest frame that was read before. size() then
  /// decompresses the whole file. Requires a file that is only read. Default: decompression::none.
  freshet::decompression decompression = freshet::decompression::none;

  /// Whether a compressed or encrypted file that its writer did not close, or that was cut, ends without an error where
  /// its good bytes end. What is encrypted was authenticated nevertheless, but bytes may be missing at the end. Without
  /// it, such a file is an error (errc::bad_message: "was not closed by its writer") that comes after all good bytes.
  /// Other files have no end that could prove anything. Default: false.
  bool accept_unclosed = false;
};

}  // namespace freshet
