#include "src/filter/zstd_format.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

#include <freshet/endian.hpp>

namespace freshet::detail::zstd_format {
namespace {

constexpr std::uint32_t frame_magic = 0xFD2FB528;
// The last four bits of a skippable frame's magic number are free.
constexpr std::uint32_t skippable_magic = 0x184D2A50;
constexpr std::uint32_t seek_table_magic = 0x184D2A5E;
constexpr std::uint32_t copy_magic = 0x184D2A5D;
constexpr std::uint32_t seekable_magic = 0x8F92EAB1;

constexpr std::size_t descriptor_at = magic_size;
constexpr unsigned single_segment = 0x20;
constexpr unsigned checksum_flag = 0x04;
constexpr unsigned one_byte_dictionary = 0x01;
constexpr unsigned two_byte_dictionary = 0x02;

std::uint32_t word_at(std::span<const std::byte> bytes, std::size_t position) noexcept {
  return load<std::endian::little, std::uint32_t>(bytes.subspan(position).first<4>());
}

void put_word(std::span<std::byte> bytes, std::size_t position, std::uint32_t word) noexcept {
  store<std::endian::little>(word, bytes.subspan(position).first<4>());
}

// A number of 0 to 8 bytes.
std::uint64_t number_in(std::span<const std::byte> bytes) noexcept {
  std::uint64_t number = 0;
  for (std::size_t i = bytes.size(); i-- > 0;) number = number << 8 | std::to_integer<std::uint64_t>(bytes[i]);
  return number;
}

parse_result parse_skippable(std::span<const std::byte> bytes, header& result) noexcept {
  if (bytes.size() < skippable_header) return parse_result::incomplete;
  result = {.what = word_at(bytes, 0) == seek_table_magic ? header::kind::seek_table : header::kind::skippable,
            .length = skippable_header,
            .has_checksum = false,
            .is_marked = false,
            .content = word_at(bytes, magic_size)};
  return parse_result::ok;
}

parse_result parse_data(std::span<const std::byte> bytes, header& result) noexcept {
  if (bytes.size() <= descriptor_at) return parse_result::incomplete;
  const auto descriptor = std::to_integer<unsigned>(bytes[descriptor_at]);
  const bool is_single = (descriptor & single_segment) != 0;
  constexpr std::array<std::size_t, 4> dictionary_sizes{0, 1, 2, 4}, content_sizes{0, 2, 4, 8};
  const std::size_t dictionary_at = descriptor_at + 1 + (is_single ? 0 : 1);
  const std::size_t dictionary_size = dictionary_sizes[descriptor & 3];
  const std::size_t content_at = dictionary_at + dictionary_size;
  const std::size_t content_size = descriptor >> 6 == 0 && is_single ? 1 : content_sizes[descriptor >> 6];
  result = header{};
  result.length = content_at + content_size;
  result.has_checksum = (descriptor & checksum_flag) != 0;
  if (bytes.size() < result.length) return parse_result::incomplete;
  const auto is_zero = [](std::byte each) { return each == std::byte{0}; };
  result.is_marked = (dictionary_size == 1 || dictionary_size == 2) &&
                     std::ranges::all_of(bytes.subspan(dictionary_at, dictionary_size), is_zero);
  if (content_size != 0)
    result.content = number_in(bytes.subspan(content_at, content_size)) + (content_size == 2 ? 256 : 0);
  return parse_result::ok;
}

std::vector<std::byte> skippable_frame(std::uint32_t magic, std::size_t content) {
  std::vector<std::byte> frame(skippable_header + content);
  put_word(frame, 0, magic);
  put_word(frame, magic_size, static_cast<std::uint32_t>(content));
  return frame;
}

}  // namespace

parse_result parse(std::span<const std::byte> bytes, header& result) noexcept {
  if (bytes.size() < magic_size) return parse_result::incomplete;
  const std::uint32_t magic = word_at(bytes, 0);
  if (magic == frame_magic) return parse_data(bytes, result);
  return (magic & ~0xFU) == skippable_magic ? parse_skippable(bytes, result) : parse_result::invalid;
}

bool has_magic(std::span<const std::byte> bytes) noexcept {
  const std::uint32_t magic = word_at(bytes, 0);
  return magic == frame_magic || (magic & ~0xFU) == skippable_magic;
}

bool may_become_magic(std::span<const std::byte> bytes) noexcept {
  const auto whole = begin_of_frame();
  return bytes.size() < magic_size && std::ranges::equal(bytes, std::span{whole}.first(bytes.size()));
}

void mark(std::span<std::byte> frame_behind_gap) noexcept {
  std::byte& descriptor = frame_behind_gap[1 + descriptor_at];
  const bool is_single = (descriptor & std::byte{single_segment}) != std::byte{0};
  descriptor |= std::byte{one_byte_dictionary};
  const std::size_t dictionary_at = descriptor_at + 1 + (is_single ? 0 : 1);
  std::memmove(frame_behind_gap.data(), frame_behind_gap.data() + 1, dictionary_at);
  frame_behind_gap[dictionary_at] = std::byte{0};
}

std::size_t widen_mark(std::span<std::byte> frame) noexcept {
  std::byte& descriptor = frame[descriptor_at];
  descriptor ^= std::byte{one_byte_dictionary | two_byte_dictionary};
  return descriptor_at + 1 + ((descriptor & std::byte{single_segment}) != std::byte{0} ? 0 : 1);
}

std::array<std::byte, magic_size> begin_of_frame() noexcept {
  std::array<std::byte, magic_size> begin{};
  put_word(begin, 0, frame_magic);
  return begin;
}

std::vector<std::byte> encode(std::span<const table_entry> entries) {
  std::vector<std::byte> bytes(entries.size() * entry_size);
  for (std::size_t i = 0; i < entries.size(); ++i) {
    put_word(bytes, i * entry_size, entries[i].stored);
    put_word(bytes, i * entry_size + 4, entries[i].plain);
  }
  return bytes;
}

std::vector<table_entry> decode(std::span<const std::byte> bytes) {
  std::vector<table_entry> entries(bytes.size() / entry_size);
  for (std::size_t i = 0; i < entries.size(); ++i)
    entries[i] = {word_at(bytes, i * entry_size), word_at(bytes, i * entry_size + 4)};
  return entries;
}

// The footer's descriptor, its fifth byte, stays zero: no checksums.
std::vector<std::byte> seek_table_frame(std::span<const table_entry> entries) {
  const auto bytes = encode(entries);
  auto frame = skippable_frame(seek_table_magic, bytes.size() + footer_size);
  std::ranges::copy(bytes, frame.begin() + skippable_header);
  const std::size_t footer = frame.size() - footer_size;
  put_word(frame, footer, static_cast<std::uint32_t>(entries.size()));
  put_word(frame, footer + 5, seekable_magic);
  return frame;
}

std::vector<std::byte> copy_frame(std::span<const std::byte> compressed_entries) {
  auto frame = skippable_frame(copy_magic, compressed_entries.size());
  std::ranges::copy(compressed_entries, frame.begin() + skippable_header);
  return frame;
}

bool is_copy_frame(std::span<const std::byte> frame) noexcept {
  return frame.size() >= skippable_header && word_at(frame, 0) == copy_magic &&
         word_at(frame, magic_size) == frame.size() - skippable_header;
}

std::optional<std::uint32_t> frames_in(std::span<const std::byte> footer) noexcept {
  if (word_at(footer, 5) != seekable_magic || footer[4] != std::byte{0}) return std::nullopt;
  return word_at(footer, 0);
}

}  // namespace freshet::detail::zstd_format
