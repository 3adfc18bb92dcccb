// The seam on Linux: files without names.
#include <sys/mman.h>

#include "src/os/file.hpp"
#include "src/os/unix/system_call.hpp"

namespace freshet::detail::os {
namespace {

constexpr unsigned memory_no_exec = 0x08U;  // MFD_NOEXEC_SEAL, Linux 6.3, younger than the headers of Debian 12

}  // namespace

// Kernels that know the flag may be set up to warn of files without it, or to refuse them; older ones do not know it.
file file::in_memory(std::error_code& error) {
  file opened;
  for (const unsigned flags : {MFD_CLOEXEC | memory_no_exec, MFD_CLOEXEC + 0U}) {
    opened.descriptor_ = make_call({call::open, -1, 0, 0}, error,
                                   [&](std::size_t) { return ::memfd_create("freshet-temporary", flags); });
    if (error != std::errc::invalid_argument) break;
  }
  opened.owned_ = opened.is_open();
  return opened;
}

}  // namespace freshet::detail::os
