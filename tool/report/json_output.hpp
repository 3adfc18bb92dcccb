// Where `--json` goes.
#pragma once

#include <string>

#include <nlohmann/json_fwd.hpp>

namespace freshet::tool {

/// Whether people get words on standard output: not when `--json -` has it for itself.
[[nodiscard]] inline bool words_on_stdout(const std::string& json_name) { return json_name != "-"; }

/// Writes `made` to the file `name`, to standard output for "-", nowhere for "". @throws freshet::error
void write_json(const nlohmann::json& made, const std::string& name);

}  // namespace freshet::tool
