// How files will be used, told by POSIX.1-2008.
#include <fcntl.h>

#include "src/os/unix/system.hpp"
#include "src/os/unix/system_call.hpp"

namespace freshet::detail::os {
namespace {

int advice_number(advice kind) noexcept {
  switch (kind) {
    case advice::sequential:
      return POSIX_FADV_SEQUENTIAL;
    case advice::random:
      return POSIX_FADV_RANDOM;
    case advice::will_need:
      return POSIX_FADV_WILLNEED;
    case advice::dont_need:
      return POSIX_FADV_DONTNEED;
    case advice::no_reuse:
      return POSIX_FADV_NOREUSE;
  }
  return POSIX_FADV_NORMAL;
}

}  // namespace

int give_advice(int descriptor, advice kind, std::uint64_t offset, std::uint64_t length) noexcept {
  return set_errno(
      ::posix_fadvise(descriptor, static_cast<off_t>(offset), static_cast<off_t>(length), advice_number(kind)));
}

}  // namespace freshet::detail::os
