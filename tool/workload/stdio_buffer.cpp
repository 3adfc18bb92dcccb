// How a file of stdio is opened, and what glibc tells of its buffer.
#include <stdio_ext.h>

#include <utility>

#include "tool/workload/bytes_stdio.hpp"

namespace freshet::tool {

stdio_file::stdio_file(std::filesystem::path path, std::size_t buffer, const char* mode)
    : path_{std::move(path)}, buffer_(buffer), file_{std::fopen(path_.c_str(), mode)} {
  if (file_ == nullptr) fail("open");
  if (!buffer_.empty() && std::setvbuf(file_, buffer_.data(), _IOFBF, buffer_.size()) != 0) fail("set the buffer of");
}

std::string stdio_file::describe() const {
  return describe_stdio(__fbufsize(file_), __fsetlocking(file_, FSETLOCKING_QUERY) != FSETLOCKING_BYCALLER);
}

byte_work end_stdio(stdio_file& file, byte_count done, std::size_t buffer, bool locks) {
  byte_work work{.done = done, .used = file.describe()};
  // A file of which nothing was written or read has no buffer yet.
  const std::size_t wanted = buffer == 0 || done.bytes == 0 ? __fbufsize(file.get()) : buffer;
  work.wanted = describe_stdio(wanted, locks);
  file.close();
  return work;
}

}  // namespace freshet::tool
