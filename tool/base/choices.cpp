#include "tool/base/choices.hpp"

#include <fmt/format.h>

#include <stdexcept>

#include "tool/base/text.hpp"

namespace freshet::tool {
namespace {

bool is_name(std::string_view text, std::string_view name) {
  const auto with_underscore = [](char c) { return c == '-' ? '_' : c; };
  return std::ranges::equal(text, name, {}, with_underscore, with_underscore);
}

// "a, b or c". Precondition: `names` is not empty.
std::string join_alternatives(std::span<const std::string> names) {
  if (names.size() == 1) return names.front();
  return fmt::format("{} or {}", fmt::join(names.first(names.size() - 1), ", "), names.back());
}

}  // namespace

std::vector<std::string> parse_words(std::string_view text) {
  std::vector<std::string> words;
  if (text.empty()) throw std::invalid_argument{"it must not be empty"};
  while (true) {
    const std::size_t comma = text.find(',');
    words.emplace_back(text.substr(0, comma));
    if (words.back().empty()) throw std::invalid_argument{"there is nothing before or after a comma"};
    if (comma == std::string_view::npos) return words;
    text.remove_prefix(comma + 1);
  }
}

std::size_t find_name(std::string_view text, std::span<const std::string> names, std::string_view noun) {
  const auto at = std::ranges::find_if(names, [text](const std::string& name) { return is_name(text, name); });
  if (at == names.end()) reject(text, noun, "expected " + join_alternatives(names));
  return static_cast<std::size_t>(at - names.begin());
}

}  // namespace freshet::tool
