// Output of `--json` and similar options.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

namespace freshet::tool {

/// `value` as JSON text, on one line unless `indent` is at least 0. Bytes that are not UTF-8, which paths and mount
/// options may contain, are replaced.
[[nodiscard]] std::string to_text(const nlohmann::json& value, int indent = -1);

/// The text, or null if it is empty.
[[nodiscard]] nlohmann::json text_or_null(const std::string& text);

/// Returns an array of the values that `pointers` point to.
template <typename Value>
[[nodiscard]] nlohmann::json make_json_array(const std::vector<const Value*>& pointers) {
  nlohmann::json values = nlohmann::json::array();
  for (const Value* each : pointers) values.push_back(*each);
  return values;
}

/// Returns an array of what `make` makes of each item.
template <typename Items, typename Make>
[[nodiscard]] nlohmann::json make_json_array(const Items& items, Make make) {
  nlohmann::json values = nlohmann::json::array();
  for (const auto& each : items) values.push_back(std::invoke(make, each));
  return values;
}

/// Checks that the file `name` can be written, before anything is measured that would otherwise be lost. Neither
/// changes nor creates it; accepts "-" and "". @throws freshet::error if it cannot be written
void require_writable(const std::string& name);

/// Writes `text` to the file `name`, to standard output for "-", nowhere for "". @throws freshet::error
void write_text(std::string_view text, const std::string& name);

/// Writes `value` to the file `name`, to standard output for "-", nowhere for "". @throws freshet::error
void write_json(const nlohmann::json& value, const std::string& name);

}  // namespace freshet::tool
