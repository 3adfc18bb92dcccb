// The option by which users ask for exports.
#pragma once

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "tool/store/record.hpp"

namespace CLI {  // NOLINT(readability-identifier-naming): the library's name
class App;
class Option;
}  // namespace CLI

namespace freshet::tool {

/// Kinds, each with the file it goes to.
using wanted_exports = std::vector<std::pair<std::string, std::string>>;

/// Adds --export KIND FILE, which refuses kinds that there are not.
CLI::Option* add_export_option(CLI::App& command, wanted_exports& wanted);

/// Whether people get words on standard output: not when an export has it for itself.
[[nodiscard]] bool words_on_stdout(const wanted_exports& wanted);

/// Writes them all. @throws freshet::error
void write_exports(const wanted_exports& wanted, const run& about, std::span<const record> made);

}  // namespace freshet::tool
