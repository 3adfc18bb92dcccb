// Arguments of the subcommands that encrypt lines.
#pragma once

#include <string_view>

#include "tool/sweep/plan.hpp"

namespace freshet::tool {

/// The strategy of that name; empty for "auto". @throws std::invalid_argument
[[nodiscard]] contender parse_strategy(std::string_view text);
/// @throws std::invalid_argument  unless `text` is xor or aes
[[nodiscard]] cipher_kind parse_cipher(std::string_view text);
[[nodiscard]] std::string_view to_string(stream_kind streams);
/// @throws std::invalid_argument  unless `text` is std or freshet
[[nodiscard]] stream_kind parse_streams(std::string_view text);
/// A number of threads, 1 to most_threads. @throws std::invalid_argument
[[nodiscard]] unsigned parse_threads(std::string_view text);
/// A number of passes, 0 to 1,000,000,000. @throws std::invalid_argument
[[nodiscard]] unsigned parse_work(std::string_view text);
/// The entry of sweep_corpora() of that name. @throws std::invalid_argument
[[nodiscard]] corpus_shape parse_corpus(std::string_view text);

}  // namespace freshet::tool
