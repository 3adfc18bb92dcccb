// Scripts with which shells complete a command line: its commands, options, words of arguments, and files.
#pragma once

#include <string>
#include <string_view>

#include "tool/usage/description.hpp"

namespace freshet::tool {

/// For /usr/share/bash-completion/completions, or to be sourced.
[[nodiscard]] std::string write_bash_completion(const program_description& program);
/// For a directory of $fpath.
[[nodiscard]] std::string write_zsh_completion(const program_description& program);
/// For /usr/share/fish/vendor_completions.d.
[[nodiscard]] std::string write_fish_completion(const program_description& program);

/// What a shell's script says so that an argument is completed; {} stands for the words that it may be.
struct completion_forms {
  std::string_view files;
  std::string_view directories;
  std::string_view words;
  std::string_view list;  ///< words between commas
  std::string_view nothing;
};

/// @param argument  "SIZE", "FILE": the argument's name
[[nodiscard]] std::string complete(const option_description& option, const std::string& argument,
                                   const completion_forms& forms);
/// The names of an option's arguments: "KIND FILE" are two.
[[nodiscard]] std::vector<std::string> arguments_of(const option_description& option);

}  // namespace freshet::tool
