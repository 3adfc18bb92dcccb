#include <fmt/format.h>

#include <cerrno>
#include <system_error>
#include <utility>

#include <freshet/error.hpp>

#include "tool/base/text.hpp"
#include "tool/workload/stdio_file.hpp"

namespace freshet::tool {

stdio_file::~stdio_file() {
  if (file_ != nullptr) std::fclose(file_);
}

void stdio_file::fail(std::string_view operation) const {
  throw error{{errno, std::system_category()}, operation, path_};
}

void stdio_file::close() {
  const bool failed = std::ferror(file_) != 0;
  if (std::fclose(std::exchange(file_, nullptr)) != 0) fail("close");
  if (failed) throw error{std::make_error_code(std::errc::io_error), "use", path_};
}

std::string describe_stdio(std::size_t buffer, bool locks) {
  return fmt::format("stdio with {}{}", format_size(buffer), locks ? "" : ", without locks");
}

}  // namespace freshet::tool
