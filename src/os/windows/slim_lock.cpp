#include "src/os/slim_lock.hpp"

#include "src/os/windows/native.hpp"

namespace freshet::detail::os {

void slim_lock::lock() noexcept { ::AcquireSRWLockExclusive(reinterpret_cast<PSRWLOCK>(&lock_)); }

void slim_lock::unlock() noexcept { ::ReleaseSRWLockExclusive(reinterpret_cast<PSRWLOCK>(&lock_)); }

static_assert(sizeof(SRWLOCK) == sizeof(void*));

}  // namespace freshet::detail::os
