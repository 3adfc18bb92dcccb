// Files of the C library, as the workload `bytes` and the baselines use them.
#pragma once

#include <cstdio>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "tool/workload/bytes.hpp"

namespace freshet::tool {

/// An open file; the destructor closes it. Its functions are defined in sources of their own, because some sources that
/// use it are compiled with an unlocked stdio and others are not.
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
  /// Says which buffer the C library uses for it, and whether it locks: "stdio with 4 KiB", "stdio with 64 KiB, without
  /// locks"; empty where the C library does not tell. Precondition: something was read or written.
  [[nodiscard]] std::string describe() const;
  /// @throws freshet::error  if something could not be read or written
  void close();

 private:
  std::filesystem::path path_;
  std::vector<char> buffer_;  // outlives the file that uses it
  std::FILE* file_;
};

/// How describe() describes a file with a buffer of `buffer` bytes.
[[nodiscard]] std::string describe_stdio(std::size_t buffer, bool locks);

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
