// Decompresses frames of zstd from a source, one after another.
#pragma once

#include <zstd.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "src/filter/zstd_format.hpp"
#include "src/filter/zstd_frames.hpp"
#include "src/source/source.hpp"

namespace freshet::detail {

/// Where a frame begins.
struct zstd_frame_start {
  std::uint64_t plain = 0;   ///< offset of its first decompressed byte
  std::uint64_t stored = 0;  ///< offset in the file
};

/// Reads from the position of its source on, which it moves. Frames that have a checksum and are not larger than
/// zstd_format::frame_size are checked before their first byte is returned; of others, the end is.
class zstd_decoder {
 public:
  /// @param accepts_unclosed  whether a file that lacks its end is no failure
  zstd_decoder(source& from, bool accepts_unclosed) noexcept : from_{from}, accepts_unclosed_{accepts_unclosed} {}

  /// Begins with `first`, at most zstd_format::magic_size bytes that were taken from the source already.
  void begin_with(std::span<const std::byte> first) noexcept;
  /// Continues at the beginning of a frame. Precondition: the source can seek, unless it is there.
  void restart(const zstd_frame_start& at) noexcept;
  /// Returns to its place in the source, after others have moved that.
  void resume() noexcept { move_to(stored_offset()); }

  /// Returns the next bytes; none at the end of the file and on failure. Valid until the next call.
  [[nodiscard]] std::span<const std::byte> next() noexcept;

  /// Offset of the byte behind those that next() returned last.
  [[nodiscard]] std::uint64_t offset() const noexcept { return offset_; }
  /// Offset in the file behind what was taken from the source.
  [[nodiscard]] std::uint64_t stored_offset() const noexcept { return stored_offset_; }
  /// The beginning of the frame that was entered last.
  [[nodiscard]] const zstd_frame_start& frame() const noexcept { return frame_; }
  /// Whether next() came to the end of the file, and found nothing wrong.
  [[nodiscard]] bool is_at_end() const noexcept { return at_end_; }
  /// What was wrong; an error of the source is not repeated here.
  [[nodiscard]] const zstd_failure& failure() const noexcept { return failure_; }
  /// Whether the failure is that the file lacks its end.
  [[nodiscard]] bool is_unclosed() const noexcept { return failure_.code && is_cut_; }

 private:
  struct deleter {
    void operator()(ZSTD_DCtx* context) const noexcept { ZSTD_freeDCtx(context); }
  };
  enum class place : std::uint8_t { between, in_frame };

  void move_to(std::uint64_t stored) noexcept;
  [[nodiscard]] std::span<const std::byte> stored() const noexcept { return from_.window().subspan(taken_); }
  void take(std::size_t length) noexcept;
  [[nodiscard]] bool has_more() noexcept;
  [[nodiscard]] bool read_header() noexcept;
  [[nodiscard]] bool begin_frame() noexcept;
  void end_file() noexcept;
  void skip_frame() noexcept;
  [[nodiscard]] bool prepare() noexcept;
  [[nodiscard]] std::size_t decompress() noexcept;
  std::size_t decompress_some(std::span<const std::byte> from, ZSTD_outBuffer& into) noexcept;
  void fail(std::errc why, std::string_view detail) noexcept { failure_ = {std::make_error_code(why), detail}; }
  void end_as_cut() noexcept;
  [[nodiscard]] bool ends_in_zeros(std::uint64_t frame) noexcept;

  source& from_;
  bool accepts_unclosed_;
  std::size_t taken_ = 0;  // of the source's window
  std::uint64_t stored_offset_ = 0;
  std::unique_ptr<ZSTD_DCtx, deleter> context_;

  place place_ = place::between;
  zstd_format::header header_;
  // A header that crosses from one window of the source to the next.
  std::array<std::byte, zstd_format::longest_header> crossing_{};
  std::size_t crossing_size_ = 0;
  bool is_full_ = false;    // libzstd may have more bytes of the frame without further input
  bool is_whole_ = false;   // the frame is returned in one piece, once it is checked
  bool is_marked_ = false;  // a seek table has to follow the frames
  bool at_end_ = false;
  bool is_cut_ = false;  // the file ends before its end was written

  std::vector<std::byte> buffer_;
  std::uint64_t offset_ = 0;
  zstd_frame_start frame_;
  zstd_failure failure_;
};

}  // namespace freshet::detail
