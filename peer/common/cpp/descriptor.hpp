// A file descriptor, opened as the options say.
#pragma once

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

#include "peer.hpp"

namespace peer {

class descriptor {
 public:
  explicit descriptor(const job& job)
      : file_{job.file},
        is_direct_{job.no_cache},
        is_to_be_cut_{job.overwrite},
        number_{::open(job.file.c_str(),
                       O_WRONLY | O_CLOEXEC | (job.overwrite ? 0 : O_CREAT | O_TRUNC) |
                           (job.write_through ? O_DSYNC : 0) | (job.no_cache ? O_DIRECT : 0),
                       0666)} {
    if (number_ == -1) fail("open", file_);
    // This function and posix_fallocate() return their error instead of setting errno.
    if (job.sequential && (errno = ::posix_fadvise(number_, 0, 0, POSIX_FADV_SEQUENTIAL)) != 0)
      fail("give advice about", file_);
  }
  descriptor(descriptor&& other) noexcept
      : file_{std::move(other.file_)},
        is_direct_{other.is_direct_},
        is_to_be_cut_{other.is_to_be_cut_},
        number_{std::exchange(other.number_, -1)} {}
  descriptor& operator=(descriptor&&) = delete;
  ~descriptor() {
    if (number_ != -1) ::close(number_);
  }

  [[nodiscard]] int number() const { return number_; }

  // Reserves space.
  void reserve(std::uint64_t bytes) {
    if (bytes == 0) return;
    if ((errno = ::posix_fallocate(number_, 0, static_cast<off_t>(bytes))) != 0) fail("set space aside for", file_);
    is_to_be_cut_ = true;
  }

  // Writes all bytes, in as many calls as needed.
  void write(const char* from, std::size_t length) {
    while (length > 0) {
      const auto written = ::write(number_, from, length);
      if (written < 0 && errno == EINTR) continue;
      if (written < 0) fail("write", file_);
      from += written;
      length -= static_cast<std::size_t>(written);
    }
  }

  // Writes the file's last bytes; O_DIRECT takes only multiples of the alignment.
  void write_last(const char* from, std::size_t length) {
    const std::size_t whole = is_direct_ ? length - length % alignment : 0;
    write(from, whole);
    if (is_direct_) {
      const int flags = ::fcntl(number_, F_GETFL);
      if (flags == -1) fail("look at", file_);
      if ((flags & O_DIRECT) != 0) report_method("direct");
      if (::fcntl(number_, F_SETFL, flags & ~O_DIRECT) == -1) fail("end direct writing of", file_);
    }
    write(from + whole, length - whole);
  }

  // Truncates the file to `length` if it may be longer, and closes it.
  void close(std::uint64_t length) {
    if (is_to_be_cut_ && ::ftruncate(number_, static_cast<off_t>(length)) != 0) fail("cut", file_);
    if (::close(std::exchange(number_, -1)) != 0) fail("close", file_);
  }

 private:
  std::string file_;
  bool is_direct_;
  bool is_to_be_cut_;
  int number_;
};

}  // namespace peer
