#include "src/os/windows/static_mutex.hpp"

#include "src/os/windows/native.hpp"

namespace freshet::detail::os {

void static_mutex::lock() noexcept { ::AcquireSRWLockExclusive(reinterpret_cast<PSRWLOCK>(&lock_)); }

void static_mutex::unlock() noexcept { ::ReleaseSRWLockExclusive(reinterpret_cast<PSRWLOCK>(&lock_)); }

static_assert(sizeof(SRWLOCK) == sizeof(void*));

}  // namespace freshet::detail::os
