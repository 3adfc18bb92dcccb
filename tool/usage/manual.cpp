#include "tool/usage/manual.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <sstream>
#include <string_view>
#include <utility>
#include <vector>

#include "tool/base/text.hpp"
#include "tool/usage/notes.hpp"

namespace freshet::tool {
namespace {

// The text as roff shows it: its own characters escaped, dashes that can be copied, and no line that looks like a
// request.
std::string roff_text(std::string_view text) {
  // The backslash first, because the others become one.
  constexpr std::array<std::pair<std::string_view, std::string_view>, 8> escapes{{{"\\", "\\(rs"},
                                                                                  {"-", "\\-"},
                                                                                  {"'", "\\(aq"},
                                                                                  {"`", "\\(ga"},
                                                                                  {"^", "\\(ha"},
                                                                                  {"~", "\\(ti"},
                                                                                  {"\"", "\\(dq"},
                                                                                  {"\n.", "\n\\&."}}};
  std::string escaped{text};
  for (const auto& [special, by] : escapes) escaped = replaced(std::move(escaped), special, by);
  if (text.starts_with('.')) escaped.insert(0, "\\&");
  return replaced(std::move(escaped), "…", "\\&...");
}

// The same, in lines that people can read in the source, too. None begins with what roff takes for a request.
std::string fill(std::string_view text) {
  constexpr std::size_t width = 76;
  std::string filled;
  std::size_t column = 0;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    const std::string word = roff_text(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    const bool fits = column + word.size() < width;
    filled += (column == 0 ? "" : fits ? " " : "\n") + word;
    column = fits ? column + word.size() + 1 : word.size();
  }
  return filled;
}

// A text with a capital letter at its beginning and a full stop at its end.
std::string sentence(const std::string& text) { return fill(to_upper(text.substr(0, 1)) + text.substr(1) + "."); }

std::string bold(std::string_view text) { return fmt::format("\\fB{}\\fR", roff_text(text)); }
std::string italic(std::string_view text) { return fmt::format("\\fI{}\\fR", roff_text(text)); }

// A summary as NAME has it, which begins with a small letter and has no full stop.
std::string as_name_line(std::string summary) {
  if (!summary.empty() && summary.front() >= 'A' && summary.front() <= 'Z')
    summary.front() = static_cast<char>(summary.front() + 32);
  if (summary.ends_with('.')) summary.pop_back();
  return summary;
}

std::string begin_page(const program_description& program, const std::string& name, const std::string& summary,
                       const std::string& date) {
  return fmt::format(".TH {} 1 {} \"{}\" \"Freshet\"\n.nh\n.ad l\n.SH NAME\n{}\n", to_upper(roff_text(name)), date,
                     roff_text(program.version), fill(fmt::format("{} - {}", name, as_name_line(summary))));
}

// A term, and below it, indented, what it means.
std::string item(const std::string& term, const std::string& text) { return fmt::format(".TP\n{}\n{}\n", term, text); }

// Lines that stay as they are; but terms with their meanings become a list.
std::string format_lines(const std::string& lines) {
  std::string list;
  bool is_list = true;
  std::istringstream in{lines};
  for (std::string text; std::getline(in, text);) {
    const two_columns line = split_columns(text);
    is_list = is_list && !line.first.empty() && !line.second.empty();
    list += item(bold(line.first), fill(line.second));
  }
  return is_list ? list : fmt::format(".PP\n.RS 2\n.nf\n{}\n.fi\n.RE\n", roff_text(lines));
}

std::string paragraphs(const std::vector<note>& notes) {
  std::string text;
  for (const note& each : notes) text += each.is_verbatim ? format_lines(each.text) : ".PP\n" + fill(each.text) + "\n";
  return text;
}

std::string argument_of(const option_description& option) {
  return option.argument.empty() ? "" : " " + italic(option.argument);
}

std::string term_of(const option_description& option) {
  std::string term;
  for (const std::string& name : option.names) term += (term.empty() ? "" : ", ") + bold(name);
  if (option.names.empty()) return italic(option.argument) + (option.repeats ? "\\&..." : "");
  return term + argument_of(option);
}

std::string join(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ",\n") + bold(name);
  return text;
}

std::string explain(const option_description& option) {
  std::string text = fill(option.help + ".");
  if (option.required && !option.names.empty()) text += " Required.";
  if (!option.needs.empty()) text += fmt::format("\nOnly with {}.", join(option.needs));
  if (!option.excludes.empty()) text += fmt::format("\nNot with {}.", join(option.excludes));
  return text;
}

std::string synopsis(const program_description& program, const command_description& command) {
  std::string line = fmt::format("{} [{}]", bold(program.name + " " + command.name), italic("OPTION") + "\\&...");
  for (const option_description& each : command.options)
    if (!each.names.empty() && each.required) line += fmt::format(" {}{}", bold(each.names.back()), argument_of(each));
  for (const option_description& each : command.options)
    if (each.names.empty()) line += each.required ? " " + term_of(each) : fmt::format(" [{}]", term_of(each));
  return fmt::format(".SH SYNOPSIS\n{}\n", line);
}

// Arguments first, then options by their headings.
std::string list_options(const std::vector<option_description>& options) {
  std::vector<std::string> headings{""};
  for (const option_description& each : options)
    if (std::ranges::find(headings, each.group) == headings.end()) headings.push_back(each.group);
  std::string text;
  for (const std::string& heading : headings) {
    text += heading.empty() ? ".SH OPTIONS\n" : fmt::format(".SS {}\n", roff_text(heading));
    for (const bool with_name : {false, true})
      for (const option_description& each : options)
        if (each.group == heading && each.names.empty() != with_name) text += item(term_of(each), explain(each));
  }
  return text;
}

std::string list_exits(const std::vector<exit_meaning>& exits) {
  std::string text = ".SH EXIT STATUS\n";
  for (const exit_meaning& each : exits) text += item(bold(each.code), sentence(each.meaning));
  return text;
}

// Each call, and below it, indented, what it is for.
std::string list_examples(const std::vector<two_columns>& examples) {
  std::string text;
  for (const two_columns& each : examples) {
    text += fmt::format("{}{}\n", text.empty() ? ".SH EXAMPLES\n" : ".PP\n", bold(each.first));
    if (!each.second.empty()) text += fmt::format(".RS 4\n{}\n.RE\n", fill(each.second));
  }
  return text;
}

// References to the other pages, sorted as makewhatis wants them.
std::string see_also(std::vector<std::string> pages) {
  std::ranges::sort(pages);
  std::string text = ".SH SEE ALSO\n";
  for (const std::string& page : pages)
    text += fmt::format(".BR {} (1){}\n", roff_text(page), page == pages.back() ? "" : ",");
  return text;
}

}  // namespace

