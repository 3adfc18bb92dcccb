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
#include "src/method/file_log.hpp"
#include "src/method/registry.hpp"
#include "src/method/transfer.hpp"
#include "src/os/directory.hpp"
#include "src/os/file.hpp"
#include "src/os/fork.hpp"
#include "src/sink/deletion.hpp"
#include "src/sink/publisher.hpp"
#include "src/sink/scratch_file.hpp"
#include "src/sink/sink.hpp"

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
/// pending in publisher_ until close() publishes them, or discard() gives them up.
class output final : public sink {
 public:
  /// Opens `path`. @throws freshet::error
  [[nodiscard]] static std::unique_ptr<output> open(const std::string& path, const writer_options& options);
  /// Opens `path` by `request` for changes at any position, with the method "buffered"; the file is never truncated.
  /// Only block, reserve and durability of `options` apply. @throws freshet::error
  [[nodiscard]] static std::unique_ptr<output> edit(const std::string& path, os::open_request request,
                                                    const writer_options& options);
  /// Writes to an open descriptor, which close() closes if it is `owned`. @throws freshet::error
  [[nodiscard]] static std::unique_ptr<output> adopt(int descriptor, bool owned, const writer_options& options);

  /// Writes what the window holds and continues at `offset`, or at the file's end if it was opened to append. From then
  /// on the file is never truncated, because it may contain bytes beyond the last write. Without positions it only
  /// writes.
  void seek(std::uint64_t offset) noexcept override;
  /// Pipes and devices have no positions.
  [[nodiscard]] bool can_seek() noexcept override { return stat_file() && (!entry_->needs_file || is_regular()); }
  /// True for most devices, whose position may mean nothing.
  [[nodiscard]] bool has_position() const noexcept override { return has_own_position(file_); }
  [[nodiscard]] std::uint64_t size(std::error_code& failure) const noexcept override;

  void flush() noexcept override;
  void sync() noexcept override;
  void close() noexcept override;
  void discard() noexcept override;
  void reserve(std::uint64_t bytes, std::error_code& failure) noexcept override;

  [[nodiscard]] std::uint64_t written() const noexcept override { return method_ ? method_->completed() : written_; }
  [[nodiscard]] std::uint64_t durable() const noexcept override { return durable_; }
  [[nodiscard]] bool is_hidden() const noexcept override { return publisher_.is_pending(); }

  [[nodiscard]] std::string_view method_name() noexcept override;
  [[nodiscard]] file_statistics statistics() const override;
  [[nodiscard]] std::filesystem::path path() const override { return path_; }
  [[nodiscard]] int descriptor() const noexcept override { return file_.descriptor(); }

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
  void open_temporary();
  [[nodiscard]] bool is_in_memory() const noexcept { return scratch_ && scratch_->is_in_memory(); }
  void leave_memory_before(std::uint64_t end) noexcept;
  [[nodiscard]] bool may_defer_stat() const noexcept;
  bool stat_file() noexcept;
  [[nodiscard]] bool is_regular() const noexcept { return status_ && status_->kind == os::file_kind::regular; }
  void choose_method();
  void choose_by_profile();
  void choose_direct();
  void begin_as_last_time();
  void empty_if_asked();
  void choose_sizes(const method_entry& entry, std::size_t profiled_block, unsigned profiled_depth);
  void take_first_block();
  void reserve_at_open();

  /// While the file is small, the block grows instead of being written, and its bytes stay in the new window.
  void make_room(std::size_t least) noexcept override;
  [[nodiscard]] std::size_t write_large(std::span<const std::byte> bytes) noexcept override;
  void fail(std::string_view operation, std::error_code why, std::string_view detail = {}) noexcept override;
  void show_block(std::size_t least = 1) noexcept;
  [[nodiscard]] std::size_t allowance() const noexcept;
  bool grow(std::size_t least) noexcept;
  void shrink(std::size_t least) noexcept;
  [[nodiscard]] bool adapts() const noexcept;
  [[nodiscard]] const method_entry& in_use() const noexcept;
  bool start_method() noexcept;
  void adapt_block() noexcept;
  [[nodiscard]] bool bounds_cache() const noexcept {
    return options_.caching == caching::drop || options_.caching == caching::bypass;
  }
  void drop_pages_left() noexcept;
  void end_method() noexcept;
  void print_log() const noexcept;
  void hand_over(std::size_t least = 1) noexcept;
  void write_all_left() noexcept;
  void write_small(std::size_t least = 1) noexcept;
  void note_progress(std::size_t least = 1) noexcept;
  void truncate_to_written() noexcept;
  void sync_data() noexcept;
  void sync_entry() noexcept;
  void make_durable() noexcept;
  void copy_attributes() noexcept;
  void publish() noexcept;
  void delete_file() noexcept;
  [[nodiscard]] bool is_durable_at_close() const noexcept {
    return options_.durability != durability::none || options_.atomic;
  }
  [[nodiscard]] bool is_durable_each_write() const noexcept { return options_.durability == durability::each_write; }

  std::string path_;
  writer_options options_;
  os::file file_;
  publisher publisher_;
  std::unique_ptr<deletion> deletion_;     // null unless options_.delete_on_close
  std::unique_ptr<scratch_file> scratch_;  // null unless options_.temporary
  os::directory directory_;                // of a file that is to be durable; else opened by the first sync()
  std::optional<os::file_status> status_;  // when the file was opened; empty while the stat is deferred
  const method_entry* entry_ = nullptr;
  bool strict_ = false;  // the user named the method, or has the file bypass the page cache
  double expected_ = 0;  // bytes per second that the profile promises, as in method_setup
  positioning positioning_ = positioning::front_to_back;
  bool synchronous_ = false;  // opened with O_DSYNC
  unsigned generation_ = os::fork_generation();

  std::size_t block_size_ = 0;
  unsigned depth_ = 1;
  std::unique_ptr<method> method_;  // null until the first block is full
  block block_;
  std::uint64_t written_ = 0;  // used while there is no method
  std::uint64_t durable_ = 0;
  std::uint64_t reserved_ = 0;
  std::uint64_t run_begin_ = 0;  // of the bytes written since the last seek
  std::uint64_t undropped_ = 0;  // with caching::drop: bytes before that may be in the page cache
  rate_limit limit_;
  bool has_new_attributes_ = false;  // which are not on the device
  bool has_spare_ = false;           // there may be space allocated beyond the file's end
  bool entry_durable_ = false;       // the directory entry is on the device

  // What the methods did, while one runs and afterwards.
  method_shares shares_;
  change_log changes_;
};

}  // namespace freshet::detail
