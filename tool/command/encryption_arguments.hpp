// Arguments of the subcommands that encrypt lines.
#pragma once

#include <string_view>

#include "tool/sweep/plan.hpp"

namespace freshet::tool {

/// A strategy's name, or "auto". @throws std::invalid_argument
[[nodiscard]] contender parse_contender(std::string_view text);
/// @throws std::invalid_argument  for all but xor, aes
[[nodiscard]] cipher_kind parse_cipher(std::string_view text);
[[nodiscard]] std::string_view to_string(stream_kind streams);
/// @throws std::invalid_argument  for all but std, freshet
[[nodiscard]] stream_kind parse_streams(std::string_view text);
/// 1 … most_threads. @throws std::invalid_argument
[[nodiscard]] unsigned parse_threads(std::string_view text);
/// 0 … 1,000,000,000 passes. @throws std::invalid_argument
[[nodiscard]] unsigned parse_work(std::string_view text);
/// One of sweep_corpora(), by its name. @throws std::invalid_argument
[[nodiscard]] corpus_shape parse_corpus(std::string_view text);

}  // namespace freshet::tool
