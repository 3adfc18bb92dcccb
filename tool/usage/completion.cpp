#include "tool/usage/completion.hpp"

#include <algorithm>
#include <array>
#include <string_view>

namespace freshet::tool {

offer offer_for(const option_description& option, const std::string& argument) {
  constexpr std::array<std::string_view, 3> files{"FILE", "IN", "OUT"};
  if (std::ranges::find(files, argument) != files.end()) return offer::files;
  if (argument == "DIR" || argument == "DIRECTORY") return offer::directories;
  return option.words.empty() ? offer::nothing : offer::words;
}

std::vector<std::string> arguments_of(const option_description& option) {
  std::vector<std::string> names;
  std::string_view rest = option.argument;
  while (!rest.empty()) {
    const std::size_t space = rest.find(' ');
    names.emplace_back(rest.substr(0, space));
    rest.remove_prefix(space == std::string_view::npos ? rest.size() : space + 1);
  }
  return names;
}

}  // namespace freshet::tool
