// Windows runs the handlers of its few signals on threads of their own: there is nothing to block.
#pragma once

namespace freshet::detail::os {

struct no_signals {};

inline no_signals block_signals() noexcept { return {}; }
inline void restore_signals(no_signals /*before*/) noexcept {}

}  // namespace freshet::detail::os
