// Where there are no files without names.
#include "src/os/file.hpp"

#include "src/os/absent/refuse.hpp"

namespace freshet::detail::os {

file file::in_memory(std::error_code& error) {
  error = refuse({call::open, no_native_handle, 0, 0});
  return {};
}

}  // namespace freshet::detail::os
