// The option that asks for exports.
#pragma once

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "tool/command/options.hpp"
#include "tool/store/record.hpp"

namespace freshet::tool {

/// Kinds of exports, each with the file that it goes to.
using wanted_exports = text_pairs;

/// Adds --export KIND FILE, which refuses unknown kinds.
command_option add_export_option(command_parser& command, wanted_exports& wanted);

/// Whether text for people may go to standard output: not when an export goes there.
[[nodiscard]] bool words_on_stdout(const wanted_exports& wanted);

/// Writes them all. @throws freshet::error
void write_exports(const wanted_exports& wanted, const run& about, std::span<const record> records);

}  // namespace freshet::tool
