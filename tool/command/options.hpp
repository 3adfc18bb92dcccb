// The command line: commands and their options. Only the implementation knows the parser (CLI11), whose header takes
// seconds to compile.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "tool/base/choices.hpp"
#include "tool/usage/description.hpp"

namespace CLI {  // NOLINT(readability-identifier-naming): the library's name
class App;
class Option;
}  // namespace CLI

namespace freshet::tool {

inline constexpr int wrong_usage = 2;  ///< exit code

/// A combination of arguments that makes no sense. What runs a command may throw it; the program then prints
/// "`option`: `reason`" and exits with wrong_usage.
class usage_error : public std::invalid_argument {
 public:
  usage_error(std::string option, const std::string& reason)
      : std::invalid_argument{reason}, option_{std::move(option)} {}
  [[nodiscard]] const std::string& option() const noexcept { return option_; }

 private:
  std::string option_;
};

struct command_notes;  // what CLI11 cannot hold

/// An option that was added to a command. Some functions return it, so that calls can follow one another.
class command_option {
 public:
  command_option(CLI::Option& parsed, command_notes& notes) : parsed_{&parsed}, notes_{&notes} {}

  void require();
  /// Lists the option under `heading` in the help.
  void group(const std::string& heading);
  /// Takes exactly `count` arguments.
  void expect(int count);
  /// Has completion offer these words for the argument, or the first one.
  command_option& offer(std::vector<std::string> words);
  /// Takes one argument each time it is given, so that the next word may be another's.
  command_option& take_one_at_a_time();
  /// Takes its argument only behind "=", and may stand without one, which it then gets as "true".
  command_option& allow_no_argument();
  /// Refuses both options in one call.
  command_option& exclude(const command_option& other);
  /// Refuses this option without the other one.
  void need(const command_option& other);

 private:
  CLI::Option* parsed_;
  command_notes* notes_;
};

using text_pairs = std::vector<std::pair<std::string, std::string>>;

/// One command, to which options are added. `names` is "--size", "--class,--durability", or "DIR" for an argument
/// without an option's name; behind a space it may say what the help calls the option's argument: "--size SIZE", or
/// "--block SIZE,..." for several between commas. Completion offers directories for DIR and files for FILE, IN and OUT.
/// The options' destinations must outlive the parsing. Where a destination has a value that can be shown, the help ends
/// with it in parentheses: it is the default.
class command_parser {
 public:
  command_parser(CLI::App& app, command_notes& notes) : app_{&app}, notes_{&notes} {}

  /// Says what an exit code means for this command; all commands have 0, 1, 2 and those of signals.
  void explain_exit(int code, const std::string& meaning);

  /// Adds --version, which prints `text`.
  void set_version(const std::string& text);

  command_option add_flag(const std::string& names, bool& into, const std::string& help);
  command_option add_flag(const std::string& names, std::function<void()> given, const std::string& help);

  /// A name, such as a file's. It must not be empty: within the program, empty means that none was given.
  command_option add(const std::string& names, std::string& into, const std::string& help);
  command_option add(const std::string& names, std::filesystem::path& into, const std::string& help);
  command_option add(const std::string& names, std::uint64_t& into, const std::string& help);
  /// A number from `least` to `most`.
  command_option add(const std::string& names, unsigned& into, unsigned least, unsigned most, const std::string& help);
  /// An option that takes several arguments, and may be repeated.
  template <typename Text>
  command_option add(const std::string& names, std::vector<Text>& into, const std::string& help) {
    const auto assign = [&into](const std::vector<std::string>& texts) { into.assign(texts.begin(), texts.end()); };
    return add_names(names, assign, help, std::is_same_v<Text, std::filesystem::path> ? "FILE" : "TEXT");
  }
  /// The same, but `parse` turns each argument into words. It throws std::invalid_argument for wrong usage.
  command_option add_list(const std::string& names, std::vector<std::string>& into,
                          std::vector<std::string> (*parse)(std::string_view), const std::string& help);
  /// An option with two arguments that may be repeated. `assign` throws std::invalid_argument for wrong usage, before
  /// it changes anything.
  command_option add_pairs(const std::string& names, const std::function<void(const text_pairs&)>& assign,
                           const std::string& help);

  /// An option whose text `assign` takes. It throws std::invalid_argument for wrong usage. The text of every option
  /// goes this way, or the same one for each argument of a list: the program prints one line that names the option and
  /// what is wrong, and exits with wrong_usage.
  command_option add_parsed(const std::string& names, const std::function<void(const std::string&)>& assign,
                            const std::string& help, const std::string& type = "TEXT");

