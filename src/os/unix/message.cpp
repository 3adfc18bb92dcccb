#include "src/os/message.hpp"

namespace freshet::detail::os {

std::string message_of(std::error_code code) { return code.message(); }

}  // namespace freshet::detail::os
