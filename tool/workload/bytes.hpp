// The workload `bytes`: a file written and read one byte per call, by each of the ways that programs have.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string_view>
#include <vector>

#include "tool/base/interrupt.hpp"

namespace freshet::tool {

enum class direction : std::uint8_t { write, read };

/// Which buffers a way can be told to use.
enum class buffer_choice : std::uint8_t {
  none,    ///< it chooses its own
  any,     ///< of any size
  blocks,  ///< the library's blocks: powers of two from 4 KiB to 64 MiB
};

/// One file for a way to write or read.
struct byte_job {
  std::filesystem::path path;
  std::uint64_t size = 0;  ///< bytes to be written; reading ends where the file does
  std::size_t buffer = 0;  ///< bytes; 0: the way's default
};

/// What went through a way. Nobody can know the sum who skipped a byte.
struct byte_count {
  std::uint64_t bytes = 0;
  std::uint64_t sum = 0;  ///< of the bytes read
  friend bool operator==(const byte_count&, const byte_count&) = default;
};

/// A way to write or read one byte per call: opens, goes through all bytes and closes. It throws freshet::error or
/// `interrupted`.
struct byte_way {
  std::string_view name;
  direction goes = direction::write;
  buffer_choice buffers = buffer_choice::any;
  byte_count (*run)(const byte_job& job) = nullptr;

  [[nodiscard]] bool takes_buffer(std::size_t bytes) const noexcept;
};

/// All ways, those that write first.
[[nodiscard]] const std::vector<byte_way>& byte_ways();

/// The parts of byte_ways(), each in a file of its own.
[[nodiscard]] std::vector<byte_way> stdio_ways();
[[nodiscard]] std::vector<byte_way> unlocked_header_ways();
[[nodiscard]] std::vector<byte_way> std_stream_ways();
[[nodiscard]] std::vector<byte_way> freshet_ways();

/// The file's content: a stretch of random bytes, which repeats.
[[nodiscard]] std::span<const unsigned char> byte_pattern();

/// How many bytes a file of `size` holds, and their sum.
[[nodiscard]] byte_count expected_bytes(std::uint64_t size);

/// MB/s of the loop that hands out the bytes, to nobody: what no way of writing can exceed.
[[nodiscard]] double byte_loop_rate();

/// Hands the `size` bytes of the file to `take` in pieces, which it goes through byte by byte. @throws interrupted
template <typename Take>
void for_each_piece(std::uint64_t size, Take take) {
  for (std::uint64_t done = 0; done < size;) {
    const std::size_t length = std::min<std::uint64_t>(byte_pattern().size(), size - done);
    take(byte_pattern().first(length));
    done += length;
    throw_if_interrupted();
  }
}

/// A byte that the compiler knows nothing about, so that it can merge neither bytes nor calls.
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

/// Calls `get` for a byte at a time, until it returns a negative number. @throws interrupted
template <typename Get>
byte_count get_each(Get get) {
  constexpr std::uint64_t bytes_between_looks = 1 << 16;
  byte_count seen;
  for (;; throw_if_interrupted())
    for (std::uint64_t i = 0; i < bytes_between_looks; ++i) {
      const int byte = get();
      if (byte < 0) return seen;
      ++seen.bytes;
      seen.sum += static_cast<std::uint64_t>(byte);
    }
}

}  // namespace freshet::tool
