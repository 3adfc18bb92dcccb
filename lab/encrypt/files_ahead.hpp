// Small files, each read as a whole by io_uring, several ahead of the one that is in use.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string_view>
#include <vector>

#include "lab/encrypt/input_files.hpp"
#include "src/os/file.hpp"
#include "src/os/queue.hpp"

namespace freshet::tool {

inline constexpr std::uint64_t largest_small_file = std::uint64_t{256}
                                                    << 10;  ///< bytes; a larger file is read in blocks
inline constexpr unsigned files_in_flight = 16;             ///< for each thread

/// Reads the files that one thread processes.
class files_ahead {
 public:
  /// Returns the next file to read; null if there are no more. The file must outlive the files_ahead.
  using source = std::function<const input_file*()>;

  /// A file and its content.
  struct whole_file {
    const input_file* info = nullptr;  ///< null if there are no more files
    std::string_view text;
  };

  /// Reads files of `directory`, up to `depth` at a time. @throws freshet::error  if io_uring is not available
  files_ahead(std::filesystem::path directory, source next, unsigned depth);
  files_ahead(const files_ahead&) = delete;
  files_ahead& operator=(const files_ahead&) = delete;
  ~files_ahead();

  /// Waits for any file that has been read and returns it. The result is valid until the next call.
  /// @throws freshet::error  also if a file has changed since it was listed
  [[nodiscard]] whole_file next();

 private:
  struct slot {
    const input_file* info = nullptr;
    detail::os::file file;
    std::vector<std::byte> memory;
    std::size_t bytes_read = 0;
  };

  bool start(slot& target);
  void submit_read(slot& target);
  slot& wait();
  [[noreturn]] void fail(std::string_view operation, const slot& target, std::error_code why) const;

  std::filesystem::path directory_;
  source source_;
  std::vector<slot> slots_;
  std::vector<slot*> free_;  // those without a file
  slot* current_ = nullptr;
  unsigned in_flight_ = 0;
  detail::os::queue_lease queue_;  // destroyed first, because reads in flight use the memory above
};

}  // namespace freshet::tool
