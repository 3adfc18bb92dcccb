// How a file of stdio is opened, and what glibc tells of its buffer.
#include <stdio_ext.h>

#include <utility>

#include "tool/workload/stdio_file.hpp"

namespace freshet::tool {

stdio_file::stdio_file(std::filesystem::path path, std::size_t buffer, const char* mode)
    : path_{std::move(path)}, buffer_(buffer), file_{std::fopen(path_.c_str(), mode)} {
  if (file_ == nullptr) fail("open");
  if (!buffer_.empty() && std::setvbuf(file_, buffer_.data(), _IOFBF, buffer_.size()) != 0) fail("set the buffer of");
}

std::string stdio_file::describe() const {
  return describe_stdio(buffer_size(), __fsetlocking(file_, FSETLOCKING_QUERY) != FSETLOCKING_BYCALLER);
}

std::size_t stdio_file::buffer_size() const { return __fbufsize(file_); }

}  // namespace freshet::tool
