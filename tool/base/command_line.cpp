#include "tool/base/command_line.hpp"

#include <fstream>

#include "tool/base/text.hpp"

namespace freshet::tool {

namespace {

command_words words_of_main;

}  // namespace

command_words start_with(command_words given) { return words_of_main = given; }

command_words given_words() noexcept { return words_of_main; }

std::string read_command_line() {
  std::ifstream in{"/proc/self/cmdline", std::ios::binary};
  std::string line = "freshet";
  std::string word;
  if (!std::getline(in, word, '\0')) return {};
  while (std::getline(in, word, '\0')) line += " " + quote_for_shell(word);
  return line;
}

}  // namespace freshet::tool
