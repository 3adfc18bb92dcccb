// Values of which a user names one, or several between commas.
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <ranges>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tool/base/enum_names.hpp"

namespace freshet::tool {

/// The words between commas. @throws std::invalid_argument  where one is empty
[[nodiscard]] std::vector<std::string> parse_words(std::string_view text);

/// Each of the words between commas, read by `parse`. @throws std::invalid_argument  as `parse` does
template <auto parse>
[[nodiscard]] auto parse_list(std::string_view text) {
  std::vector<decltype(parse(text))> values;
  for (const std::string& word : parse_words(text)) values.push_back(parse(word));
  return values;
}

/// Which of `names` the text is; underscores may be typed as dashes. @throws std::invalid_argument  naming all: it is
/// not `noun`
[[nodiscard]] std::size_t find_name(std::string_view text, std::span<const std::string> names, std::string_view noun);

template <typename Value>
struct choices {
  std::string noun;  ///< "a state of memory": the help calls an argument by the last word, MEMORY
  std::vector<Value> values;
  std::vector<std::string> names;  ///< of the values

  /// @throws std::invalid_argument  unless `text` is a name
  [[nodiscard]] Value parse(std::string_view text) const { return values[find_name(text, names, noun)]; }

  /// Each of the words between commas. @throws std::invalid_argument
  [[nodiscard]] std::vector<Value> parse_list(std::string_view text) const {
    std::vector<Value> chosen;
    for (const std::string& word : parse_words(text)) chosen.push_back(parse(word));
    return chosen;
  }

  /// The name; empty for a value that the user cannot choose.
  [[nodiscard]] std::string name_of(const Value& value) const {
    const auto at = std::ranges::find(values, value);
    return at == values.end() ? "" : names[static_cast<std::size_t>(at - values.begin())];
  }
};

/// The choices among `values`. Enumerations have a to_string(), others need `name`, which returns the name of each.
template <typename Values, typename Name>
[[nodiscard]] auto make_choices(std::string noun, const Values& values, const Name& name) {
  choices<std::ranges::range_value_t<Values>> result{std::move(noun), {values.begin(), values.end()}, {}};
  for (const auto& each : values) result.names.emplace_back(std::invoke(name, each));
  return result;
}
template <typename Values>
[[nodiscard]] auto make_choices(std::string noun, const Values& values) {
  return make_choices(std::move(noun), values, [](auto value) { return to_string(value); });
}
/// The choices among all values of an enumeration.
template <named_enum Enumeration>
[[nodiscard]] choices<Enumeration> make_choices(std::string noun) {
  return make_choices(std::move(noun), enum_values<Enumeration>);
}

}  // namespace freshet::tool
