#include "tool/command/export_option.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "tool/base/json_output.hpp"
#include "tool/base/reject.hpp"
#include "tool/export/exports.hpp"

namespace freshet::tool {
namespace {

void require_known(const wanted_exports& wanted) {
  const std::vector<std::string> known = export_kinds();
  for (const auto& [kind, file] : wanted)
    if (std::ranges::find(known, kind) == known.end())
      reject(kind, "a format", fmt::format("expected one of {}", fmt::join(known, ", ")));
}

}  // namespace

command_option add_export_option(command_parser& command, wanted_exports& wanted) {
  return command
      .add_pairs(
          "--export",
          [&wanted](const text_pairs& asked) {
            require_known(asked);
            wanted = asked;
          },
          fmt::format("Write the trials to a file for other tools, as {}; - is standard output; may be repeated",
                      fmt::join(export_kinds(), ", ")))
      .argument_name("KIND FILE");
}

bool words_on_stdout(const wanted_exports& wanted) {
  return std::ranges::all_of(wanted, [](const auto& each) { return words_on_stdout(each.second); });
}

void write_exports(const wanted_exports& wanted, const run& about, std::span<const record> records) {
  for (const auto& [kind, file] : wanted) write_text(format_export(kind, about, records), file);
}

}  // namespace freshet::tool
