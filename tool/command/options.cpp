#include "tool/command/options.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <iterator>
#include <limits>
#include <numeric>
#include <utility>

#include "tool/base/text.hpp"
#include "tool/command/arguments.hpp"

namespace freshet::tool {
namespace {

// Turns what `parse` throws for wrong usage into the parser's own exception.
template <typename Parse>
void run_parser(const std::string& option, const Parse& parse) {
  try {
    parse();
  } catch (const std::invalid_argument& fault) {
    throw CLI::ValidationError{option, fault.what()};
  }
}

// A file's, a directory's or another name, which is never empty: an empty one stands for "none" or "the default" within
// the program. @throws std::invalid_argument
std::string parse_name(std::string_view text) {
  if (text.empty()) throw std::invalid_argument{"it must not be empty"};
  return std::string{text};
}

// How many letters have to be inserted, removed or replaced to make one word the other.
std::size_t distance(std::string_view one, std::string_view other) {
  std::vector<std::size_t> row(other.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < one.size(); ++i) {
    std::size_t diagonal = std::exchange(row[0], i + 1);
    for (std::size_t j = 0; j < other.size(); ++j) {
      const std::size_t replaced = diagonal + (one[i] == other[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({replaced, row[j] + 1, diagonal + 1});
    }
  }
  return row.back();
}

// The first word, if it is meant as a command and there is none of that name; empty otherwise.
std::string_view unknown_command(const CLI::App& app, int count, const char* const* words) {
  if (count < 2) return {};
  const std::string_view word = words[1];
  const auto is_it = [&](const CLI::App* each) { return each->get_name() == word; };
  return word.starts_with('-') || std::ranges::any_of(app.get_subcommands({}), is_it) ? std::string_view{} : word;
}

std::string nearest_command(const CLI::App& app, std::string_view word) {
  const auto all = app.get_subcommands({});
  const auto far = [&](const CLI::App* each) { return distance(word, each->get_name()); };
  return (*std::ranges::min_element(all, {}, far))->get_name();
}

// The first word of a command line that was meant as an option of the command; empty if there is none.
std::string unknown_option(const CLI::App& command) {
  const std::vector<std::string> words = command.remaining();
  const auto word = std::ranges::find_if(words, [](const std::string& each) { return each.starts_with("--"); });
  return word == words.end() ? std::string{} : word->substr(0, word->find('='));
}

std::string nearest_option(const CLI::App& command, std::string_view word) {
  std::string nearest = "--help";
  for (const CLI::Option* option : command.get_options()) {
    for (const std::string& name : option->get_lnames()) {
      if (distance(word, "--" + name) < distance(word, nearest)) nearest = "--" + name;
    }
  }
  return nearest;
}

// "--size" of "--size: At Most 1 required but received 2"; empty if the mistake is another one.
std::string find_repeated(const CLI::ParseError& mistake) {
  const std::string_view words = mistake.what();
  const bool repeated =
      mistake.get_name() == "ArgumentMismatch" && words.find(": At Most 1 ") != std::string_view::npos;
  return std::string{repeated ? words.substr(0, words.find(':')) : ""};
}

// Prints what is wrong with a command line, or the help that it asked for. @return  the parser's exit code
int print_ending(const CLI::App& program, const CLI::ParseError& ending) {
  if (const std::string option = find_repeated(ending); !option.empty()) {
    fmt::print(stderr, "{}: {} is given more than once\nRun with --help for more information.\n", program.get_name(),
               option);
    return ending.get_exit_code();
  }
  for (const CLI::App* command : program.get_subcommands()) {
    const std::string word = unknown_option(*command);
    if (dynamic_cast<const CLI::ExtrasError*>(&ending) == nullptr || word.empty()) continue;
    fmt::print(stderr, "{0} {1}: there is no option \"{2}\"; the nearest is {3}\nRun {0} {1} --help for all options.\n",
               program.get_name(), command->get_name(), replace_controls(word), nearest_option(*command, word));
    return ending.get_exit_code();
  }
  return program.exit(ending);
}

}  // namespace

void command_option::require() { parsed_->required(); }

void command_option::group(const std::string& heading) { parsed_->group(heading); }

void command_option::expect(int count, const std::string& names) { parsed_->expected(count)->type_name(names); }

void command_option::take_one_at_a_time() { parsed_->allow_extra_args(false); }

void command_option::exclude(const command_option& other) { parsed_->excludes(other.parsed_); }

void command_option::need(const command_option& other) { parsed_->needs(other.parsed_); }

void command_parser::set_version(const std::string& text) { app_->set_version_flag("--version", text); }

command_option command_parser::add_flag(const std::string& names, bool& into, const std::string& help) {
  return command_option{*app_->add_flag(names, into, help)->disable_flag_override()};
}

command_option command_parser::add_flag(const std::string& names, std::function<void()> given,
                                        const std::string& help) {
  CLI::Option* const flag = app_->add_flag_function(
      names, [given = std::move(given)](std::int64_t) { given(); }, help);
  return command_option{*flag->disable_flag_override()};
}

command_option command_parser::add(const std::string& names, std::string& into, const std::string& help) {
  return add_parsed(
      names, [&into](std::string_view text) { into = parse_name(text); }, with_default(help, into));
}

command_option command_parser::add(const std::string& names, std::filesystem::path& into, const std::string& help) {
  return add_parsed(
      names, [&into](std::string_view text) { into = parse_name(text); }, with_default(help, into.string()));
}

command_option command_parser::add(const std::string& names, std::uint64_t& into, const std::string& help) {
  const auto assign = [&into](std::string_view text) {
    into = parse_number<std::uint64_t>(text, 0, std::numeric_limits<std::uint64_t>::max(), "a whole number");
  };
  return add_parsed(names, assign, with_default(help, std::to_string(into)), "UINT");
}

command_option command_parser::add(const std::string& names, unsigned& into, unsigned least, unsigned most,
                                   const std::string& help) {
  const auto assign = [&into, least, most](std::string_view text) {
    into = parse_number(text, least, most, "a whole number in its range");
  };
  return add_parsed(names, assign, with_default(help, std::to_string(into)),
                    fmt::format("UINT in [{} - {}]", least, most));
}

command_option command_parser::add(const std::string& names, std::vector<std::string>& into, const std::string& help) {
  return add_list(
      names, into, [](std::string_view text) { return std::vector{parse_name(text)}; }, help);
}

command_option command_parser::add(const std::string& names, std::vector<std::filesystem::path>& into,
                                   const std::string& help) {
  return command_option{*app_->add_option_function<std::vector<std::string>>(
      names,
      [names, &into](const std::vector<std::string>& arguments) {
        run_parser(names, [&] {
          for (const std::string& each : arguments) into.emplace_back(parse_name(each));
        });
      },
      help)};
}

command_option command_parser::add_list(const std::string& names, std::vector<std::string>& into,
                                        std::vector<std::string> (*parse)(std::string_view), const std::string& help) {
  return command_option{*app_->add_option_function<std::vector<std::string>>(
      names,
      [names, &into, parse](const std::vector<std::string>& arguments) {
        run_parser(names, [&] {
          into.clear();
          for (const std::string& each : arguments) std::ranges::move(parse(each), std::back_inserter(into));
        });
      },
      help)};
}

command_option command_parser::add_pairs(const std::string& names, const std::string& argument_names,
                                         std::function<void(const text_pairs&)> assign, const std::string& help) {
  const auto parse = [names, assign = std::move(assign)](const text_pairs& pairs) {
    run_parser(names, [&] { assign(pairs); });
  };
  return command_option{*app_->add_option_function<text_pairs>(names, parse, help)->type_name(argument_names)};
}

command_option command_parser::add_parsed(const std::string& names, std::function<void(std::string_view)> assign,
                                          const std::string& help, const std::string& type) {
  return command_option{*app_->add_option_function<std::string>(
                                 names,
                                 [names, assign = std::move(assign)](const std::string& text) {
                                   run_parser(names, [&] { assign(text); });
                                 },
                                 help)
                             ->type_name(type)};
}

std::string command_parser::with_default(std::string help, std::string_view value) {
  return value.empty() ? help : fmt::format("{} ({})", help, value);
}

program_parser::program_parser(const std::string& name, const std::string& summary, const std::string& version,
                               const std::string& footer)
    : app_{std::make_unique<CLI::App>(summary, name)} {
  app_->set_version_flag("--version", version);
  app_->footer(footer);
  app_->require_subcommand(1);
}

program_parser::~program_parser() = default;

command_parser program_parser::add(const std::string& name, const std::string& summary, const std::string& footer,
                                   std::function<int()> action) {
  CLI::App* const command = app_->add_subcommand(name, summary);
  command->footer(footer);
  command->callback([this, action = std::move(action)] {
    try {
      exit_code_ = action();
    } catch (const usage_error& fault) {
      throw CLI::ValidationError{fault.option(), fault.what()};
    }
  });
  return command_parser{*command};
}

int program_parser::run(int count, const char* const* words, bool prints) {
  if (const auto word = unknown_command(*app_, count, words); !word.empty()) {
    if (prints)
      fmt::print(stderr, "{0}: there is no command \"{1}\"; the nearest is {2}\nRun {0} --help for all commands.\n",
                 app_->get_name(), replace_controls(word), nearest_command(*app_, word));
    return wrong_usage;
  }
  try {
    app_->parse(count, words);
  } catch (const CLI::ParseError& ending) {
    // Help and the version end the parsing in this way, too.
    const int parser_code = prints ? print_ending(*app_, ending) : ending.get_exit_code();
    return parser_code == 0 ? 0 : wrong_usage;
  }
  return exit_code_;
}

}  // namespace freshet::tool
