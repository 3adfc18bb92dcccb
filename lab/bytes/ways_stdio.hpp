// The ways of stdio to write and read one byte per call.
#pragma once

#include <cstdio>
#include <string_view>

#include "lab/bytes/ways.hpp"
#include "tool/workload/stdio_file.hpp"

namespace freshet::tool {

/// Closes the file after the work. `buffer`: bytes that it was to use; 0: the C library's choice. `locks`: whether it
/// was to lock. @throws freshet::error
[[nodiscard]] byte_work end_stdio(stdio_file& file, byte_count done, std::size_t buffer, bool locks = true);

/// Writes `size` bytes with put(byte, stream), which returns whether it succeeded.
/// @throws freshet::error; interrupted
template <typename Put>
byte_count write_stdio(stdio_file& file, std::uint64_t size, Put put) {
  return put_each(size, [&](char byte) {
    if (!put(byte, file.get())) file.fail("write");
  });
}

/// Reads all bytes with get(stream), which returns a byte or a negative number. @throws freshet::error; interrupted
template <typename Get>
byte_count read_stdio(stdio_file& file, Get get) {
  return get_each([&] { return get(file.get()); });
}

/// One byte by fwrite() and fread().
inline constexpr auto put_by_fwrite = [](char byte, std::FILE* file) { return std::fwrite(&byte, 1, 1, file) == 1; };
inline constexpr auto get_by_fread = [](std::FILE* file) {
  unsigned char byte = 0;
  return std::fread(&byte, 1, 1, file) == 1 ? int{byte} : EOF;
};

/// With stdio_tune().
byte_work write_with_tuned_stdio(const byte_job& job);
byte_work read_with_tuned_stdio(const byte_job& job);
/// 64 KiB per call.
byte_work write_stdio_blocks(const byte_job& job);
byte_work read_stdio_blocks(const byte_job& job);

/// The way that writes each byte with `put`, a lambda without captures.
template <typename Put>
byte_way stdio_writing(std::string_view name, Put /*put*/) {
  return {name, direction::write, buffer_choice::any, [](const byte_job& job) {
            stdio_file file{job.path, job.buffer, "wb"};
            return end_stdio(file, write_stdio(file, job.size, Put{}), job.buffer);
          }};
}

/// The way that reads each byte with `get`, a lambda without captures.
template <typename Get>
byte_way stdio_reading(std::string_view name, Get /*get*/) {
  return {name, direction::read, buffer_choice::any, [](const byte_job& job) {
            stdio_file file{job.path, job.buffer, "rb"};
            return end_stdio(file, read_stdio(file, Get{}), job.buffer);
          }};
}

}  // namespace freshet::tool
