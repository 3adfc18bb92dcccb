// The seam on Linux: past the page cache.
#include <fcntl.h>

#include "src/os/file.hpp"
#include "src/os/linux/statx.hpp"
#include "src/os/unix/system_call.hpp"

namespace freshet::detail::os {

void file::set_direct(bool on, std::error_code& error) noexcept {
  error.clear();
  if (on == direct_) return;
  make_call({call::set_direct, descriptor_, 0, 0}, error, [&](std::size_t) {
    const int flags = status_flags(descriptor_);
    return flags < 0 ? flags : ::fcntl(descriptor_, F_SETFL, on ? flags | O_DIRECT : flags & ~O_DIRECT);
  });
  if (!error) direct_ = on;
}

std::optional<direct_limits> file::direct_alignment() const noexcept {
  if (ask_about(call::status, descriptor_)) return std::nullopt;
  const statx_answer answer = ask_statx(descriptor_, statx_direct_alignment);
  if ((answer.mask & statx_direct_alignment) == 0) return std::nullopt;
  return direct_limits{answer.direct_memory_alignment, answer.direct_offset_alignment};
}

}  // namespace freshet::detail::os
