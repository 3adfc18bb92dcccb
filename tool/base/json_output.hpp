// Output of `--json` and similar options.
#pragma once

#include <string>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

namespace freshet::tool {

/// Whether text for people goes to standard output: it does not if `--json -` uses it.
[[nodiscard]] inline bool words_on_stdout(const std::string& json_name) { return json_name != "-"; }

/// Checks that the file `name` can be written, before anything is measured that would otherwise be lost. Neither
/// changes nor creates it; accepts "-" and "". @throws freshet::error if it cannot be written
void require_writable(const std::string& name);

/// Writes `text` to the file `name`, to standard output for "-", nowhere for "". @throws freshet::error
void write_text(std::string_view text, const std::string& name);

/// Writes `value` to the file `name`, to standard output for "-", nowhere for "". @throws freshet::error
void write_json(const nlohmann::json& value, const std::string& name);

}  // namespace freshet::tool
