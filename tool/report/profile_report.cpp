#include "tool/report/profile_report.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "tool/base/json_output.hpp"
#include "tool/base/text.hpp"

namespace freshet::tool {
namespace {

std::string describe_winner(const write_settings& winner) {
  std::string text = winner.method;
  if (winner.block != 0) text += " " + format_size(winner.block);
  if (winner.depth != 0) text += fmt::format(" x {}", winner.depth);
  return text;
}

std::string describe_class(const profiled_class& one) {
  if (!one.winner)
    return "not measured" + (one.opened_with.empty() ? "" : "; files are opened with " + one.opened_with);
  std::string text = describe_winner(*one.winner);
  if (!one.winner->provisional.empty()) text += "; provisional: " + one.winner->provisional;
  if (!one.why_not.empty()) text += "; does not work here now: " + one.why_not;
  if (!one.opened_with.empty() && one.opened_with != one.winner->method)
    text += "; files are opened with " + one.opened_with;
  return text;
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
  for (const io_class each : all_classes) {
    text += fmt::format("  {:<10}  {}\n", to_string(each),
                        describe_class(inspection.classes[static_cast<std::size_t>(each)]));
  }
  if (!inspection.untried.empty())
    text += fmt::format("  No file could be opened in the directory: {}\n", inspection.untried);
  for (const auto& mark : inspection.stale)
    text +=
        fmt::format("Stale: {} was \"{}\" when measured, and is \"{}\" now\n", mark.property, mark.measured, mark.now);
  return text;
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
      entry["winner"] = {{"method", winner->method},
                         {"block", winner->block},
                         {"depth", winner->depth},
                         {"provisional", winner->provisional}};
  }
}

}  // namespace freshet::tool
