// What the command line takes, as data: the manual and the completion of shells are written from it.
#pragma once

#include <string>
#include <vector>

namespace freshet::tool {

/// An option, or an argument without an option's name.
struct option_description {
  std::vector<std::string> names = {};  ///< "-h", "--help"; none: an argument without an option's name
  std::string argument = {};            ///< "SIZE", "KIND FILE"; empty: it takes none
  std::string help;
  std::string group = {};  ///< the heading in the help; empty: the usual one
  std::vector<std::string> words =
      {};                ///< that the argument, or the first one, may be; none where they cannot be listed
  bool is_list = false;  ///< the argument may be several words between commas
  bool required = false;
  bool repeats = false;                    ///< takes several arguments, or may be given several times
  std::vector<std::string> needs = {};     ///< options without which it is refused
  std::vector<std::string> excludes = {};  ///< options with which it is refused
};

struct exit_meaning {
  std::string code;  ///< "0", "128+N"
  std::string meaning;
};

struct command_description {
  std::string name;
  std::string summary;
  std::string group = {};  ///< the heading in the program's help; empty: the usual one
  std::string notes = {};  ///< what the help has below the options: paragraphs, then examples
  std::vector<option_description> options = {};
  std::vector<exit_meaning> exits = {};
};

struct variable_description {
  std::string name;
  std::string meaning;
};

struct program_description {
  std::string name;
  std::string summary;
  std::string version;  ///< "freshet 0.1.0"
  std::string notes;
  std::vector<option_description> options = {};
  std::vector<exit_meaning> exits = {};
  std::vector<variable_description> variables = {};
  std::vector<command_description> commands = {};
};

}  // namespace freshet::tool
