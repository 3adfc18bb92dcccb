// Whether two descriptors are of one file.
#pragma once

#include <freshet/detail/export.hpp>

namespace freshet::detail {

/// Whether both are open descriptors of the same regular file, under whatever names.
[[nodiscard]] FRESHET_API bool is_same_file(int one, int other) noexcept;

}  // namespace freshet::detail
