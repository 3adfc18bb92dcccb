// Where nothing passes by the page cache.
#include "src/os/file.hpp"

#include "src/os/absent/refuse.hpp"

namespace freshet::detail::os {

void file::set_direct(bool on, std::error_code& error) noexcept {
  error.clear();
  if (on) error = refuse({call::set_direct, descriptor_, 0, 0});
}

std::optional<direct_limits> file::direct_alignment() const noexcept {
  intercepted_call asked{call::status, descriptor_, 0, 0};
  if (ask_interceptor(asked)) return std::nullopt;
  return direct_limits{};
}

}  // namespace freshet::detail::os
