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

#include <freshet/options.hpp>
#include <freshet/statistics.hpp>

#include "src/base/pool.hpp"
#include "src/base/rate_limit.hpp"
#include "src/method/exchange_timer.hpp"
#include "src/method/file_log.hpp"
#include "src/method/method.hpp"
#include "src/method/transfer.hpp"
#include "src/os/descriptor_position.hpp"
#include "src/os/fork.hpp"
#include "src/sink/opened_file.hpp"
#include "src/sink/sink.hpp"
#include "src/sink/write_plan.hpp"

namespace freshet::detail {

/// The sink that is the file itself. Its states, from open() to close():
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
/// without a name until close() publishes them, or discard() gives them up.
///
/// What is open is in `target_`, how it is to be written in `plan_`, what is in flight in `method_`, and what is told
/// of it in `history_`.
class output final : public sink {
 public:
  /// Opens `path`. @throws freshet::error
  [[nodiscard]] static std::unique_ptr<output> open(const native_string& path, const writer_options& options);
  /// Opens `path` by `request` for changes at any position, with the method "buffered"; the file is never truncated.
  /// Only block, reserve and durability of `options` apply. @throws freshet::error
  [[nodiscard]] static std::unique_ptr<output> edit(const native_string& path, os::open_request request,
                                                    const writer_options& options);
  /// Writes to an open descriptor, which close() closes if it is `owned`. @throws freshet::error
  [[nodiscard]] static std::unique_ptr<output> adopt(native_handle_type descriptor, bool owned,
                                                     const writer_options& options);

  /// Writes what the window holds and continues at `offset`, or at the file's end if it was opened to append. From then
  /// on the file is never truncated, because it may contain bytes beyond the last write. Without positions it only
  /// writes.
  void seek(std::uint64_t offset) noexcept override;
  /// Pipes and character devices have no positions.
  [[nodiscard]] bool can_seek() noexcept override {
    return stat_file() && (!plan_.entry->needs_file || target_.has_size());
  }
  [[nodiscard]] bool has_fixed_size() noexcept override { return stat_file() && target_.is_block_device(); }
  /// True for most devices, whose position may mean nothing.
  [[nodiscard]] bool has_position() const noexcept override { return has_own_position(target_.file()); }
  [[nodiscard]] std::uint64_t size(std::error_code& failure) const noexcept override;

  void share_position() noexcept override;
  void expect(std::uint64_t offset) noexcept override;
  void expect_here() noexcept override { expected_ = window_.offset(); }
  [[nodiscard]] std::optional<std::uint64_t> expected() noexcept override;
  void yield_position() noexcept override {
    expected_.reset();
    descriptor_position_.leave();
  }
  [[nodiscard]] bool is_inherited() const noexcept override {
    return generation_ != os::fork_generation() && descriptor_position_.has_forked();
  }
  [[nodiscard]] bool is_position_shared() noexcept override;
  void sync_position() noexcept override;
  void flush() noexcept override;
  void sync() noexcept override;
  void close() noexcept override;
  void discard() noexcept override;
  void reserve(std::uint64_t bytes, std::error_code& failure) noexcept override;

  [[nodiscard]] std::uint64_t written() const noexcept override { return method_ ? method_->completed() : written_; }
  [[nodiscard]] std::uint64_t durable() const noexcept override { return durable_; }
  [[nodiscard]] bool is_hidden() const noexcept override { return target_.is_hidden(); }

  [[nodiscard]] std::string_view method_name() noexcept override;
  [[nodiscard]] file_statistics statistics() const override;
  [[nodiscard]] std::filesystem::path path() const override { return target_.path(); }
  [[nodiscard]] native_handle_type descriptor() const noexcept override { return target_.file().descriptor(); }

 private:
  output(const native_string& path, const writer_options& options);

  using positioning = write_positioning;

  // Others may write at the descriptor's own position: it must be where a fork or a user of the descriptor expects it.
  void follow_position() noexcept;
  void notice_forks() noexcept;
  [[nodiscard]] bool writes_at_own_position() const noexcept { return is_at_own_position(positioning_); }

  // Whether each piece that the program hands over reaches the system whole: others may write at this position, too. A
  // rate limit and a wait for the device have pieces of their own.
  [[nodiscard]] bool keeps_pieces() const noexcept {
    return writes_at_own_position() && !limit_ && !is_durable_each_write();
  }

  void learn_kind();
  void choose_again(std::string_view operation) noexcept;
  void start();
  void leave_memory_before(std::uint64_t end) noexcept;
  [[nodiscard]] bool may_defer_stat() const noexcept;
  bool stat_file() noexcept;
  void take_first_block();
  void reserve_at_open();

  /// While the file is small, the block grows instead of being written, and its bytes stay in the new window.
  void make_room(std::size_t least) noexcept override;
  [[nodiscard]] bool write_whole(std::span<const std::byte> bytes) noexcept override;
  [[nodiscard]] std::size_t write_large(std::span<const std::byte> bytes) noexcept override;
  void fail(std::string_view operation, std::error_code why, std::string_view detail = {}) noexcept override;
  [[nodiscard]] std::size_t begin_in(std::size_t block) const noexcept;
  void show_block(std::size_t least = 1) noexcept;
  [[nodiscard]] std::size_t allowance() const noexcept;
  bool grow(std::size_t least) noexcept;
  void shrink(std::size_t least) noexcept;
  [[nodiscard]] const method_entry& in_use() const noexcept;
  bool start_method() noexcept;
  [[nodiscard]] bool bounds_cache() const noexcept {
    return options_.caching == caching::drop || options_.caching == caching::bypass;
  }
  void drop_pages_left() noexcept;
  void end_method() noexcept;
  void print_log() const noexcept;
  void hand_over(exchange_timer& timer, std::size_t least = 1) noexcept;
  void write_all_left(exchange_timer& timer) noexcept;
  void write_small(std::size_t least = 1) noexcept;
  void note_progress(std::size_t least = 1) noexcept;
  void note_durability() noexcept;
  void truncate_to_written() noexcept;
  void sync_data() noexcept;
  void sync_entry() noexcept;
  void make_durable() noexcept;
  void copy_attributes() noexcept;
  void publish() noexcept;
  [[nodiscard]] bool is_durable_at_close() const noexcept {
    return options_.durability != durability::none || options_.atomic;
  }
  [[nodiscard]] bool is_durable_each_write() const noexcept { return options_.durability == durability::each_write; }

  writer_options options_;
  opened_file target_;
  rate_limit limit_;
  write_plan plan_;
  positioning positioning_ = positioning::front_to_back;
  unsigned generation_ = os::fork_generation();

  std::unique_ptr<method> method_;  // null until the first block is full
  block block_;
  std::uint64_t written_ = 0;  // used while there is no method
  std::uint64_t durable_ = 0;
  std::uint64_t reserved_ = 0;
  std::uint64_t run_begin_ = 0;  // of the bytes written since the last seek
  std::uint64_t undropped_ = 0;  // with caching::drop: bytes before that may be in the page cache
  bool has_spare_ = false;       // there may be space allocated beyond the file's end
  file_history history_;

  std::uint64_t own_position_ = 0;                               // of the descriptor, until it is shared
  std::optional<std::uint64_t> expected_;                        // see expect()
  os::descriptor_position descriptor_position_{target_.file()};  // followed while own_position_ may be elsewhere
};

}  // namespace freshet::detail
