// The older calls that the C library makes on this processor.
#pragma once

#include <sys/syscall.h>

#include <array>

#include "tests/refusals/older_call.hpp"

namespace freshet::test {

inline constexpr std::array older_calls{
    older_call{detail::os::call::rename, SYS_rename, "rename"},
    older_call{detail::os::call::remove, SYS_unlink, "unlink"},
    older_call{detail::os::call::status, SYS_access, "access"},
    older_call{{}, SYS_readlink, "readlink"},
    older_call{{}, SYS_mkdir, "mkdir"},
};

}  // namespace freshet::test
