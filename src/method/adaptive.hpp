// The methods that change while a file is written or read.
#pragma once

#include <atomic>

namespace freshet::detail {

/// Where set, decides instead of the measured speeds whether an adaptive file changes its way after a block. For tests.
inline std::atomic<bool (*)() noexcept> force_changes{nullptr};

}  // namespace freshet::detail
