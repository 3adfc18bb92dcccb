// Whether two descriptors are of one file.
#pragma once

#include <freshet/detail/export.hpp>
#include <freshet/detail/native_handle.hpp>

namespace freshet::detail {

/// Whether both are open descriptors of the same regular file, under whatever names.
[[nodiscard]] FRESHET_API bool is_same_file(native_handle_type one, native_handle_type other) noexcept;

}  // namespace freshet::detail
