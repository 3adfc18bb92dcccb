// The command line that this process was started with.
#pragma once

#include <string>

namespace freshet::tool {

/// What main() is given; `words` ends with a null pointer.
struct command_words {
  int count = 0;
  char** words = nullptr;
};

/// The words as UTF-8, whatever the system passes to main(). To be called first there: it also has a console take what
/// the program prints as UTF-8, and the sequences for colours.
[[nodiscard]] command_words start_with(command_words given);

/// What start_with() returned last.
[[nodiscard]] command_words given_words() noexcept;

/// The command line as the user may type it again, with "freshet" for the program; empty if the system does not
/// provide it.
[[nodiscard]] std::string read_command_line();

}  // namespace freshet::tool
