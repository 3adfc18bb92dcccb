// Scripts with which shells complete a command line: its commands, options, words of arguments, and files.
#pragma once

#include <string>

#include "tool/usage/description.hpp"

namespace freshet::tool {

/// For /usr/share/bash-completion/completions, or to be sourced.
[[nodiscard]] std::string write_bash_completion(const program_description& program);
/// For a directory of $fpath.
[[nodiscard]] std::string write_zsh_completion(const program_description& program);
/// For /usr/share/fish/vendor_completions.d.
[[nodiscard]] std::string write_fish_completion(const program_description& program);

/// What can be offered for an argument.
enum class offer { nothing, files, directories, words };

/// @param argument  "SIZE", "FILE": the argument's name
[[nodiscard]] offer offer_for(const option_description& option, const std::string& argument);
/// The names of an option's arguments: "KIND FILE" are two.
[[nodiscard]] std::vector<std::string> arguments_of(const option_description& option);

}  // namespace freshet::tool
