/// @file
/// How a file is to be written or read: the options that freshet::writer, freshet::reader and the streams take.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace freshet {

/// When what was written survives a power cut.
enum class durability : std::uint8_t {
  none,        ///< the kernel has it; it reaches the device when the kernel sees fit (as with std::ofstream)
  at_close,    ///< close() returns when the device has it, the directory entry included
  each_write,  ///< each block is on the device before the next is accepted; flush() implies sync()
};

/// In which order the file will be read or written.
enum class access : std::uint8_t {
  sequential,  ///< from front to back
  random,      ///< the kernel is told not to read ahead (posix_fadvise)
};

/// Whether a writer or a reader closes the descriptor it was given.
enum class ownership : std::uint8_t {
  borrow,  ///< the caller closes it
  take,    ///< close() and the destructor do
};

/// What becomes of a file that is already there.
enum class open_mode : std::uint8_t {
  truncate,    ///< emptied; created when missing
  append,      ///< kept, written to at its end (a real O_APPEND); created when missing
  create_new,  ///< an error
  overwrite,   ///< kept, written over from its start, and cut at close to what was written; created when missing
};

/// How a freshet::writer writes. What is zero or "auto" comes from the file system's profile, as `freshet tune` saved
/// it, else from safe defaults: the page cache and a block of 256 KiB.
struct writer_options {
  /// Name of a method, as listed by freshet::methods(), or "auto". Need only live as long as the call it is given to.
  /// Default: "auto".
  std::string_view method = "auto";

  /// Bytes handed to the kernel at a time: a power of two from 4 KiB to 64 MiB. Default: 0, the profile's.
  std::size_t block = 0;

  /// Blocks in memory, the one being filled included: 1 … 64. Synchronous methods use one whatever this says, and
  /// ordered ones never more than two. Default: 0, the profile's.
  unsigned depth = 0;

  /// Bytes to set disk space aside for; the file's size does not change, and close() gives back what was not used. 0:
  /// none. Default: 0.
  std::uint64_t reserve = 0;

  /// Whether the file holds a prefix of what was written at every moment, also after a crash of the program: one write
  /// in flight, while the program fills the next block. With false, blocks may reach the file in any order between
  /// flush()es. Default: true.
  bool ordered = true;

  /// Sets the file's size before its bytes are there, `reserve` bytes or some blocks ahead: its end reads as zeros
  /// until close() or flush(). Some file systems write faster so. Needs `ordered = false`. Default: false.
  bool size_ahead = false;

  /// When what was written survives a power cut. Default: durability::none.
  freshet::durability durability = freshet::durability::none;

  /// In which order the file will be used. Default: access::sequential.
  freshet::access access = freshet::access::sequential;

  /// What becomes of a file that is already there. Default: open_mode::truncate.
  open_mode mode = open_mode::truncate;

  /// The file appears under its name, complete, when close() succeeds, and not at all otherwise; until then a file of
  /// that name stays as it is. That holds whatever becomes of the program; what a power cut leaves is as `durability`
  /// says, and where that is not `none` one thing may fail after the file has appeared, and is reported: to make the
  /// name durable, too. Only with open_mode::truncate or create_new. Default: false.
  bool hidden_until_closed = false;

  /// As hidden_until_closed, and at least durability::at_close: the file is durable before it appears. Default: false.
  bool atomic = false;
};

/// How a freshet::reader reads. What is zero or "auto" comes from the file system's profile, as `freshet tune` saved
/// it, else from safe defaults: the page cache and a block of 256 KiB.
struct reader_options {
  /// Name of a method that reads, as listed by freshet::methods(), or "auto". Need only live as long as the call it is
  /// given to. "mmap" is never chosen unasked: a file that is cut short under it, or a device that fails, ends in
  /// SIGBUS in the caller's code. Default: "auto".
  std::string_view method = "auto";

  /// Bytes asked of the kernel at a time: a power of two from 4 KiB to 64 MiB. Default: 0, the profile's.
  std::size_t block = 0;

  /// Blocks in memory, the one being read included: 1 … 64. Synchronous methods use one whatever this says. Default: 0,
  /// the profile's.
  unsigned depth = 0;

  /// In which order the file will be read. With access::random, what is zero or "auto" is the page cache and a block of
  /// 16 KiB. Default: access::sequential.
  freshet::access access = freshet::access::sequential;
};

}  // namespace freshet
