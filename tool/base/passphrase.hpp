// Passphrases that people enter.
#pragma once

#include <freshet/encryption.hpp>

namespace freshet::tool {

/// Asks for a passphrase on the terminal, which does not show it.
/// @param twice  whether it has to be entered again, against mistakes
/// @throws std::runtime_error  if there is no terminal, or nothing is entered
[[nodiscard]] encryption_key ask_for_passphrase(bool twice);

}  // namespace freshet::tool
