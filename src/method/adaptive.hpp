// A method that changes between the page cache and direct I/O while the file is written.
#pragma once

#include <atomic>

namespace freshet::detail {

/// Where set, decides instead of the measured speeds whether an adaptive file changes its way after a block. For tests.
inline std::atomic<bool (*)() noexcept> force_changes{nullptr};

}  // namespace freshet::detail
