#include "tool/report/profile_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "tool/base/json_output.hpp"
#include "tool/base/text.hpp"

namespace freshet::tool {
namespace {

double rate_of(const way_figure& figure) { return 1e-6 / figure.seconds_per_byte; }

std::string describe_sizes(std::size_t block, unsigned depth) {
  std::string text;
  if (block != 0) text += " " + format_size(block);
  if (depth != 0) text += fmt::format(" x {}", depth);
  return text;
}

std::string describe_winner(const write_settings& winner) {
  return winner.method + describe_sizes(winner.block, winner.depth) + (winner.fixed ? ", to the end" : "");
}

// Where it is only what a file may change to, each file begins as without a profile.
bool begins_otherwise(const profiled_class& one) {
  if (one.opened_with.empty() || one.opened_with == one.winner->method) return false;
  const bool works = one.why_not.empty();
  return one.winner->fixed || !works || (one.opened_with != "buffered" && one.opened_with != "adaptive");
}

std::string describe_class(const profiled_class& one) {
  if (!one.winner)
    return "not measured" + (one.opened_with.empty() ? "" : "; files are opened with " + one.opened_with);
  std::string text = describe_winner(*one.winner);
  if (!one.winner->provisional.empty()) text += "; provisional: " + one.winner->provisional;
  if (!one.why_not.empty()) text += "; does not work here now: " + one.why_not;
  if (begins_otherwise(one)) text += "; files are opened with " + one.opened_with;
  return text;
}

// "kept 1605 ±3 %, given back 1500 ±5 %, past it 2510 ±12 % MB/s"; empty if nothing was measured.
std::string describe_measured(const write_settings& winner) {
  const measured_ways& measured = winner.measured;
  std::string text;
  const auto add = [&](std::string_view name, const way_figure& figure) {
    if (figure.seconds_per_byte == 0) return;
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", name, format_figure(rate_of(figure)));
    if (figure.spread > 0) text += fmt::format(" ±{:.0f} %", 100 * figure.spread);
  };
  add("kept", measured.kept);
  add("given back", measured.behind);
  add("past it", measured.past);
  if (text.empty()) return text;
  const bool is_told = measured.block == winner.block && measured.depth == winner.depth;
  const std::string sizes = is_told ? "" : describe_sizes(measured.block, measured.depth);
  return text + " MB/s" + (sizes.empty() ? "" : " (past it:" + sizes + ")");
}

std::string format_classes(const profile_inspection& inspection) {
  std::string text;
  for (const io_class each : all_classes) {
    const profiled_class& one = inspection.classes[static_cast<std::size_t>(each)];
    text += fmt::format("  {:<10}  {}\n", to_string(each), describe_class(one));
    const std::string measured = one.winner ? describe_measured(*one.winner) : "";
    if (!measured.empty()) text += fmt::format("  {:<10}  {}\n", "", measured);
  }
  return text;
}

// What the lines of classes cannot say in their place.
std::string format_legend(const profile_inspection& inspection) {
  const auto has = [&](auto wanted) {
    return std::ranges::any_of(inspection.classes,
                               [&](const profiled_class& one) { return one.winner && wanted(*one.winner); });
  };
  std::string text;
  if (has([](const write_settings& winner) { return !describe_measured(winner).empty(); }))
    text +=
        "Kept, given back: what programs get while the page cache keeps a file's pages,\n"
        "or gives them back behind the cursor; past it: by direct I/O.\n";
  if (has([](const write_settings& winner) { return !winner.fixed; }))
    text += "A large file begins in the page cache, and goes on by what is fastest.\n";
  if (has([](const write_settings& winner) { return winner.fixed; }))
    text += "To the end: every file is written or read by that method alone.\n";
  return text;
}

nlohmann::json figure_json(const way_figure& figure) {
  if (figure.seconds_per_byte == 0) return nullptr;
  return {{"mb_per_second", rate_of(figure)}, {"spread", figure.spread}, {"bytes", figure.bytes}};
}

}  // namespace

std::string format_profile(const profile_inspection& inspection) {
  std::string text = "Profile files; the first that has an entry for the file system is used:\n";
  if (inspection.places.empty()) text += "  none (FRESHET_PROFILE)\n";
  for (const auto& place : inspection.places) {
    text += fmt::format("  {}: {}\n", printable(place.path.string()),
                        place.read ? fmt::format("{} measured", place.file_systems) : "not read");
  }
  text += fmt::format("{} lies on {} ({})", printable(inspection.directory.string()), inspection.file_system.type,
                      inspection.file_system.key);
  // Within a chroot, the mount may not be seen.
  if (!inspection.file_system.mount_point.empty())
    text += fmt::format(", mounted on {} with {}", printable(inspection.file_system.mount_point),
                        inspection.file_system.mount_options);
  text += '\n';
  if (inspection.entry) {
    text += fmt::format("Its entry is from {}, measured {} with files of {}:\n", printable(inspection.from.string()),
                        inspection.entry->measured.empty() ? "at an unknown time" : inspection.entry->measured,
                        format_size(inspection.entry->size));
  } else {
    text += "It has no entry; run `freshet tune` to make one. Until then:\n";
  }
  text += format_classes(inspection);
  if (!inspection.untried.empty())
    text += fmt::format("  No file could be opened in the directory: {}\n", inspection.untried);
  text += format_legend(inspection);
  for (const auto& mark : inspection.stale)
    text +=
        fmt::format("Stale: {} was \"{}\" when measured, and is \"{}\" now\n", mark.property, mark.measured, mark.now);
  return text;
}

nlohmann::json make_ways_json(const measured_ways& measured) {
  nlohmann::json past = figure_json(measured.past);
  if (!past.is_null()) past.update({{"block", measured.block}, {"depth", measured.depth}});
  return {{"kept", figure_json(measured.kept)}, {"behind", figure_json(measured.behind)}, {"past", past}};
}

void to_json(nlohmann::json& out, const profile_inspection& inspection) {
  out = {{"directory", inspection.directory.string()},
         {"file_system",
          {{"key", inspection.file_system.key},
           {"type", inspection.file_system.type},
           {"mount_point", inspection.file_system.mount_point},
           {"mount_options", inspection.file_system.mount_options}}},
         {"kernel", inspection.kernel},
         {"entry", nullptr},
         {"untried", inspection.untried},
         {"files", make_json_array(inspection.places,
                                   [](const profile_place& each) {
                                     return nlohmann::json{{"path", each.path.string()},
                                                           {"read", each.read},
                                                           {"file_systems", each.file_systems}};
                                   })},
         {"stale", make_json_array(
                       inspection.stale,
                       [](const stale_mark& mark) {
                         return nlohmann::json{{"what", mark.property}, {"measured", mark.measured}, {"now", mark.now}};
                       })},
         {"warnings", inspection.warnings}};
  if (const auto& entry = inspection.entry)
    out["entry"] = {{"from", inspection.from.string()},      {"type", entry->type},
                    {"mount_options", entry->mount_options}, {"kernel", entry->kernel},
                    {"measured", entry->measured},           {"size", entry->size}};
  for (const io_class each : all_classes) {
    const profiled_class& one = inspection.classes[static_cast<std::size_t>(each)];
    nlohmann::json& entry = out["classes"][to_string(each)];
    entry = {{"winner", nullptr}, {"why_not", one.why_not}, {"opened_with", one.opened_with}};
    if (const auto& winner = one.winner)
      entry["winner"] = {{"method", winner->method}, {"block", winner->block},
                         {"depth", winner->depth},   {"provisional", winner->provisional},
                         {"fixed", winner->fixed},   {"measured", make_ways_json(winner->measured)}};
  }
}

}  // namespace freshet::tool
