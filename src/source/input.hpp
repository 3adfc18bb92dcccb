// An open file being read: the promises on errors, ends and offsets, kept once for all methods.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <system_error>

#include <freshet/options.hpp>

#include "src/base/rate_limit.hpp"
#include "src/method/exchange_timer.hpp"
#include "src/method/file_log.hpp"
#include "src/method/read_method.hpp"
#include "src/method/transfer.hpp"
#include "src/os/descriptor_position.hpp"
#include "src/os/file.hpp"
#include "src/source/read_plan.hpp"
#include "src/source/source.hpp"

namespace freshet::detail {

/// The source that is the file itself.
class input final : public source {
 public:
  /// Opens `path`. @throws freshet::error
  [[nodiscard]] static std::unique_ptr<input> open(const native_string& path, const reader_options& options);
  /// Reads an open descriptor from its own position on; close() closes it if it is `owned`. @throws freshet::error
  [[nodiscard]] static std::unique_ptr<input> adopt(native_handle_type descriptor, bool owned,
                                                    const reader_options& options);
  /// Reads, by offset from the file's start, what an output writes to `descriptor`; `path` is for messages. Every
  /// seek() drops the window, because the file may have changed. @throws freshet::error
  [[nodiscard]] static std::unique_ptr<input> share(native_handle_type descriptor, const native_string& path,
                                                    const reader_options& options);

  void seek(std::uint64_t offset) noexcept override;
  void refresh(std::uint64_t offset) noexcept override;
  [[nodiscard]] std::uint64_t ready() noexcept override;
  [[nodiscard]] bool can_seek() noexcept override;
  [[nodiscard]] bool has_position() const noexcept override { return has_own_position(file_); }
  [[nodiscard]] bool has_fixed_size() noexcept override {
    return stat_file() && status_->kind == os::file_kind::block_device;
  }
  void allow_truncation() noexcept override { may_be_truncated_ = true; }
  void follow_descriptor() noexcept override { follows_descriptor_ = true; }
  void share_position() noexcept override;
  void yield_position() noexcept override { descriptor_position_.leave(); }
  void close(std::size_t used = 0) noexcept override;
  /// 0 for files without a size.
  [[nodiscard]] std::uint64_t size(std::error_code& failure) noexcept override;

  [[nodiscard]] std::string_view method_name() const noexcept override;
  [[nodiscard]] file_statistics statistics() const override;
  [[nodiscard]] native_handle_type descriptor() const noexcept override { return file_.descriptor(); }

 private:
  /// Where the next read takes its bytes from. setup_of_block() alone passes it on.
  enum class positioning : std::uint8_t {
    own,          ///< from the window's offset, whatever else uses the open file (pread)
    descriptors,  ///< from the descriptor's own position, which others may share (read): pipes, sockets, terminals
    shared,       ///< from there, too: a regular file that others read or write at this position
  };

  input(const native_string& path, const reader_options& options);

  // Others may read at the descriptor's own position: it must be where a fork or a user of the descriptor expects it.
  void follow_position() noexcept;
  void notice_forks() noexcept;
  void sync_position() noexcept;
  void move_to(std::uint64_t offset) noexcept;
  void end_method() noexcept;

  void wrap(native_handle_type descriptor, bool owned);
  bool stat_file() noexcept;
  /// Returns false if there is nothing to read from: after a failure, and where no file can have bytes.
  bool start() noexcept;
  void start_final_method();
  [[nodiscard]] read_setup setup_of_block(std::size_t block) const noexcept;
  void read_in_order() noexcept;
  [[nodiscard]] bool has_no_offsets(std::error_code error) noexcept;
  bool fetch() noexcept override;
  [[nodiscard]] std::size_t read_piece(std::span<std::byte> into) noexcept override;
  void count_share(std::size_t bytes, exchange_timer& timer) noexcept;
  void print_log() const noexcept;
  void limit_block() noexcept;
  void check_end() noexcept;
  void check_size(std::uint64_t size) noexcept;
  void fail_as_truncated() noexcept;

  reader_options options_;
  os::file file_;
  std::optional<os::file_status> status_;  // when the file was opened; empty while the stat is deferred
  positioning positioning_ = positioning::own;
  bool may_be_truncated_ = false;      // a shorter file is not an error
  bool shared_ = false;                // an output writes to the same descriptor
  bool descriptor_is_direct_ = false;  // whoever opened it set O_DIRECT
  bool moves_position_ = false;        // close() sets a borrowed file's own position
  bool is_final_method_ = false;       // method_ is not only for the first block

  rate_limit limit_;
  read_plan plan_;
  std::unique_ptr<read_method> method_;  // null until the first bytes are requested
  std::uint64_t known_size_ = 0;         // a file that ends before this offset was truncated
  std::size_t after_seek_ = 0;           // bytes of the next block, if that is to be a small one

  std::uint64_t all_bytes_ = 0;
  file_history history_;

  bool follows_descriptor_ = false;
  bool is_to_share_ = false;                            // with the next call
  os::descriptor_position descriptor_position_{file_};  // followed once it is behind what was read
};

}  // namespace freshet::detail
