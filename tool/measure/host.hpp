// The machine that this process runs on, which may be one of several in a run.
#pragma once

#include <string>

namespace freshet::tool {

/// The machine's network name; empty if the system does not say.
[[nodiscard]] std::string host_name();

/// The number of processors that this process may use; at least 1.
[[nodiscard]] unsigned processor_count() noexcept;

}  // namespace freshet::tool
