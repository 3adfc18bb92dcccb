// How this freshet was built.
#pragma once

#include <string_view>

namespace freshet::tool {

/// The compiler, the kind of build and the engines in it: "GNU 12.2.0, Release, uring, libaio".
[[nodiscard]] std::string_view build_description();

}  // namespace freshet::tool
