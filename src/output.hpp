// An open file being written: the promises on errors, order, durability and length, kept once for all methods.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <system_error>

#include <freshet/detail/open_file.hpp>
#include <freshet/error.hpp>
#include <freshet/options.hpp>

#include "src/method/registry.hpp"
#include "src/os/file.hpp"
#include "src/pool.hpp"

namespace freshet::detail {

/// Takes the bytes that a writer or a stream buffer puts into its window, a block at a time. The caller fills window()
/// from its front and tells how many bytes it `filled` with each call; afterwards it asks for the window anew.
/// After the first failure() the window is empty and nothing more is written.
class output : public open_file {
 public:
  /// Opens `path`. @throws freshet::error
  [[nodiscard]] static std::unique_ptr<output> open(const std::filesystem::path& path, const writer_options& options);
  /// Opens `path` as `request` says, to be changed in places: by the method "buffered", and never cut. Of `options`,
  /// block, reserve and durability count. @throws freshet::error
  [[nodiscard]] static std::unique_ptr<output> edit(const std::filesystem::path& path, os::open_request request,
                                                    const writer_options& options);
  /// Takes an open descriptor, to be closed in the end when `owned`. @throws freshet::error
  [[nodiscard]] static std::unique_ptr<output> adopt(int descriptor, bool owned, const writer_options& options);

  output(const output&) = delete;
  output& operator=(const output&) = delete;
  ~output();

  /// Room for the next bytes; its first one stands at offset() in the file.
  [[nodiscard]] std::span<std::byte> window() const noexcept { return block_.bytes().subspan(begin_); }
  [[nodiscard]] std::uint64_t offset() const noexcept { return offset_; }

  /// Makes room in a full window. Returns how many bytes of it stay in the new window, at its front: while the file is
  /// small the block grows instead of being written.
  [[nodiscard]] std::size_t exchange(std::size_t filled) noexcept;
  /// Writes as much of the front of `bytes` as pays to go without a copy; returns how much that was. Precondition: the
  /// window is empty.
  [[nodiscard]] std::size_t pass(std::span<const std::byte> bytes) noexcept;

  /// Writes what the window holds and goes on at `offset`; at the file's end, if it was opened to append. From then on
  /// the file is never cut, for there may be more behind what was written last. Where there are no positions, it only
  /// writes.
  void seek(std::size_t filled, std::uint64_t offset) noexcept;
  /// Whether there are positions, as there are not in pipes and devices.
  [[nodiscard]] bool can_seek() noexcept {
    return look() && (!entry_->needs_file || opened_.kind == os::file_kind::regular);
  }
  /// Bytes that the file has at the moment.
  [[nodiscard]] std::uint64_t size(std::error_code& failure) const noexcept;

  void flush(std::size_t filled) noexcept;
  void sync(std::size_t filled) noexcept;
  /// Ends the file. A hidden one appears under its name.
  void close(std::size_t filled) noexcept;
  /// The same for one that nobody asked to close: a hidden file is given up.
  void abandon(std::size_t filled) noexcept;
  /// Sets space aside for `bytes` bytes in all; `failure` does not stick, for nothing is lost by it.
  void reserve(std::uint64_t bytes, std::error_code& failure) noexcept;

  /// Bytes in the file without a gap, and those on the device.
  [[nodiscard]] std::uint64_t written() const noexcept { return method_ ? method_->completed() : written_; }
  [[nodiscard]] std::uint64_t durable() const noexcept { return durable_; }
  [[nodiscard]] bool is_open() const noexcept { return open_; }
  /// The first error.
  [[nodiscard]] std::error_code failure() const noexcept { return failure_; }
  /// The same as an exception.
  [[nodiscard]] error failure_as_error() const;

  [[nodiscard]] std::string_view method_name() noexcept;
  [[nodiscard]] std::filesystem::path path() const { return path_; }
  [[nodiscard]] int descriptor() const noexcept { return file_.descriptor(); }

 private:
  output(const std::filesystem::path& path, const writer_options& options);

  void open_file(os::open_request request);
  void open_hidden();
  [[nodiscard]] bool may_look_later() const noexcept;
  bool look() noexcept;
  void choose_method();
  void choose_by_profile();
  void empty_if_asked();
  void choose_sizes(const method_entry& entry, std::size_t profiled_block, unsigned profiled_depth);
  void take_first_block();
  void reserve_at_open();

  bool grow(std::size_t filled) noexcept;
  bool start_method() noexcept;
  void hand_over(std::size_t filled) noexcept;
  void write_all_left(std::size_t filled) noexcept;
  void write_small(std::size_t filled) noexcept;
  void moved_on(std::size_t by) noexcept;
  void settle_length() noexcept;
  void sync_data() noexcept;
  void sync_entry() noexcept;
  void make_durable() noexcept;
  void publish() noexcept;
  void remove_temporary() noexcept;
  void fail(std::string_view operation, std::error_code why) noexcept;
  [[nodiscard]] bool is_durable_at_close() const noexcept {
    return options_.durability != durability::none || options_.atomic;
  }
  [[nodiscard]] bool made_durable_each_write() const noexcept { return options_.durability == durability::each_write; }

  std::filesystem::path::string_type path_;  // copying a path copies its parts, too, each of them on the heap
  writer_options options_;
  os::file file_;
  os::file_status opened_;  // as it was found, once it has been looked at
  bool looked_ = false;
  const method_entry* entry_ = nullptr;
  bool strict_ = false;           // the user named the method
  bool sequential_only_ = false;  // appends, pipes, devices, borrowed descriptors: no offsets
  bool edited_ = false;           // there may be bytes beyond those written last
  bool synchronous_ = false;      // opened with O_DSYNC
  unsigned generation_ = os::fork_generation();
  std::filesystem::path temporary_;  // a hidden file's name until it is published; empty where it has none
  bool unpublished_ = false;
  bool open_ = true;

  std::size_t block_size_ = 0;
  unsigned depth_ = 1;
  std::unique_ptr<method> method_;  // null until the first block is full
  block block_;
  std::size_t begin_ = 0;      // of the window, in block_
  std::uint64_t offset_ = 0;   // of the window, in the file
  std::uint64_t written_ = 0;  // before there is a method
  std::uint64_t durable_ = 0;
  std::uint64_t reserved_ = 0;
  bool has_spare_ = false;      // there may be space beyond the file's end
  bool entry_durable_ = false;  // the directory's entry is on the device

  std::error_code failure_;
  std::string_view failed_operation_;
  std::uint64_t failed_at_ = 0;
};

}  // namespace freshet::detail
