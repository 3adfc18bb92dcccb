// The workload `bytes`: programs have several ways to write or read a file one byte per call.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tool/base/enum_names.hpp"
#include "tool/base/interrupt.hpp"

namespace freshet::tool {

enum class direction : std::uint8_t { write, read };
template <>
inline constexpr auto enum_names<direction> = std::to_array<std::string_view>({"write", "read"});

/// The buffers that a way accepts.
enum class buffer_choice : std::uint8_t {
  none,    ///< none; it chooses its own
  any,     ///< of any size
  blocks,  ///< the library's blocks: powers of two from 4 KiB to 64 MiB
};

/// The file that a way writes or reads.
struct byte_job {
  std::filesystem::path path;
  std::uint64_t size = 0;  ///< bytes to write; reading ends at the end of the file
  std::size_t buffer = 0;  ///< bytes; 0: the way's default
};

/// The bytes that a way wrote or read. Only a way that reads every byte gets their sum right.
struct byte_count {
  std::uint64_t bytes = 0;
  std::uint64_t sum = 0;  ///< of the bytes read
  friend bool operator==(const byte_count&, const byte_count&) = default;
};

/// What a way did, and by which means: what it was to use, and what the open file said that it used, asked directly
/// before it was closed. `wanted` "auto" takes anything; both are empty if the file cannot be asked.
struct byte_work {
  byte_count done;
  std::string wanted = {};
  std::string used = {};
};

/// A way to write or read, one byte per call unless it says otherwise: opens the file, handles all bytes and closes it.
/// It throws freshet::error or `interrupted`.
struct byte_way {
  std::string_view name;
  direction goes = direction::write;
  buffer_choice buffers = buffer_choice::any;
  byte_work (*run)(const byte_job& job) = nullptr;
  /// It moves 64 KiB per call: what the same function reaches at most, beside which its way of one byte is judged.
  bool by_blocks = false;

  [[nodiscard]] bool takes_buffer(std::size_t bytes) const noexcept;
};

/// All ways; those that write come first.
[[nodiscard]] const std::vector<byte_way>& byte_ways();

/// The parts of byte_ways(). Each is defined in a file of its own.
[[nodiscard]] std::vector<byte_way> stdio_ways();
[[nodiscard]] std::vector<byte_way> unlocked_header_ways();
[[nodiscard]] std::vector<byte_way> std_stream_ways();
[[nodiscard]] std::vector<byte_way> freshet_ways();

/// The file's content: a stretch of random bytes, which repeats.
[[nodiscard]] std::span<const unsigned char> byte_pattern();

/// The number and the sum of the bytes of a file of `size`.
[[nodiscard]] byte_count expected_bytes(std::uint64_t size);

/// MB/s of the loop that generates the bytes and discards them. No way of writing can be faster.
[[nodiscard]] double byte_loop_rate();

/// Calls `take` with the `size` bytes of the file, piece by piece. @throws interrupted
template <typename Take>
void for_each_piece(std::uint64_t size, Take take) {
  for (std::uint64_t done = 0; done < size;) {
    const std::size_t length = std::min<std::uint64_t>(byte_pattern().size(), size - done);
    take(byte_pattern().first(length));
    done += length;
    throw_if_interrupted();
  }
}

/// Returns the byte in a way that the compiler cannot see through, so that it merges neither bytes nor calls.
[[nodiscard]] inline char opaque(unsigned char byte) {
  auto unknown = static_cast<char>(byte);
  asm volatile("" : "+r"(unknown));
  return unknown;
}

/// Calls `put` for each byte of a file of `size`. @throws interrupted
template <typename Put>
byte_count put_each(std::uint64_t size, Put put) {
  for_each_piece(size, [&](std::span<const unsigned char> piece) {
    for (const unsigned char byte : piece) put(opaque(byte));
  });
  return {.bytes = size};
}

/// Calls `get`, which returns one byte, until it returns a negative number. @throws interrupted
template <typename Get>
byte_count get_each(Get get) {
  constexpr std::uint64_t bytes_between_checks = 1 << 16;
  byte_count seen;
  for (;; throw_if_interrupted())
    for (std::uint64_t i = 0; i < bytes_between_checks; ++i) {
      const int byte = get();
      if (byte < 0) return seen;
      ++seen.bytes;
      seen.sum += static_cast<std::uint64_t>(byte);
    }
}

}  // namespace freshet::tool
