// Where there are no files without names.
#include "src/os/file.hpp"

namespace freshet::detail::os {

file file::in_memory(std::error_code& error) {
  error = std::make_error_code(std::errc::operation_not_supported);
  return {};
}

}  // namespace freshet::detail::os
