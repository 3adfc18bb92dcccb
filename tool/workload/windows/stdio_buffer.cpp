// How a file of stdio is opened. The C library tells nothing of its buffer.
#include <cerrno>
#include <string>
#include <utility>

#include "tool/workload/stdio_file.hpp"

namespace freshet::tool {

stdio_file::stdio_file(std::filesystem::path path, std::size_t buffer, const char* mode)
    : path_{std::move(path)},
      buffer_(buffer),
      file_{::_wfopen(path_.c_str(), std::wstring(mode, mode + std::string_view{mode}.size()).c_str())} {
  if (file_ == nullptr) fail("open");
  if (!buffer_.empty() && std::setvbuf(file_, buffer_.data(), _IOFBF, buffer_.size()) != 0) fail("set the buffer of");
}

std::string stdio_file::describe() const { return {}; }

std::size_t stdio_file::buffer_size() const { return 0; }

}  // namespace freshet::tool
