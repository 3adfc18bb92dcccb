// The parts of zstd's format (RFC 8878) and of its seekable format that the library itself reads and writes.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace freshet::detail::zstd_format {

inline constexpr std::size_t magic_size = 4;
/// Bytes of the longest header of a frame.
inline constexpr std::size_t longest_header = 18;
/// Bytes of a skippable frame before its content.
inline constexpr std::size_t skippable_header = 8;
/// The most plain bytes in a frame that is written, and in one that is checked before its first byte is handed out.
/// Frames of 4 MiB make the files of level 3 0.3 % larger than one frame does, frames of 2 MiB 1.5 %.
inline constexpr std::size_t frame_size = std::size_t{4} << 20;
/// With more frames, a seek table is neither written nor believed, so that its memory is bounded.
inline constexpr std::size_t most_frames = std::size_t{1} << 22;

/// The beginning of a frame.
struct header {
  enum class kind : std::uint8_t { data, seek_table, skippable };
  kind what = kind::data;
  std::size_t length = 0;  ///< bytes of the header
  bool has_checksum = false;
  bool is_marked = false;                ///< a frame of a file that ends with a seek table; see mark()
  std::optional<std::uint64_t> content;  ///< bytes that come out of it, or are to be skipped, if it says so
};

enum class parse_result : std::uint8_t { ok, incomplete, invalid };
/// Reads the header at the front of `bytes`.
[[nodiscard]] parse_result parse(std::span<const std::byte> bytes, header& result) noexcept;

/// Whether `bytes` begin as a file of zstd does. Precondition: there are magic_size.
[[nodiscard]] bool has_magic(std::span<const std::byte> bytes) noexcept;

/// Whether `bytes` are fewer than magic_size, and may be what is there of a frame.
[[nodiscard]] bool may_become_magic(std::span<const std::byte> bytes) noexcept;

/// Marks the frame in `frame_behind_gap`, which follows one unused byte, by a dictionary ID that is there and zero:
/// decoders take that as none. It says that the file ends with a seek table, so that a file that was cut between two
/// frames is noticed. Precondition: the frame was compressed without a dictionary.
void mark(std::span<std::byte> frame_behind_gap) noexcept;
/// Makes the mark of `frame` a byte longer: changes its header, and returns where a byte of zero has to be inserted.
[[nodiscard]] std::size_t widen_mark(std::span<std::byte> frame) noexcept;

/// What every frame with the program's bytes begins with.
[[nodiscard]] std::array<std::byte, magic_size> begin_of_frame() noexcept;

/// A frame in the seek table.
struct table_entry {
  std::uint32_t stored = 0;  ///< bytes of the frame
  std::uint32_t plain = 0;   ///< bytes that come out of it
};
inline constexpr std::size_t entry_size = 8;
inline constexpr std::size_t footer_size = 9;

/// The entries as the seek table has them.
[[nodiscard]] std::vector<std::byte> encode(std::span<const table_entry> entries);
/// Precondition: `bytes` is a multiple of entry_size.
[[nodiscard]] std::vector<table_entry> decode(std::span<const std::byte> bytes);

/// A skippable frame with `content`: the seek table, or the copy that proves it. The seek table has no checksum of its
/// own, so a frame before it holds its entries once more, compressed with one.
[[nodiscard]] std::vector<std::byte> seek_table_frame(std::span<const table_entry> entries);
[[nodiscard]] std::vector<std::byte> copy_frame(std::span<const std::byte> compressed_entries);
[[nodiscard]] bool is_copy_frame(std::span<const std::byte> frame) noexcept;

/// How many frames the seek table has whose last bytes are `footer`; nothing if it is none, or of a form that this
/// library does not write. Precondition: `footer` has footer_size bytes.
[[nodiscard]] std::optional<std::uint32_t> frames_in(std::span<const std::byte> footer) noexcept;

}  // namespace freshet::detail::zstd_format