  /// An option whose text is one of `among`, or several between commas if `into` is a list. Completion offers them.
  template <typename Destination, typename Value>
  command_option add(const std::string& names, Destination& into, const choices<Value>& among,
                     const std::string& help) {
    constexpr bool is_list = std::is_same_v<Destination, std::vector<Value>>;
    std::string usual;
    if constexpr (is_list)
      for (const Value& each : into) usual += (usual.empty() ? "" : ",") + among.name_of(each);
    else if constexpr (std::is_same_v<Destination, Value>)
      usual = among.name_of(into);
    const auto assign = [&into, among](std::string_view text) {
      if constexpr (is_list)
        into = among.parse_list(text);
      else
        into = among.parse(text);
    };
    return add_choice(names, assign, with_default(help, usual), among.noun, among.names, is_list);
  }

  /// An option whose text `parse` turns into a value. `parse` throws std::invalid_argument for wrong usage.
  /// @param format  turns the default into text for the help
  template <typename Destination, typename Value, typename Format = std::nullptr_t>
  command_option add(const std::string& names, Destination& into, Value (*parse)(std::string_view),
                     const std::string& help, [[maybe_unused]] const Format& format = nullptr) {
    const auto assign = [&into, parse](std::string_view text) { into = parse(text); };
    if constexpr (std::is_same_v<Format, std::nullptr_t>)
      return add_parsed(names, assign, help);
    else
      return add_parsed(names, assign, with_default(help, format(into)));
  }

 private:
  // None of the texts may be empty.
  command_option add_names(const std::string& names, const std::function<void(const std::vector<std::string>&)>& assign,
                           const std::string& help, const std::string& type);
  command_option add_choice(const std::string& names, const std::function<void(const std::string&)>& assign,
                            const std::string& help, const std::string& noun, const std::vector<std::string>& words,
                            bool is_list);
  [[nodiscard]] static std::string with_default(std::string help, std::string_view value);

  CLI::App* app_;
  command_notes* notes_;
};

/// The whole command line: a command, and what is common to all.
class program_parser {
 public:
  program_parser(const std::string& name, const std::string& summary, const std::string& version,
                 const std::string& footer);
  program_parser(program_parser&&) = delete;
  ~program_parser();

  /// Adds a command. Returns it, and the struct that the options go to, which the caller adds to it; that struct lives
  /// as long as this parser.
  /// @param execute  carries the command out once its options are read; returns the exit code
  /// @param footer  text below the list of options in the help, with examples
  /// @param heading  what the program's help lists it under; empty: the usual one
  template <typename Options>
  [[nodiscard]] std::pair<command_parser, Options&> add_command(const std::string& name, const std::string& summary,
                                                                int (*execute)(const Options&),
                                                                const std::string& footer,
                                                                const std::string& heading = {}) {
    const auto options = std::make_shared<Options>();
    return {add({.name = name, .summary = summary, .group = heading, .notes = footer},
                [options, execute] { return execute(*options); }),
            *options};
  }

  /// Adds a command that another program carries out: `start`, which does not return, gets all words that follow it.
  void pass_on(const std::string& name, const std::string& summary, const std::string& heading,
               std::function<void()> start);

  /// Whether another program carries out that command, or any.
  [[nodiscard]] bool passes_on(std::string_view command) const { return passed_on_.contains(command); }
  [[nodiscard]] bool passes_on_any() const noexcept { return !passed_on_.empty(); }

  /// Adds a command with one argument that no help lists: other programs call it.
  void add_unlisted(std::string_view name, std::function<int(const std::string&)> execute);

  /// Refuses the command `name`, which this system lacks, with `reason`, whatever follows it.
  void lack_command(const std::string& name, const std::string& reason);

  /// What an environment variable does, for the manual.
  void explain_variable(const std::string& name, const std::string& meaning);

  /// All commands and options, as they were added; commands under a heading follow the others.
  [[nodiscard]] program_description describe() const;
  /// What `freshet COMMAND --help` prints; without a command, what `freshet --help` does. Precondition: there is that
  /// command.
  [[nodiscard]] std::string help(const std::string& command);

  /// What is wrong with `words`, the name of a command and what follows it; empty if nothing is. Runs nothing, so what
  /// only the command itself can refuse is not found. The commands' options are changed.
  [[nodiscard]] std::string why_refused(const std::vector<std::string>& words);

  /// Reads the words and runs the command that they name. Prints help, the version, and what is wrong with the words if
  /// `prints`.
  /// @return  what the command returned; 0 after help or the version; wrong_usage
  /// @throws  what the command throws, except for usage_error
  [[nodiscard]] int run(int count, const char* const* words, bool prints);

 private:
  command_parser add(command_description about, std::function<int()> action);

  // Adds to the help what would cost every call time: the exit codes.
  void complete_help();
  [[nodiscard]] std::string describe_unknown(std::string_view command) const;
  void print_unknown(std::string_view command) const;

  std::unique_ptr<CLI::App> app_;
  std::unique_ptr<command_notes> notes_;
  program_description about_;
  std::set<std::string, std::less<>> passed_on_;             // commands that another program carries out
  std::map<std::string, std::string, std::less<>> lacking_;  // commands that this system lacks, and why
  int exit_code_ = 0;
  bool runs_commands_ = true;
};

}  // namespace freshet::tool
