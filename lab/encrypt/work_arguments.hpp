// Options of the commands that process files line by line, and how their arguments are read.
#pragma once

#include <string_view>

#include "lab/encrypt/encryption.hpp"
#include "tool/command/options.hpp"

namespace freshet::tool {

/// All strategies; an empty one for "auto".
[[nodiscard]] choices<wanted_strategy> strategies();
/// xor, aes.
[[nodiscard]] choices<cipher_kind> ciphers();
/// A number of threads, 1 to most_threads. @throws std::invalid_argument
[[nodiscard]] unsigned parse_threads(std::string_view text);
/// A number of passes, 0 to 1,000,000,000. @throws std::invalid_argument
[[nodiscard]] unsigned parse_work(std::string_view text);

/// --streams, that some strategies use: std or freshet.
void add_streams_option(command_parser& command, stream_kind& streams);

}  // namespace freshet::tool
