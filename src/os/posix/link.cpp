// A second name for a file, where only another name leads to it.
#include <fcntl.h>
#include <unistd.h>

#include <string>

#include "src/os/directory.hpp"
#include "src/os/unix/system_call.hpp"

namespace freshet::detail::os {

void directory::link(const file& target, const std::string& present, const std::string& name,
                     std::error_code& error) const noexcept {
  if (present.empty()) {
    error = std::make_error_code(std::errc::operation_not_supported);
    return;
  }
  make_call({call::link, target.descriptor(), 0, 0}, error,
            [&](std::size_t) { return ::linkat(descriptor_, present.c_str(), descriptor_, name.c_str(), 0); });
}

void directory::rename_to_free(const std::string& /*from*/, const std::string& /*to*/,
                               std::error_code& error) const noexcept {
  error = std::make_error_code(std::errc::operation_not_supported);
}

void directory::require_linkable(const file& /*unnamed*/, std::error_code& error) const noexcept {
  error = std::make_error_code(std::errc::operation_not_supported);
}

}  // namespace freshet::detail::os
