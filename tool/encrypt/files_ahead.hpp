// Small files, read whole by io_uring: some are on their way while one is treated.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string_view>
#include <vector>

#include "src/os/file.hpp"
#include "src/os/queue.hpp"
#include "tool/encrypt/input_files.hpp"

namespace freshet::tool {

inline constexpr std::uint64_t largest_small_file = std::uint64_t{256} << 10;  ///< bytes of one to be read as a whole
inline constexpr unsigned files_on_their_way = 16;                             ///< to one thread

/// Used by one thread.
class files_ahead {
 public:
  /// Gives the next file to be read, null when there are no more. What it points to outlives the files_ahead.
  using source = std::function<const input_file*()>;

  /// A file, all of it in memory.
  struct whole_file {
    const input_file* found = nullptr;
    std::string_view text;
  };

  /// Reads files of `directory`, up to `depth` at a time. @throws freshet::error  where io_uring is not to be had
  files_ahead(std::filesystem::path directory, source next, unsigned depth);
  files_ahead(const files_ahead&) = delete;
  files_ahead& operator=(const files_ahead&) = delete;
  ~files_ahead();

  /// The next file that is there, in no order; valid until the next call. Without a file when all were given out.
  /// @throws freshet::error  also when a file is not as it was found
  [[nodiscard]] whole_file next();

 private:
  struct slot {
    const input_file* found = nullptr;
    detail::os::file file;
    std::vector<std::byte> memory;
    std::size_t got = 0;
  };

  bool start(slot& here);
  void read_on(slot& here);
  slot& wait();
  [[noreturn]] void fail(std::string_view operation, const slot& here, std::error_code why) const;

  std::filesystem::path directory_;
  source source_;
  std::vector<slot> slots_;
  std::vector<slot*> free_;  // those that wait for a file
  slot* given_out_ = nullptr;
  unsigned in_flight_ = 0;
  detail::os::queue_lease queue_;  // goes first: what is in flight uses the memory above
};

}  // namespace freshet::tool
