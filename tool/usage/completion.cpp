#include "tool/usage/completion.hpp"

#include <fmt/format.h>

#include <iterator>
#include <sstream>

#include "tool/base/text.hpp"

namespace freshet::tool {

std::string complete(const option_description& option, const std::string& argument, const completion_forms& forms) {
  if (argument == "FILE" || argument == "IN" || argument == "OUT") return std::string{forms.files};
  if (argument == "DIR" || argument == "DIRECTORY") return std::string{forms.directories};
  if (option.words.empty()) return std::string{forms.nothing};
  return replaced(std::string{option.is_list ? forms.list : forms.words}, "{}",
                  fmt::format("{}", fmt::join(option.words, " ")));
}

std::vector<std::string> arguments_of(const option_description& option) {
  std::istringstream names{option.argument};
  return {std::istream_iterator<std::string>{names}, {}};
}

}  // namespace freshet::tool
