#include "tool/command/options.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <limits>
#include <map>
#include <set>
#include <sstream>

#include "src/os/native_string.hpp"
#include "tool/base/text.hpp"
#include "tool/command/arguments.hpp"
#include "tool/command/mistakes.hpp"
#include "tool/report/screen.hpp"

namespace freshet::tool {

struct command_notes {
  std::map<const CLI::Option*, std::vector<std::string>> words;
  std::map<const CLI::App*, std::map<int, std::string>> exits;
};

namespace {

// Adds an option whose arguments `read` takes. What it throws for wrong usage becomes the parser's own exception. The
// help calls the argument `type`, unless `declared` has another name for it; one without an option's name is called by
// its own.
template <typename Arguments>
CLI::Option* add_option(CLI::App& command, const std::string& declared,
                        const std::function<void(const Arguments&)>& read, const std::string& help,
                        const std::string& type) {
  const std::size_t space = declared.find(' ');
  const std::string names = declared.substr(0, space);
  const auto read_or_refuse = [names, read](const Arguments& arguments) {
    try {
      read(arguments);
    } catch (const std::invalid_argument& fault) {
      throw CLI::ValidationError{names, fault.what()};
    }
  };
  CLI::Option* const added = command.add_option_function<Arguments>(names, read_or_refuse, help);
  return added->type_name(space != std::string::npos ? declared.substr(space + 1) : names.starts_with('-') ? type : "");
}

// A file's, a directory's or another name, which is never empty: an empty one stands for "none" or "the default" within
// the program. @throws std::invalid_argument
void require_name(std::string_view text) {
  if (text.empty()) throw std::invalid_argument{"it must not be empty"};
}

auto assign_name(std::string& into) {
  return [&into](const std::string& text) {
    require_name(text);
    into = text;
  };
}

auto assign_name(std::filesystem::path& into) {
  return [&into](const std::string& text) {
    require_name(text);
    into = detail::to_native(text);
  };
}

// Prints what is wrong with a command line, or the help that it asked for. @return  the parser's exit code
int print_ending(const CLI::App& program, const CLI::ParseError& ending) {
  if (ending.get_exit_code() != 0) {
    print_mistake(program, called_command(program), describe_mistake(program, ending));
    return ending.get_exit_code();
  }
  std::ostringstream help;
  std::ostringstream unused;
  const int exit_code = program.exit(ending, help, unused);
  fmt::print("{}", fitted(help.str(), standard_screen().width));
  return exit_code;
}

std::vector<std::string> names_of(const std::set<CLI::Option*>& options) {
  std::vector<std::string> names;
  for (const CLI::Option* each : options) names.push_back(each->get_name());
  std::ranges::sort(names);
  return names;
}

std::vector<option_description> describe_options(const CLI::App& command, const command_notes& notes) {
  std::vector<option_description> all;
  for (const CLI::Option* option : command.get_options()) {
    option_description each{.help = option->get_description(),
                            .required = option->get_required(),
                            .needs = names_of(option->get_needs()),
                            .excludes = names_of(option->get_excludes())};
    for (const std::string& name : option->get_snames()) each.names.push_back("-" + name);
    for (const std::string& name : option->get_lnames()) each.names.push_back("--" + name);
    if (option->get_group() != "Options") each.group = option->get_group();
    if (option->get_items_expected_max() != 0) {
      each.argument = option->get_type_name().empty() ? option->get_name(true) : option->get_type_name();
      each.repeats = option->get_expected_max() == CLI::detail::expected_max_vector_size;
    }
    each.is_list = each.argument.ends_with(",...");
    if (const auto known = notes.words.find(option); known != notes.words.end()) each.words = known->second;
    all.push_back(std::move(each));
  }
  return all;
}

std::vector<exit_meaning> describe_exits(const CLI::App& command, const command_notes& notes) {
  std::map<int, std::string> meanings{{0, "it did what it was asked to do"},
                                      {1, "it failed; standard error has the reason"},
                                      {wrong_usage, "wrong usage; nothing was done"}};
  const auto own = notes.exits.find(&command);
  if (own != notes.exits.end())
    for (const auto& [code, meaning] : own->second) meanings[code] = meaning;
  std::vector<exit_meaning> all;
  for (const auto& [code, meaning] : meanings) all.push_back({std::to_string(code), meaning});
  all.push_back({"128+N", "signal N ended it, such as 130 after Ctrl-C"});
  return all;
}

std::string format_exits(const std::vector<exit_meaning>& exits) {
  std::string text = "\n\nExit codes:";
  for (const exit_meaning& each : exits) text += fmt::format("\n  {:<6} {}", each.code, each.meaning);
  return text;
}

}  // namespace

void command_option::require() { parsed_->required(); }

void command_option::group(const std::string& heading) { parsed_->group(heading); }

void command_option::expect(int count) { parsed_->expected(count); }

command_option& command_option::offer(std::vector<std::string> words) {
  notes_->words[parsed_] = std::move(words);
  return *this;
}

command_option& command_option::take_one_at_a_time() {
  parsed_->allow_extra_args(false);
  return *this;
}

command_option& command_option::allow_no_argument() {
  parsed_->expected(0);
  return *this;
}

command_option& command_option::exclude(const command_option& other) {
  parsed_->excludes(other.parsed_);
  return *this;
}

void command_option::need(const command_option& other) { parsed_->needs(other.parsed_); }

void command_parser::explain_exit(int code, const std::string& meaning) { notes_->exits[app_][code] = meaning; }

void command_parser::set_version(const std::string& text) { app_->set_version_flag("--version", text); }

command_option command_parser::add_flag(const std::string& names, bool& into, const std::string& help) {
  return {*app_->add_flag(names, into, help)->disable_flag_override(), *notes_};
}

command_option command_parser::add_flag(const std::string& names, std::function<void()> given,
                                        const std::string& help) {
  CLI::Option* const flag = app_->add_flag_function(
      names, [given = std::move(given)](std::int64_t) { given(); }, help);
  return {*flag->disable_flag_override(), *notes_};
}

command_option command_parser::add(const std::string& names, std::string& into, const std::string& help) {
  return add_parsed(names, assign_name(into), with_default(help, into));
}

command_option command_parser::add(const std::string& names, std::filesystem::path& into, const std::string& help) {
  return add_parsed(names, assign_name(into), with_default(help, into.string()), "FILE");
}

command_option command_parser::add(const std::string& names, std::uint64_t& into, const std::string& help) {
  const auto assign = [&into](std::string_view text) {
    into = parse_number<std::uint64_t>(text, 0, std::numeric_limits<std::uint64_t>::max(), "a whole number");
  };
  return add_parsed(names, assign, with_default(help, std::to_string(into)), "N");
}

command_option command_parser::add(const std::string& names, unsigned& into, unsigned least, unsigned most,
                                   const std::string& help) {
  const auto assign = [&into, least, most](std::string_view text) {
    into = parse_number(text, least, most, "a whole number in its range");
  };
  return add_parsed(names, assign, with_default(fmt::format("{}, {} to {}", help, least, most), std::to_string(into)),
                    "N");
}

command_option command_parser::add_names(const std::string& names,
                                         const std::function<void(const std::vector<std::string>&)>& assign,
                                         const std::string& help, const std::string& type) {
  const auto read = [assign](const std::vector<std::string>& texts) {
    for (const std::string& each : texts) require_name(each);
    assign(texts);
  };
  return {*add_option<std::vector<std::string>>(*app_, names, read, help, type), *notes_};
}

command_option command_parser::add_list(const std::string& names, std::vector<std::string>& into,
                                        std::vector<std::string> (*parse)(std::string_view), const std::string& help) {
  const auto read = [&into, parse](const std::vector<std::string>& arguments) {
    into.clear();
    for (const std::string& each : arguments) std::ranges::move(parse(each), std::back_inserter(into));
  };
  return {*add_option<std::vector<std::string>>(*app_, names, read, help, "TEXT"), *notes_};
}

command_option command_parser::add_pairs(const std::string& names, const std::function<void(const text_pairs&)>& assign,
                                         const std::string& help) {
  return {*add_option<text_pairs>(*app_, names, assign, help, "TEXT"), *notes_};
}

command_option command_parser::add_parsed(const std::string& names,
                                          const std::function<void(const std::string&)>& assign,
                                          const std::string& help, const std::string& type) {
  return {*add_option<std::string>(*app_, names, assign, help, type), *notes_};
}

command_option command_parser::add_choice(const std::string& names,
                                          const std::function<void(const std::string&)>& assign,
                                          const std::string& help, const std::string& noun,
                                          const std::vector<std::string>& words, bool is_list) {
  const std::string argument = to_upper(noun.substr(noun.rfind(' ') + 1));
  return add_parsed(fmt::format("{} {}{}", names, argument, is_list ? ",..." : ""), assign, help).offer(words);
}

std::string command_parser::with_default(std::string help, std::string_view value) {
  return value.empty() ? help : fmt::format("{} ({})", help, value);
}

program_parser::program_parser(const std::string& name, const std::string& summary, const std::string& version,
                               const std::string& footer)
    : app_{std::make_unique<CLI::App>(summary, name)},
      notes_{std::make_unique<command_notes>()},
      about_{.name = name, .summary = summary, .version = version, .notes = footer} {
  app_->set_version_flag("--version", version);
  app_->require_subcommand(1);
  app_->allow_windows_style_options(false);  // "/data" is a directory everywhere
}

program_parser::~program_parser() = default;

void program_parser::lack_command(const std::string& name, const std::string& reason) {
  lacking_.emplace(name, reason);
}

std::string program_parser::describe_unknown(std::string_view command) const {
  const auto known = lacking_.find(command);
  return known == lacking_.end() ? describe_unknown_command(*app_, command) : known->second;
}

void program_parser::print_unknown(std::string_view command) const {
  if (lacking_.contains(command))
    fmt::print(stderr, "{}: {}\n", about_.name, describe_unknown(command));
  else
    print_mistake(*app_, nullptr, describe_unknown(command));
}

void program_parser::explain_variable(const std::string& name, const std::string& meaning) {
  about_.variables.push_back({name, meaning});
}

command_parser program_parser::add(command_description about, std::function<int()> action) {
  CLI::App* const command = app_->add_subcommand(about.name, about.summary);
  if (!about.group.empty()) command->group(about.group);
  about_.commands.push_back(std::move(about));
  command->callback([this, action = std::move(action)] {
    if (!runs_commands_) return;
    try {
      exit_code_ = action();
    } catch (const usage_error& fault) {
      throw CLI::ValidationError{fault.option(), fault.what()};
    }
  });
  return command_parser{*command, *notes_};
}

void program_parser::pass_on(const std::string& name, const std::string& summary, const std::string& heading,
                             std::function<void()> start) {
  add({.name = name, .summary = summary, .group = heading}, [start = std::move(start)] {
    start();
    return 0;
  });
  CLI::App* const command = app_->get_subcommand(name);
  command->prefix_command();
  command->set_help_flag();
  passed_on_.insert(name);
}

void program_parser::add_unlisted(std::string_view name, std::function<int(const std::string&)> execute) {
  const auto argument = std::make_shared<std::string>();
  CLI::App* const command = app_->add_subcommand(std::string{name})->group("");
  command->add_option("ARGUMENT", *argument)->required();
  command->callback([this, argument, execute = std::move(execute)] {
    if (runs_commands_) exit_code_ = execute(*argument);
  });
}

program_description program_parser::describe() const {
  program_description all = about_;
  all.options = describe_options(*app_, *notes_);
  all.exits = describe_exits(*app_, *notes_);
  for (command_description& each : all.commands) {
    const CLI::App& command = *app_->get_subcommand(each.name);
    each.options = describe_options(command, *notes_);
    each.exits = describe_exits(command, *notes_);
  }
  std::stable_partition(all.commands.begin(), all.commands.end(),
                        [](const command_description& each) { return each.group.empty(); });
  return all;
}

void program_parser::complete_help() {
  app_->footer(about_.notes + format_exits(describe_exits(*app_, *notes_)));
  for (const command_description& each : about_.commands) {
    CLI::App& command = *app_->get_subcommand(each.name);
    command.footer(each.notes + format_exits(describe_exits(command, *notes_)));
  }
}

std::string program_parser::help(const std::string& command) {
  complete_help();
  // Unlike help(), the formatter does not speak of the command that is being run.
  const CLI::App* const about = command.empty() ? app_.get() : app_->get_subcommand(command);
  return app_->get_formatter()->make_help(about, app_->get_name() + (command.empty() ? "" : " " + command),
                                          CLI::AppFormatMode::Normal);
}

std::string program_parser::why_refused(const std::vector<std::string>& words) {
  std::vector<const char*> all{about_.name.c_str()};
  for (const std::string& word : words) all.push_back(word.c_str());
  const auto count = static_cast<int>(all.size());
  if (const auto word = unknown_command(*app_, count, all.data()); !word.empty()) return describe_unknown(word);
  runs_commands_ = false;
  std::string reason;
  try {
    app_->parse(count, all.data());
  } catch (const CLI::ParseError& ending) {
    if (ending.get_exit_code() != 0) reason = describe_mistake(*app_, ending);
  }
  runs_commands_ = true;
  return reason;
}

int program_parser::run(int count, const char* const* words, bool prints) {
  if (const auto word = unknown_command(*app_, count, words); !word.empty()) {
    if (prints) print_unknown(word);
    return wrong_usage;
  }
  try {
    app_->parse(count, words);
  } catch (const CLI::ParseError& ending) {
    // Help and the version end the parsing in this way, too.
    if (prints) complete_help();
    const int parser_code = prints ? print_ending(*app_, ending) : ending.get_exit_code();
    return parser_code == 0 ? 0 : wrong_usage;
  }
  return exit_code_;
}

}  // namespace freshet::tool
