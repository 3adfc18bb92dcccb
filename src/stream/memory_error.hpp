// The error that tells of a lack of memory. It is made before memory lacks.
#pragma once

#include <freshet/error.hpp>

namespace freshet::detail {

/// The same error each time; null if there was no memory even for it, before the first call that had some.
[[nodiscard]] const error* memory_error() noexcept;

}  // namespace freshet::detail
