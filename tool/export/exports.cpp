#include "tool/export/exports.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <stdexcept>

namespace freshet::tool {
namespace {

struct format {
  std::string_view kind;
  std::string (*write)(const run& run, std::span<const record> records);
};

constexpr std::array formats{format{"hyperfine", export_hyperfine}, format{"fio", export_fio},
                             format{"benchmark", export_benchmark}, format{"csv", export_csv},
                             format{"markdown", export_markdown}};

}  // namespace

std::vector<std::string> export_kinds() {
  std::vector<std::string> kinds;
  for (const format& each : formats) kinds.emplace_back(each.kind);
  return kinds;
}

std::string format_export(std::string_view kind, const run& run, std::span<const record> records) {
  const auto* const wanted = std::ranges::find(formats, kind, &format::kind);
  if (wanted == formats.end())
    throw std::invalid_argument{
        fmt::format("there is no export \"{}\", only {}", kind, fmt::join(export_kinds(), ", "))};
  return wanted->write(run, records);
}

}  // namespace freshet::tool
