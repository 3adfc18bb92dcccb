#include <freshet/version.hpp>

namespace freshet {

std::string_view version() noexcept { return FRESHET_VERSION; }

}  // namespace freshet
