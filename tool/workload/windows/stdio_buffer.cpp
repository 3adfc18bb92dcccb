// How a file of stdio is opened. The C library tells nothing of its buffer.
#include <cerrno>
#include <string>
#include <utility>

#include "tool/workload/bytes_stdio.hpp"

namespace freshet::tool {

stdio_file::stdio_file(std::filesystem::path path, std::size_t buffer, const char* mode)
    : path_{std::move(path)},
      buffer_(buffer),
      file_{::_wfopen(path_.c_str(), std::wstring(mode, mode + std::string_view{mode}.size()).c_str())} {
  if (file_ == nullptr) fail("open");
  if (!buffer_.empty() && std::setvbuf(file_, buffer_.data(), _IOFBF, buffer_.size()) != 0) fail("set the buffer of");
}

std::string stdio_file::describe() const { return {}; }

byte_work end_stdio(stdio_file& file, byte_count done, std::size_t /*buffer*/, bool /*locks*/) {
  file.close();
  return {.done = done};
}

}  // namespace freshet::tool
