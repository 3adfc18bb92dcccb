#include "tool/export/export_option.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>

#include "tool/export/exports.hpp"
#include "tool/report/json_output.hpp"

namespace freshet::tool {
namespace {

void require_known(const wanted_exports& wanted) {
  const std::vector<std::string> known = export_kinds();
  for (const auto& [kind, file] : wanted)
    if (std::ranges::find(known, kind) == known.end())
      throw CLI::ValidationError{"--export",
                                 fmt::format("\"{}\" is not a format: there are {}", kind, fmt::join(known, ", "))};
}

}  // namespace

CLI::Option* add_export_option(CLI::App& command, wanted_exports& wanted) {
  CLI::Option* option = command.add_option_function<wanted_exports>(
      "--export",
      [&wanted](const wanted_exports& asked) {
        require_known(asked);
        wanted = asked;
      },
      fmt::format("Write the trials to a file for other tools, as {}; - is standard output; may be repeated",
                  fmt::join(export_kinds(), ", ")));
  return option->type_name("KIND FILE");
}

bool words_on_stdout(const wanted_exports& wanted) {
  return std::ranges::all_of(wanted, [](const auto& each) { return words_on_stdout(each.second); });
}

void write_exports(const wanted_exports& wanted, const run& about, std::span<const record> made) {
  for (const auto& [kind, file] : wanted) write_text(exported(kind, about, made), file);
}

}  // namespace freshet::tool
