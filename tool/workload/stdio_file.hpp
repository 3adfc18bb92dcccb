// Files of the C library, as baselines and the ways to write one byte per call use them.
#pragma once

#include <cstddef>
#include <cstdio>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

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
  /// Bytes of the buffer that the C library uses for it; 0 where the C library does not tell, and before something was
  /// read or written.
  [[nodiscard]] std::size_t buffer_size() const;
  /// @throws freshet::error  if something could not be read or written
  void close();

 private:
  std::filesystem::path path_;
  std::vector<char> buffer_;  // outlives the file that uses it
  std::FILE* file_;
};

/// How describe() describes a file with a buffer of `buffer` bytes.
[[nodiscard]] std::string describe_stdio(std::size_t buffer, bool locks);

}  // namespace freshet::tool
