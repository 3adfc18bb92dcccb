#include "tool/export/exports.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <stdexcept>

#include "tool/export/formats.hpp"

namespace freshet::tool {
namespace {

struct format {
  std::string_view kind;
  std::string (*write)(const run& about, std::span<const record> made);
};

constexpr std::array formats{format{"hyperfine", hyperfine_export}, format{"fio", fio_export},
                             format{"benchmark", benchmark_export}, format{"csv", csv_export},
                             format{"markdown", markdown_export}};

}  // namespace

std::vector<std::string> export_kinds() {
  std::vector<std::string> kinds;
  for (const format& each : formats) kinds.emplace_back(each.kind);
  return kinds;
}

std::string exported(std::string_view kind, const run& about, std::span<const record> made) {
  const auto* const wanted = std::ranges::find(formats, kind, &format::kind);
  if (wanted == formats.end())
    throw std::invalid_argument{
        fmt::format("there is no export \"{}\", only {}", kind, fmt::join(export_kinds(), ", "))};
  return wanted->write(about, made);
}

}  // namespace freshet::tool