std::string write_manual(const program_description& program, const std::string& date) {
  const split_notes notes = split(program.notes);
  std::string page = begin_page(program, program.name, program.summary, date);
  page += fmt::format(".SH SYNOPSIS\n{} {} [{}] [{}]\n", bold(program.name), italic("COMMAND"),
                      italic("OPTION") + "\\&...", italic("ARGUMENT") + "\\&...");
  page += fmt::format(".SH DESCRIPTION\n{}\n{}.SH COMMANDS\n", fill(program.summary), paragraphs(notes.paragraphs));
  std::vector<std::string> pages;
  std::string group;
  for (const command_description& each : program.commands) {
    if (each.group != group) page += fmt::format(".SS {}\n", roff_text(each.group));
    group = each.group;
    pages.push_back(program.name + "-" + each.name);
    page += item(fmt::format("\\fB{}\\fR(1)", roff_text(pages.back())), fill(each.summary + "."));
  }
  page += list_options(program.options) + list_exits(program.exits) + ".SH ENVIRONMENT\n";
  for (const variable_description& each : program.variables) page += item(bold(each.name), fill(each.meaning));
  return page + list_examples(notes.examples) + see_also(std::move(pages));
}

std::string write_manual(const program_description& program, const command_description& command,
                         const std::string& date) {
  const split_notes notes = split(command.notes);
  return begin_page(program, program.name + "-" + command.name, command.summary, date) + synopsis(program, command) +
         fmt::format(".SH DESCRIPTION\n{}\n", fill(command.summary + ".")) + paragraphs(notes.paragraphs) +
         list_options(command.options) + list_exits(command.exits) + list_examples(notes.examples) +
         see_also({program.name});
}

}  // namespace freshet::tool
