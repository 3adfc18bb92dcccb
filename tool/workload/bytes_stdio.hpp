// An open file of the C library's, as several ways of the workload `bytes` have it.
#pragma once

#include <cstdio>
#include <string_view>
#include <vector>

#include "tool/workload/bytes.hpp"

namespace freshet::tool {

/// Closes the file in the end. Its functions stand in one place, since some files that use it are compiled with an
/// unlocked stdio, others not.
class stdio_file {
 public:
  /// Opens the job's file, and gives it a buffer of the size asked for. @throws freshet::error
  stdio_file(const byte_job& job, const char* mode);
  stdio_file(const stdio_file&) = delete;
  stdio_file& operator=(const stdio_file&) = delete;
  ~stdio_file();

  [[nodiscard]] std::FILE* get() const noexcept { return file_; }
  /// @throws freshet::error  as `errno` says
  [[noreturn]] void fail(std::string_view operation) const;
  /// @throws freshet::error  when something could not be read or written
  void close();

 private:
  std::filesystem::path path_;
  std::vector<char> buffer_;  // outlives the file that uses it
  std::FILE* file_;
};

/// `put(byte, stream)` says whether it worked.
template <typename Put>
byte_count write_stdio(stdio_file& file, std::uint64_t size, Put put) {
  const byte_count done = put_each(size, [&](char byte) {
    if (!put(byte, file.get())) file.fail("write");
  });
  file.close();
  return done;
}

template <typename Put>
byte_count write_stdio(const byte_job& job, Put put) {
  stdio_file file{job, "wb"};
  return write_stdio(file, job.size, put);
}

/// `get(stream)` returns the next byte, or a negative number.
template <typename Get>
byte_count read_stdio(stdio_file& file, Get get) {
  const byte_count done = get_each([&] { return get(file.get()); });
  file.close();
  return done;
}

template <typename Get>
byte_count read_stdio(const byte_job& job, Get get) {
  stdio_file file{job, "rb"};
  return read_stdio(file, get);
}

}  // namespace freshet::tool
