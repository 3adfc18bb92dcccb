// Where `--json` and its like go.
#pragma once

#include <string>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

namespace freshet::tool {

/// Whether people get words on standard output: not when `--json -` has it for itself.
[[nodiscard]] inline bool words_on_stdout(const std::string& json_name) { return json_name != "-"; }

/// Refuses the file `name` where it could not be written: before anything is measured that would be lost. Leaves it as
/// it is, and makes none; passes "-" and "". @throws freshet::error
void require_writable(const std::string& name);

/// Writes `text` to the file `name`, to standard output for "-", nowhere for "". @throws freshet::error
void write_text(std::string_view text, const std::string& name);

/// Writes `made` to the file `name`, to standard output for "-", nowhere for "". @throws freshet::error
void write_json(const nlohmann::json& made, const std::string& name);

}  // namespace freshet::tool
