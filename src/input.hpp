// An open file being read: the promises on errors, ends and offsets, kept once for all methods.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <system_error>
#include <vector>

#include <freshet/detail/open_source.hpp>
#include <freshet/error.hpp>
#include <freshet/options.hpp>

#include "src/file_log.hpp"
#include "src/method/read_method.hpp"
#include "src/method/registry.hpp"
#include "src/method/transfer.hpp"
#include "src/os/file.hpp"
#include "src/rate_limit.hpp"

namespace freshet::detail {

/// Provides the bytes that a reader or a stream buffer takes from its window, a block at a time. After the first
/// failure() the window stays empty.
class input : public open_source {
 public:
  /// Opens `path`. @throws freshet::error
  [[nodiscard]] static std::unique_ptr<input> open(const std::string& path, const reader_options& options);
  /// Reads an open descriptor from its own position on; close() closes it if it is `owned`. @throws freshet::error
  [[nodiscard]] static std::unique_ptr<input> adopt(int descriptor, bool owned, const reader_options& options);
  /// Reads, by offset from the file's start, what an output writes to `descriptor`; `path` is for messages. Every
  /// seek() drops the window, because the file may have changed. @throws freshet::error
  [[nodiscard]] static std::unique_ptr<input> share(int descriptor, const std::string& path,
                                                    const reader_options& options);

  input(const input&) = delete;
  input& operator=(const input&) = delete;
  ~input() = default;

  /// Bytes in memory; the first one is at offset() in the file.
  [[nodiscard]] std::span<const std::byte> window() const noexcept { return window_; }
  [[nodiscard]] std::uint64_t offset() const noexcept { return offset_; }

  /// Replaces the window by the bytes after it; false at the end of the file and on failure.
  bool refill() noexcept;
  /// Drops the window and fills `into` with the bytes after it, directly from the kernel if they are many. Returns how
  /// many bytes it read, fewer only at the end of the file and on failure.
  [[nodiscard]] std::size_t read(std::span<std::byte> into) noexcept;
  /// Returns the `length` bytes from position `begin` of the window on, fewer only at the end of the file and on
  /// failure; copied together if they cross windows. Afterwards the window begins after them. Valid until the next
  /// call.
  [[nodiscard]] std::span<const std::byte> join(std::size_t begin, std::size_t length) noexcept;

  /// Like join(), up to and including the next byte that equals `last`, but at most `most` bytes.
  [[nodiscard]] std::span<const std::byte> join_through(std::size_t begin, std::byte last, std::size_t most) noexcept;

  /// Moves to `offset`. The window is kept if `offset` lies in it, and dropped otherwise.
  void seek(std::uint64_t offset) noexcept;
  /// Whether the file has positions; pipes, sockets and terminals do not.
  [[nodiscard]] bool can_seek() noexcept;
  /// Whether the system counts a position of the file, as for most devices, even if it means nothing.
  [[nodiscard]] bool has_position() const noexcept { return has_own_position(file_); }

  /// Treats a file that was truncated while it was read as one that ends there, as the standard streams do; without
  /// this it is an error.
  void allow_truncation() noexcept { may_be_truncated_ = true; }

  /// Ends reading `used` bytes into the window, and moves a borrowed file's own position there.
  void close(std::size_t used = 0) noexcept;

  /// The file's current size in bytes; 0 for files without a size. From now on a shorter file is an error. `failure` is
  /// not kept.
  [[nodiscard]] std::uint64_t size(std::error_code& failure) noexcept;

  [[nodiscard]] bool is_open() const noexcept { return open_; }
  /// The first error.
  [[nodiscard]] std::error_code failure() const noexcept { return failure_; }
  /// The first error as an exception.
  [[nodiscard]] error failure_as_error() const;

  [[nodiscard]] std::string_view method_name() const noexcept;
  /// @throws std::bad_alloc
  [[nodiscard]] file_statistics statistics() const;
  [[nodiscard]] std::filesystem::path path() const { return path_; }
  [[nodiscard]] int descriptor() const noexcept { return file_.descriptor(); }

 private:
  input(const std::string& path, const reader_options& options);

  void wrap(int descriptor, bool owned);
  void start_named_method();
  bool stat_file() noexcept;
  /// Returns false if there is nothing to read from: after a failure, and where no file can have bytes.
  bool start() noexcept;
  void start_final_method();
  void choose_by_profile(read_setup& setup);
  [[nodiscard]] bool is_mostly_cached() const;
  void choose_sizes(std::size_t profiled_block, unsigned profiled_depth);
  [[nodiscard]] std::size_t read_large(std::span<std::byte> into) noexcept;
  [[nodiscard]] std::size_t copy(std::span<std::byte> into) noexcept;
  void drop_window() noexcept;
  void narrow_window(std::size_t taken) noexcept;
  void count_share(std::size_t bytes, double begin) noexcept;
  void print_log() const noexcept;
  void check_end() noexcept;
  void fail(std::string_view operation, std::error_code why, std::string_view detail = {}) noexcept;

  std::string path_;
  reader_options options_;
  os::file file_;
  std::optional<os::file_status> status_;  // when the file was opened; empty while the stat is deferred
  const method_entry* entry_ = nullptr;
  bool strict_ = false;            // the user named the method
  bool sequential_only_ = false;   // pipes, sockets, terminals: no offsets
  bool may_be_truncated_ = false;  // a shorter file is not an error
  bool shared_ = false;            // an output writes to the same descriptor
  bool moves_position_ = false;    // close() sets a borrowed file's own position
  bool is_final_method_ = false;   // method_ is not only for the first block
  bool open_ = true;

  rate_limit limit_;
  std::size_t block_size_ = 0;
  unsigned depth_ = 1;
  std::unique_ptr<read_method> method_;  // null until the first bytes are requested
  std::span<const std::byte> window_;
  std::uint64_t offset_ = 0;       // of the window in the file
  std::uint64_t known_size_ = 0;   // a file that ends before this offset was truncated
  std::vector<std::byte> joined_;  // the result of join()

  // What the methods did, while one runs and afterwards.
  std::uint64_t all_bytes_ = 0;
  method_shares shares_;
  change_log changes_;

  std::error_code failure_;
  std::string_view failed_operation_;
  std::string_view failure_detail_;
};

}  // namespace freshet::detail
