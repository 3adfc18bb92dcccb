// Files of the C library, as the workload `bytes` and the baselines use them.
#pragma once

#include <cstdio>
#include <filesystem>
#include <string_view>
#include <vector>

#include "tool/workload/bytes.hpp"

namespace freshet::tool {

/// An open file; the destructor closes it. Its functions are defined in one source, because some sources that use it
/// are compiled with an unlocked stdio and others are not.
class stdio_file {
 public:
  /// Opens `path` with fopen()'s `mode` and a buffer of `buffer` bytes; 0: the default. @throws freshet::error
  stdio_file(std::filesystem::path path, std::size_t buffer, const char* mode);
  stdio_file(const stdio_file&) = delete;
  stdio_file& operator=(const stdio_file&) = delete;
  ~stdio_file();

  [[nodiscard]] std::FILE* get() const noexcept { return file_; }
  /// @throws freshet::error  always, with the reason in `errno`
  [[noreturn]] void fail(std::string_view operation) const;
  /// @throws freshet::error  if something could not be read or written
  void close();

 private:
  std::filesystem::path path_;
  std::vector<char> buffer_;  // outlives the file that uses it
  std::FILE* file_;
};

/// Writes `size` bytes with put(byte, stream), which returns whether it succeeded, and closes the file.
/// @throws freshet::error; interrupted
template <typename Put>
byte_count write_stdio(stdio_file& file, std::uint64_t size, Put put) {
  const byte_count written = put_each(size, [&](char byte) {
    if (!put(byte, file.get())) file.fail("write");
  });
  file.close();
  return written;
}

/// Reads all bytes with get(stream), which returns a byte or a negative number, and closes the file.
/// @throws freshet::error; interrupted
template <typename Get>
byte_count read_stdio(stdio_file& file, Get get) {
  const byte_count read = get_each([&] { return get(file.get()); });
  file.close();
  return read;
}

/// The way that writes each byte with `put`, a lambda without captures.
template <typename Put>
byte_way stdio_writing(std::string_view name, Put /*put*/) {
  return {name, direction::write, buffer_choice::any, [](const byte_job& job) {
            stdio_file file{job.path, job.buffer, "wb"};
            return write_stdio(file, job.size, Put{});
          }};
}

/// The way that reads each byte with `get`, a lambda without captures.
template <typename Get>
byte_way stdio_reading(std::string_view name, Get /*get*/) {
  return {name, direction::read, buffer_choice::any, [](const byte_job& job) {
            stdio_file file{job.path, job.buffer, "rb"};
            return read_stdio(file, Get{});
          }};
}

}  // namespace freshet::tool
