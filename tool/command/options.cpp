#include "tool/command/options.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <iterator>

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

}  // namespace

command_option& command_option::require() {
  parsed_->required();
  return *this;
}

command_option& command_option::group(const std::string& heading) {
  parsed_->group(heading);
  return *this;
}

command_option& command_option::argument_name(const std::string& name) {
  parsed_->type_name(name);
  return *this;
}

command_option& command_option::expect(int count) {
  parsed_->expected(count);
  return *this;
}

command_option& command_option::exclude(const command_option& other) {
  parsed_->excludes(other.parsed_);
  return *this;
}

command_option& command_option::need(const command_option& other) {
  parsed_->needs(other.parsed_);
  return *this;
}

void command_parser::set_footer(const std::string& text) { app_->footer(text); }

void command_parser::set_version(const std::string& text) { app_->set_version_flag("--version", text); }

void command_parser::set_action(std::function<int()> action) {
  app_->callback([exit_code = exit_code_, action = std::move(action)] {
    try {
      *exit_code = action();
    } catch (const usage_error& fault) {
      throw CLI::ValidationError{fault.option(), fault.what()};
    }
  });
}

command_option command_parser::add_flag(const std::string& names, bool& into, const std::string& help) {
  return command_option{*app_->add_flag(names, into, help)};
}

command_option command_parser::add_flag(const std::string& names, std::function<void()> given,
                                        const std::string& help) {
  return command_option{*app_->add_flag_function(
      names, [given = std::move(given)](std::int64_t) { given(); }, help)};
}

command_option command_parser::add(const std::string& names, std::string& into, const std::string& help) {
  return command_option{*app_->add_option(names, into, with_default(help, into))};
}

command_option command_parser::add(const std::string& names, std::filesystem::path& into, const std::string& help) {
  return command_option{*app_->add_option(names, into, with_default(help, into.string()))};
}

command_option command_parser::add(const std::string& names, std::uint64_t& into, const std::string& help) {
  return command_option{*app_->add_option(names, into, with_default(help, std::to_string(into)))};
}

command_option command_parser::add(const std::string& names, unsigned& into, unsigned least, unsigned most,
                                   const std::string& help) {
  return command_option{
      *app_->add_option(names, into, with_default(help, std::to_string(into)))->check(CLI::Range(least, most))};
}

command_option command_parser::add(const std::string& names, std::optional<unsigned>& into, unsigned least,
                                   unsigned most, const std::string& help) {
  return command_option{*app_->add_option(names, into, help)->check(CLI::Range(least, most))};
}

command_option command_parser::add(const std::string& names, std::vector<std::string>& into, const std::string& help) {
  return command_option{*app_->add_option(names, into, help)};
}

command_option command_parser::add(const std::string& names, std::vector<std::filesystem::path>& into,
                                   const std::string& help) {
  return command_option{*app_->add_option(names, into, help)};
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

command_option command_parser::add_pairs(const std::string& names, std::function<void(const text_pairs&)> assign,
                                         const std::string& help) {
  return command_option{*app_->add_option_function<text_pairs>(
      names,
      [names, assign = std::move(assign)](const text_pairs& pairs) { run_parser(names, [&] { assign(pairs); }); },
      help)};
}

command_option command_parser::add_parsed(const std::string& names, std::function<void(std::string_view)> assign,
                                          const std::string& help) {
  return command_option{*app_->add_option_function<std::string>(
      names, [names, assign = std::move(assign)](const std::string& text) { run_parser(names, [&] { assign(text); }); },
      help)};
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

command_parser program_parser::add_command(const std::string& name, const std::string& summary) {
  return command_parser{*app_->add_subcommand(name, summary), exit_code_};
}

int program_parser::run(int count, const char* const* words, bool prints) {
  try {
    app_->parse(count, words);
  } catch (const CLI::ParseError& ending) {
    // Help and the version end the parsing in this way, too.
    const int parser_code = prints ? app_->exit(ending) : ending.get_exit_code();
    return parser_code == 0 ? 0 : wrong_usage;
  }
  return exit_code_;
}

}  // namespace freshet::tool
