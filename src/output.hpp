// An open file being written: the promises on errors, order, durability and length, kept once for all methods.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <system_error>

#include <freshet/detail/open_file.hpp>
#include <freshet/error.hpp>
#include <freshet/options.hpp>
#include <freshet/statistics.hpp>

#include "src/file_log.hpp"
#include "src/method/registry.hpp"
#include "src/method/transfer.hpp"
#include "src/os/directory.hpp"
#include "src/os/file.hpp"
#include "src/pool.hpp"
#include "src/publisher.hpp"
#include "src/rate_limit.hpp"

namespace freshet::detail {

/// Takes the bytes that a writer or a stream buffer puts into its window, a block at a time. The caller fills window()
/// from its front, passes the number of bytes it `filled` to each call, and then asks for the window again.
/// After the first failure() the window is empty and nothing more is written.
///
/// Its states, from open() to close():
///
/// | state     | stat result | method  | what leads to the next state                                                 |
/// |-----------|-------------|---------|------------------------------------------------------------------------------|
/// | deferred  | unknown     | none    | A full block of small_file bytes, sync(), seek() or reserve(): stat_file().  |
/// | small     | known       | none    | A full block starts the method; the block grows to its full size before that.|
/// | streaming | known       | running | seek() ends the method: small again, and from then on `edited`.              |
/// | failed    | any         | any     | The first error truncates the file to what was written and drops the window. |
/// | closed    | any         | none    | close() was called; every other call does nothing.                           |
///
/// Only files that start empty, by an automatically chosen method, begin as deferred (may_defer_stat()): a small file
/// then costs no more than open, write and close. Where many files are open, blocks stay below small_file bytes, which
/// are written without a method, until a file has written much. Everything else begins as small. Hidden files are also
/// pending in publisher_ until close() publishes them, or discard() gives them up.
class output : public open_file {
 public:
  /// Opens `path`. @throws freshet::error
  [[nodiscard]] static std::unique_ptr<output> open(const std::string& path, const writer_options& options);
  /// Opens `path` by `request` for changes at any position, with the method "buffered"; the file is never truncated.
  /// Only block, reserve and durability of `options` apply. @throws freshet::error
  [[nodiscard]] static std::unique_ptr<output> edit(const std::string& path, os::open_request request,
                                                    const writer_options& options);
  /// Writes to an open descriptor, which close() closes if it is `owned`. @throws freshet::error
  [[nodiscard]] static std::unique_ptr<output> adopt(int descriptor, bool owned, const writer_options& options);

  output(const output&) = delete;
  output& operator=(const output&) = delete;
  ~output() = default;

  /// Room for the next bytes; its first byte belongs at offset() in the file.
  [[nodiscard]] std::span<std::byte> window() const noexcept { return block_.bytes().subspan(begin_); }
  [[nodiscard]] std::uint64_t offset() const noexcept { return offset_; }

  /// Makes room in a full window. Returns how many bytes stay at the front of the new window: while the file is small,
  /// the block grows instead of being written.
  [[nodiscard]] std::size_t exchange(std::size_t filled) noexcept;
  /// Appends `bytes` to the first `filled` bytes of the window. Returns how many bytes stay at the front of the new
  /// window.
  [[nodiscard]] std::size_t write(std::size_t filled, std::span<const std::byte> bytes) noexcept;

  /// Writes what the window holds and continues at `offset`, or at the file's end if it was opened to append. From then
  /// on the file is never truncated, because it may contain bytes beyond the last write. Without positions it only
  /// writes.
  void seek(std::size_t filled, std::uint64_t offset) noexcept;
  /// Whether the file has positions; pipes and devices do not.
  [[nodiscard]] bool can_seek() noexcept { return stat_file() && (!entry_->needs_file || is_regular()); }
  /// Whether the system counts a position of the file, as for most devices, even if it means nothing.
  [[nodiscard]] bool has_position() const noexcept { return has_own_position(file_); }
  /// The file's current size in bytes.
  [[nodiscard]] std::uint64_t size(std::error_code& failure) const noexcept;

  void flush(std::size_t filled) noexcept;
  void sync(std::size_t filled) noexcept;
  /// Writes what is left and closes the file. A hidden file appears under its name.
  void close(std::size_t filled) noexcept;
  /// Closes a file that the program did not close: a hidden file is deleted.
  void discard(std::size_t filled) noexcept;
  /// Preallocates space for a file of `bytes` bytes; `failure` is not kept, because nothing is lost by it.
  void reserve(std::uint64_t bytes, std::error_code& failure) noexcept;

