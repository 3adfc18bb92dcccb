#include "tool/measure/build_description.hpp"

namespace freshet::tool {

std::string_view build_description() { return FRESHET_BUILD; }

}  // namespace freshet::tool
