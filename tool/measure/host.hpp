// The machine that this process runs on, among others of one run.
#pragma once

#include <string>

namespace freshet::tool {

/// Its name in the network; empty where the system does not say.
[[nodiscard]] std::string host_name();

/// Processors that this process may use; at least 1.
[[nodiscard]] unsigned processor_count() noexcept;

}  // namespace freshet::tool
