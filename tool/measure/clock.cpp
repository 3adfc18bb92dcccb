#include "clock.hpp"

#include <fmt/chrono.h>

namespace freshet::tool {

std::string utc_now() { return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::chrono::system_clock::now())); }

}  // namespace freshet::tool
