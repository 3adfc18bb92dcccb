// Whether this process may write files.
#pragma once

#include <filesystem>
#include <system_error>

namespace freshet::tool {

/// Why the file `path` cannot be written, or a new one of that name made in its directory; no error: it can.
[[nodiscard]] std::error_code why_not_writable(const std::filesystem::path& path);

}  // namespace freshet::tool
