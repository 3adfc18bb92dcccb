#include "tool/measure/environment.hpp"

namespace freshet::tool {

std::string_view build_description() { return FRESHET_BUILD; }

}  // namespace freshet::tool
