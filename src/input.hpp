// An open file being read: the promises on errors, ends and offsets, kept once for all methods.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string_view>
#include <system_error>
#include <vector>

#include <freshet/detail/open_source.hpp>
#include <freshet/error.hpp>
#include <freshet/options.hpp>

#include "src/method/read_method.hpp"
#include "src/method/registry.hpp"
#include "src/os/file.hpp"

namespace freshet::detail {

/// Gives the bytes that a reader or a stream buffer takes from its window, a block at a time. After the first failure()
/// the window is empty and stays so.
class input : public open_source {
 public:
  /// Opens `path`. @throws freshet::error
  [[nodiscard]] static std::unique_ptr<input> open(const std::filesystem::path& path, const reader_options& options);
  /// Takes an open descriptor, to be closed in the end when `owned`, and reads from its own position on.
  /// @throws freshet::error
  [[nodiscard]] static std::unique_ptr<input> adopt(int descriptor, bool owned, const reader_options& options);
  /// Reads by offset what an output writes to `descriptor`, from the file's start on; `path` is for messages. Every
  /// seek() drops the window, for the file may have changed below it. @throws freshet::error
  [[nodiscard]] static std::unique_ptr<input> share(int descriptor, const std::filesystem::path& path,
                                                    const reader_options& options);

  input(const input&) = delete;
  input& operator=(const input&) = delete;
  ~input() = default;

  /// Bytes in memory; the first one stands at offset() in the file.
  [[nodiscard]] std::span<const std::byte> window() const noexcept { return window_; }
  [[nodiscard]] std::uint64_t offset() const noexcept { return offset_; }

  /// Drops the window and goes on behind it; false at the end of the file and on failure.
  bool refill() noexcept;
  /// Drops the window and fills `into` with what comes behind it, straight from the kernel where that pays. Returns how
  /// many bytes that were, fewer only at the end of the file and on failure.
  [[nodiscard]] std::size_t read(std::span<std::byte> into) noexcept;
  /// The `length` bytes from the window's `begin` on, fewer only at the end of the file and on failure; put together
  /// where they do not lie in one window. Afterwards they end at the window's front. Valid until the next call.
  [[nodiscard]] std::span<const std::byte> join(std::size_t begin, std::size_t length) noexcept;

  /// As join(), up to and with the next byte that is `last`, and no more than `most`.
  [[nodiscard]] std::span<const std::byte> join_through(std::size_t begin, std::byte last, std::size_t most) noexcept;

  /// Goes to `offset`. A window that it lies in stays as it is; any other is dropped.
  void seek(std::uint64_t offset) noexcept;
  /// Whether it can: pipes, sockets and terminals cannot.
  [[nodiscard]] bool can_seek() noexcept;

  /// Takes a file that turns out shorter than it was for one that ends there, as std's streams do.
  void let_it_shrink() noexcept { may_shrink_ = true; }

  /// Ends reading, `used` bytes into the window: there a borrowed file's own position is left.
  void close(std::size_t used = 0) noexcept;

  /// Bytes that the file has now, from which on it may not end earlier; 0 for what has no size. `failure` does not
  /// stick.
  [[nodiscard]] std::uint64_t size(std::error_code& failure) noexcept;

  [[nodiscard]] bool is_open() const noexcept { return open_; }
  /// The first error.
  [[nodiscard]] std::error_code failure() const noexcept { return failure_; }
  /// The same as an exception.
  [[nodiscard]] error failure_as_error() const;

  [[nodiscard]] std::string_view method_name() const noexcept;
  [[nodiscard]] std::filesystem::path path() const { return path_; }
  [[nodiscard]] int descriptor() const noexcept { return file_.descriptor(); }

 private:
  input(const std::filesystem::path& path, const reader_options& options);

  void wrap(int descriptor, bool owned);
  void start_named_method();
  bool look() noexcept;
  bool start() noexcept;
  void settle();
  void choose_by_profile();
  [[nodiscard]] bool is_mostly_cached() const;
  void choose_sizes(std::size_t profiled_block, unsigned profiled_depth);
  [[nodiscard]] std::size_t pass(std::span<std::byte> into) noexcept;
  [[nodiscard]] std::size_t copy(std::span<std::byte> into) noexcept;
  void drop_window() noexcept;
  void narrow_window(std::size_t taken) noexcept;
  void check_end() noexcept;
  void fail(std::string_view operation, std::error_code why, std::string_view detail = {}) noexcept;

  std::filesystem::path::string_type path_;  // copying a path copies its parts, too, each of them on the heap
  reader_options options_;
  os::file file_;
  os::file_status opened_;  // as it was found, once it has been looked at
  bool looked_ = false;
  const method_entry* entry_ = nullptr;
  bool strict_ = false;           // the user named the method
  bool sequential_only_ = false;  // pipes, sockets, terminals: no offsets
  bool may_shrink_ = false;       // without that being an error
  bool shared_ = false;           // with an output
  bool moves_position_ = false;   // a borrowed file's own
  bool settled_ = false;          // the method is the one to stay
  bool open_ = true;

  std::size_t block_size_ = 0;
  unsigned depth_ = 1;
  std::unique_ptr<read_method> method_;  // null until the first bytes are asked for
  std::span<const std::byte> window_;
  std::uint64_t offset_ = 0;       // of the window, in the file
  std::uint64_t known_size_ = 0;   // the file may not end before
  std::vector<std::byte> joined_;  // what view() put together

  std::error_code failure_;
  std::string_view failed_operation_;
  std::string_view failure_detail_;
};

}  // namespace freshet::detail
