#include "src/filter/zstd_seek_table.hpp"

#include <algorithm>
#include <array>
#include <span>

#include "src/filter/zstd_format.hpp"

namespace freshet::detail {
namespace {

using zstd_format::entry_size;
using zstd_format::footer_size;
using zstd_format::skippable_header;
using zstd_format::table_entry;

bool read_at(source& from, std::uint64_t offset, std::span<std::byte> into) {
  from.seek(offset);
  if (from.failure()) return false;
  // seek() keeps a window that has the offset.
  const auto before = static_cast<std::size_t>(offset - from.offset());
  const auto bytes = from.join(before, into.size());
  if (bytes.size() < into.size()) return false;
  std::ranges::copy(bytes, into.begin());
  return true;
}

std::vector<std::byte> bytes_at(source& from, std::uint64_t offset, std::size_t length) {
  std::vector<std::byte> bytes(length);
  if (!read_at(from, offset, bytes)) bytes.clear();
  return bytes;
}

bool proves(std::span<const std::byte> copy, std::span<const std::byte> entries) {
  if (!zstd_format::is_copy_frame(copy)) return false;
  const auto compressed = copy.subspan(skippable_header);
  std::vector<std::byte> proved(entries.size());
  return ZSTD_decompress(proved.data(), proved.size(), compressed.data(), compressed.size()) == entries.size() &&
         std::ranges::equal(proved, entries);
}

zstd_seek_table add_up(std::span<const table_entry> entries) {
  constexpr std::uint64_t distance = zstd_format::frame_size / 4;
  zstd_seek_table table{.frames = {{}}};
  std::uint64_t stored = 0;
  for (const table_entry& each : entries) {
    if (table.plain >= table.frames.back().plain + distance) table.frames.push_back({table.plain, stored});
    stored += each.stored;
    table.plain += each.plain;
  }
  return table;
}

}  // namespace

std::optional<zstd_seek_table> read_zstd_seek_table(source& from) {
  std::error_code failure;
  const std::uint64_t size = from.size(failure);
  std::array<std::byte, footer_size> footer{};
  if (failure || size < skippable_header + footer_size || !read_at(from, size - footer_size, footer)) return {};
  const auto count = zstd_format::frames_in(footer);
  // The last one is the copy.
  if (!count || *count < 2 || *count > zstd_format::most_frames + 1) return {};
  const std::size_t length = *count * entry_size;
  const std::uint64_t whole = skippable_header + length + footer_size;
  if (size < whole) return {};
  const auto bytes = bytes_at(from, size - footer_size - length, length);
  if (bytes.empty()) return {};
  const auto entries = zstd_format::decode(bytes);
  std::uint64_t stored = 0;
  for (const table_entry& each : entries) stored += each.stored;
  // A wrong table may claim a huge copy: memory is taken only for one of a possible size.
  if (stored + whole != size || entries.back().stored > zstd_compressor::bound(length) + skippable_header) return {};
  const auto copy = bytes_at(from, size - whole - entries.back().stored, entries.back().stored);
  if (!proves(copy, std::span{bytes}.first(length - entry_size))) return {};
  return add_up(std::span{entries}.first(entries.size() - 1));
}

}  // namespace freshet::detail
