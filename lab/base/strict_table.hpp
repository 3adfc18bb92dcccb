// Reads TOML files that must be exactly as documented: unknown and missing keys and values of another type are
// mistakes.
#pragma once

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include <freshet/error.hpp>

#include "src/profile/toml_text.hpp"
#include "tool/base/enum_names.hpp"
#include "tool/base/text.hpp"

namespace freshet::tool {

/// What is wrong with a file, and in which of its lines (from 1).
struct toml_fault {
  std::size_t line = 0;
  std::string message;
};

/// @throws toml_fault  always
[[noreturn]] inline void reject(const toml::node& node, std::string message) {
  throw toml_fault{node.source().begin.line, std::move(message)};
}

/// A table that knows which of its keys were read, and rejects the others. All functions throw toml_fault.
class strict_table {
 public:
  explicit strict_table(const toml::table& of) : of_{of} {}

  /// Empty if the key is missing.
  std::string optional_text(std::string_view key) {
    const toml::node* value = take(key);
    return value == nullptr ? std::string{} : as_text(key, *value);
  }
  std::string text(std::string_view key) {
    std::string text = as_text(key, need(key));
    if (text.empty()) reject(*of_.get(key), fmt::format("'{}' is empty", key));
    return text;
  }
  std::vector<std::string> texts(std::string_view key) {
    const toml::array* list = need(key).as_array();
    if (list == nullptr) reject(*of_.get(key), fmt::format("'{}' must be a list of texts", key));
    std::vector<std::string> texts;
    for (const toml::node& each : *list) texts.push_back(as_text(key, each));
    return texts;
  }
  /// Like texts(), but each must be one of `known`.
  template <std::size_t Count>
  std::set<std::string> texts_among(std::string_view key, const std::array<std::string_view, Count>& known) {
    std::set<std::string> chosen;
    for (std::string& each : texts(key)) {
      if (std::ranges::find(known, each) == known.end())
        reject(*of_.get(key), fmt::format("'{}' cannot have \"{}\", only {}", key, each, fmt::join(known, ", ")));
      chosen.insert(std::move(each));
    }
    return chosen;
  }
  /// The index of the text in `known`.
  template <std::size_t Count>
  std::size_t one_of(std::string_view key, const std::array<std::string_view, Count>& known) {
    const auto at = std::ranges::find(known, text(key));
    if (at == known.end()) reject(*of_.get(key), fmt::format("'{}' must be one of {}", key, fmt::join(known, ", ")));
    return static_cast<std::size_t>(at - known.begin());
  }
  /// The value of that name.
  template <named_enum Enumeration>
  Enumeration value_of(std::string_view key) {
    return static_cast<Enumeration>(one_of(key, enum_names<Enumeration>));
  }
  /// 0 if the key is missing.
  std::uint64_t optional_number(std::string_view key) {
    const toml::node* value = take(key);
    if (value == nullptr) return 0;
    const auto number = value->value_exact<std::int64_t>();
    if (!number || *number < 0) reject(*value, fmt::format("'{}' must be a whole number from 0", key));
    return static_cast<std::uint64_t>(*number);
  }
  /// The tables [[key]].
  std::vector<strict_table> tables(std::string_view key) {
    std::vector<strict_table> children;
    const toml::node* value = take(key);
    if (value == nullptr) return children;
    const toml::array* list = value->as_array();
    if (list == nullptr || !list->is_homogeneous(toml::node_type::table))
      reject(*value, fmt::format("'{0}' must be tables, [[{0}]]", key));
    for (const toml::node& each : *list) children.emplace_back(*each.as_table());
    return children;
  }
  /// Null if the key is missing.
  const toml::node* optional_node(std::string_view key) { return take(key); }
  [[nodiscard]] bool has(std::string_view key) const { return of_.contains(key); }
  /// Precondition: has(key).
  [[nodiscard]] const toml::node& node(std::string_view key) const { return *of_.get(key); }
  /// The table itself.
  [[nodiscard]] const toml::node& node() const { return of_; }

  void reject_unknown_keys() const {
    for (const auto& [key, value] : of_)
      if (!taken_.contains(key.str())) reject(value, fmt::format("unknown key '{}'", key.str()));
  }

 private:
  const toml::node* take(std::string_view key) {
    taken_.emplace(key);
    return of_.get(key);
  }
  const toml::node& need(std::string_view key) {
    if (const toml::node* value = take(key)) return *value;
    reject(of_, fmt::format("'{}' is missing", key));
  }
  /// Texts are shown on terminals and become arguments of commands.
  static std::string as_text(std::string_view key, const toml::node& value) {
    const auto text = value.value_exact<std::string>();
    if (!text) reject(value, fmt::format("'{}' must be text", key));
    if (std::ranges::any_of(*text, is_control)) reject(value, fmt::format("'{}' has a control character", key));
    return *text;
  }

  const toml::table& of_;
  std::set<std::string, std::less<>> taken_;
};

/// Returns what `read` makes of the TOML `text` of the file `name`. @throws freshet::error  naming the file, the line
/// and what is wrong
template <typename Read>
auto read_strictly(std::string_view text, const std::filesystem::path& name, Read read) {
  const auto broken = [&](std::size_t line, std::string_view message) {
    const std::string shown = replace_controls(message);
    return error{std::make_error_code(std::errc::invalid_argument), "read", name, error::no_offset,
                 line == 0 ? shown : fmt::format("line {}: {}", line, shown)};
  };
  try {
    return read(detail::parse_toml(text));
  } catch (const toml::parse_error& failure) {
    throw broken(failure.source().begin.line, failure.description());
  } catch (const toml_fault& fault) {
    throw broken(fault.line, fault.message);
  }
}

}  // namespace freshet::tool
