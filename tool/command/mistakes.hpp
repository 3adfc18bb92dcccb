// What is wrong with a command line, in a sentence. Only for those who use the parser itself.
#pragma once

#include <string>
#include <string_view>

namespace CLI {  // NOLINT(readability-identifier-naming): the library's name
class App;
class ParseError;
}  // namespace CLI

namespace freshet::tool {

/// The first word, if it is meant as a command and there is none of that name; empty otherwise.
[[nodiscard]] std::string_view unknown_command(const CLI::App& app, int count, const char* const* words);

/// The command that the words call; null if they call none.
[[nodiscard]] const CLI::App* called_command(const CLI::App& program);

/// That there is no such command, and which one may have been meant.
[[nodiscard]] std::string describe_unknown_command(const CLI::App& program, std::string_view word);

/// What is wrong with a command line that the parser ended with this exception.
[[nodiscard]] std::string describe_mistake(const CLI::App& program, const CLI::ParseError& ending);

/// Writes the mistake, made in this command (null: in none), and how to get help, to standard error.
void print_mistake(const CLI::App& program, const CLI::App* command, std::string_view mistake);

}  // namespace freshet::tool
