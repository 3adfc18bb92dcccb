#include "tool/command/mistakes.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <iterator>
#include <vector>

#include "tool/base/text.hpp"

namespace freshet::tool {
namespace {

// "; the nearest is tune": a name that may have been meant; empty if none looks like the word.
std::string suggest(std::string_view word, const std::vector<std::string>& names) {
  const auto far = [&](const std::string& name) { return edit_distance(word, name); };
  const auto nearest = std::ranges::min_element(names, {}, far);
  constexpr std::size_t share_of_letters = 3;
  constexpr std::size_t always_near = 2;  // letters, such as two that changed places
  if (nearest == names.end() || far(*nearest) > std::max(word.size() / share_of_letters, always_near)) return {};
  return "; the nearest is " + *nearest;
}

std::string describe_unknown_option(const CLI::App& command, std::string_view word) {
  std::vector<std::string> names;
  for (const CLI::Option* option : command.get_options())
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  return fmt::format("there is no option \"{}\"{}", replace_controls(word), suggest(word, names));
}

// The first word of a command line that was meant as an option of the command; empty if there is none.
std::string unknown_option(const CLI::App& command) {
  const std::vector<std::string> words = command.remaining();
  const auto word = std::ranges::find_if(words, [](const std::string& each) { return each.starts_with("--"); });
  return word == words.end() ? std::string{} : word->substr(0, word->find('='));
}

// The first word that is too many behind "--"; empty if there is none.
std::string surplus_name(const CLI::App& command) {
  const std::vector<std::string> words = command.remaining();
  const auto mark = std::ranges::find(words, "--");
  return mark == words.end() || std::next(mark) == words.end() ? std::string{} : *std::next(mark);
}

// "--size" of "--size: At Most 1 required but received 2"; empty if the mistake is another one.
std::string find_repeated(const CLI::ParseError& mistake) {
  const std::string_view words = mistake.what();
  const bool repeated =
      mistake.get_name() == "ArgumentMismatch" && words.find(": At Most 1 ") != std::string_view::npos;
  return std::string{repeated ? words.substr(0, words.find(':')) : ""};
}

}  // namespace

std::string_view unknown_command(const CLI::App& app, int count, const char* const* words) {
  if (count < 2) return {};
  const std::string_view word = words[1];
  const auto is_it = [&](const CLI::App* each) { return each->get_name() == word; };
  return word.starts_with('-') || std::ranges::any_of(app.get_subcommands({}), is_it) ? std::string_view{} : word;
}

const CLI::App* called_command(const CLI::App& program) {
  const std::vector<CLI::App*> called = program.get_subcommands();
  return called.empty() ? nullptr : called.front();
}

std::string describe_unknown_command(const CLI::App& program, std::string_view word) {
  std::vector<std::string> names;
  for (const CLI::App* each : program.get_subcommands({}))
    if (!each->get_group().empty()) names.push_back(each->get_name());
  return fmt::format("there is no command \"{}\"{}", replace_controls(word), suggest(word, names));
}

std::string describe_mistake(const CLI::App& program, const CLI::ParseError& ending) {
  if (const std::string option = find_repeated(ending); !option.empty()) return option + " is given more than once";
  const CLI::App* const command = called_command(program);
  if (command == nullptr) return ending.get_name() == "RequiredError" ? "a command is missing" : ending.what();
  if (dynamic_cast<const CLI::ExtrasError*>(&ending) == nullptr) return ending.what();
  if (const std::string name = surplus_name(*command); !name.empty())
    return fmt::format(R"("{}" is one name too many: options must stand before "--")", printable(name));
  if (const std::string word = unknown_option(*command); !word.empty()) return describe_unknown_option(*command, word);
  return fmt::format("\"{}\" is one name too many", printable(command->remaining().front()));
}

void print_mistake(const CLI::App& program, const CLI::App* command, std::string_view mistake) {
  const std::string called = program.get_name() + (command == nullptr ? "" : " " + command->get_name());
  fmt::print(stderr, "{0}: {1}\nRun {0} --help for all {2}.\n", called, replace_controls(mistake),
             command == nullptr ? "commands" : "options");
}

}  // namespace freshet::tool