  /// Bytes from the file's start that are in the file without a gap, and those that are on the device.
  [[nodiscard]] std::uint64_t written() const noexcept { return method_ ? method_->completed() : written_; }
  [[nodiscard]] std::uint64_t durable() const noexcept { return durable_; }
  [[nodiscard]] bool is_open() const noexcept { return open_; }
  /// The first error.
  [[nodiscard]] std::error_code failure() const noexcept { return failure_; }
  /// The first error as an exception.
  [[nodiscard]] error failure_as_error() const;

  [[nodiscard]] std::string_view method_name() noexcept;
  /// @throws std::bad_alloc
  [[nodiscard]] file_statistics statistics() const;
  [[nodiscard]] std::filesystem::path path() const { return path_; }
  [[nodiscard]] int descriptor() const noexcept { return file_.descriptor(); }

 private:
  output(const std::string& path, const writer_options& options);

  // What the offsets of writes mean.
  enum class positioning : std::uint8_t {
    sequential,     // nothing: appends, pipes, devices and borrowed descriptors write at their own position
    front_to_back,  // the bytes written so far are the whole file
    edited,         // there may be other bytes beyond the last write
  };

  void open_file(os::open_request request);
  void open_hidden();
  [[nodiscard]] bool may_defer_stat() const noexcept;
  bool stat_file() noexcept;
  [[nodiscard]] bool is_regular() const noexcept { return status_ && status_->kind == os::file_kind::regular; }
  void choose_method();
  void choose_by_profile();
  void begin_as_last_time();
  void empty_if_asked();
  void choose_sizes(const method_entry& entry, std::size_t profiled_block, unsigned profiled_depth);
  void take_first_block();
  void reserve_at_open();

  [[nodiscard]] std::size_t write_large(std::span<const std::byte> bytes) noexcept;
  [[nodiscard]] std::size_t allowance() const noexcept;
  bool grow(std::size_t filled) noexcept;
  void shrink() noexcept;
  [[nodiscard]] bool adapts() const noexcept;
  [[nodiscard]] const method_entry& in_use() const noexcept;
  bool start_method() noexcept;
  void adapt_block() noexcept;
  void end_method() noexcept;
  void print_log() const noexcept;
  void hand_over(std::size_t filled) noexcept;
  void write_all_left(std::size_t filled) noexcept;
  void write_small(std::size_t filled) noexcept;
  void advance_window(std::size_t length) noexcept;
  void truncate_to_written() noexcept;
  void sync_data() noexcept;
  void sync_entry() noexcept;
  void make_durable() noexcept;
  void publish() noexcept;
  void fail(std::string_view operation, std::error_code why) noexcept;
  [[nodiscard]] bool is_durable_at_close() const noexcept {
    return options_.durability != durability::none || options_.atomic;
  }
  [[nodiscard]] bool is_durable_each_write() const noexcept { return options_.durability == durability::each_write; }

  std::string path_;
  writer_options options_;
  os::file file_;
  publisher publisher_;
  os::directory directory_;                // of a file that is to be durable; else opened by the first sync()
  std::optional<os::file_status> status_;  // when the file was opened; empty while the stat is deferred
  const method_entry* entry_ = nullptr;
  bool strict_ = false;  // the user named the method
  double expected_ = 0;  // bytes per second that the profile promises, as in method_setup
  positioning positioning_ = positioning::front_to_back;
  bool synchronous_ = false;  // opened with O_DSYNC
  unsigned generation_ = os::fork_generation();
  bool open_ = true;

  std::size_t block_size_ = 0;
  unsigned depth_ = 1;
  std::unique_ptr<method> method_;  // null until the first block is full
  block block_;
  std::size_t begin_ = 0;      // of the window in block_
  std::uint64_t offset_ = 0;   // of the window in the file
  std::uint64_t written_ = 0;  // used while there is no method
  std::uint64_t durable_ = 0;
  std::uint64_t reserved_ = 0;
  rate_limit limit_;
  bool has_new_attributes_ = false;  // which are not on the device
  bool has_spare_ = false;           // there may be space allocated beyond the file's end
  bool entry_durable_ = false;       // the directory entry is on the device

  // What the methods did, while one runs and afterwards.
  method_shares shares_;
  change_log changes_;

  std::error_code failure_;
  std::string_view failed_operation_;
  std::uint64_t failed_at_ = 0;
};

}  // namespace freshet::detail
