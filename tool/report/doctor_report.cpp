#include "tool/report/doctor_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "tool/base/json_optional.hpp"
#include "tool/base/json_output.hpp"
#include "tool/base/text.hpp"

namespace freshet::tool {
namespace {

// Precondition: it is not fine.
std::string mark_of(severity weight, const screen& look) {
  return weight == severity::matters ? painted("!", colour::bad, look) : painted("?", colour::doubtful, look);
}

std::string format_finding(const finding& each, const screen& look) {
  if (each.weight == severity::fine) {
    const std::string evidence = each.evidence.empty() ? "" : fmt::format(" [{}]", each.evidence);
    return "  " + wrapped(replace_controls(each.text + evidence), 4, text_width() - 2);
  }
  std::string text = wrapped(fmt::format("{} {}", mark_of(each.weight, look), replace_controls(each.text)));
  text += "  " + wrapped("seen in: " + replace_controls(each.evidence), 4, text_width() - 2);
  if (!each.remedy.empty()) text += "  " + wrapped("to do: " + replace_controls(each.remedy), 4, text_width() - 2);
  return text;
}

std::ptrdiff_t count(const std::vector<finding>& findings, severity weight) {
  return std::ranges::count(findings, weight, &finding::weight);
}

std::string format_heading(const machine_facts& facts, const std::vector<finding>& findings) {
  const auto matter = static_cast<std::uint64_t>(count(findings, severity::matters));
  const auto may = static_cast<std::uint64_t>(count(findings, severity::may_matter));
  const storage_facts& storage = facts.storage;
  std::string place = storage.directory.string();
  if (!storage.place.type.empty()) place += fmt::format(" ({}", storage.place.type);
  for (std::size_t i = 0; i < storage.devices.size(); ++i)
    place += fmt::format("{}{}", i == 0 ? " on " : " over ", storage.devices[i].name);
  if (!storage.place.type.empty()) place += ")";
  place = replace_controls(place);
  if (matter + may == 0) return fmt::format("Nothing found that distorts measurements in {}.", place);
  if (matter == 0)
    return fmt::format("Nothing found that certainly distorts measurements in {}; {} may.", place,
                       format_count(may, "thing"));
  return fmt::format("{} {} measurements in {}{}.", format_count(matter, "thing"), matter == 1 ? "distorts" : "distort",
                     place, may == 0 ? "" : fmt::format("; {} more may", may));
}

std::string format_unseen(const std::vector<unseen_fact>& unseen) {
  if (unseen.empty()) return {};
  std::string text = "\nCould not be seen:\n";
  for (const unseen_fact& each : unseen)
    text += "  " + wrapped(replace_controls(fmt::format("{}: {}", each.subject, each.reason)), 4, text_width() - 2);
  return text;
}

nlohmann::json make_json(const measured_facts& measured) {
  const bool touched = measured.touch.fresh > 0;
  return {{"seconds", measured.seconds},
          {"busy_others", measured.busy_others},
          {"read_by_others", measured.read_by_others},
          {"written_by_others", measured.written_by_others},
          {"swapped_pages", measured.swapped_pages},
          {"stolen", measured.stolen},
          {"first_touch_fresh", touched ? nlohmann::json(measured.touch.fresh) : nlohmann::json(nullptr)},
          {"first_touch_reused", touched ? nlohmann::json(measured.touch.reused) : nlohmann::json(nullptr)},
          {"flush_seconds", measured.flush ? nlohmann::json(measured.flush->median) : nlohmann::json(nullptr)}};
}

}  // namespace

std::string format_findings(const machine_facts& facts, const std::vector<finding>& findings, const screen& look,
                            bool details) {
  std::string text = wrapped(format_heading(facts, findings), 0);
  bool told_of_fine = false;
  for (const finding& each : findings) {
    const bool fine = each.weight == severity::fine;
    if (fine && !details) continue;
    if (fine && !told_of_fine) text += "\nChecked, and fine:\n";
    told_of_fine = told_of_fine || fine;
    text += (fine ? "" : "\n") + format_finding(each, look);
  }
  text += format_unseen(facts.unseen);
  const std::ptrdiff_t fine = count(findings, severity::fine);
  if (!details && fine != 0)
    text += fmt::format("\n{} fine: --details.\n", fine == 1 ? "1 thing is" : fmt::format("{} things are", fine));
  return text;
}

std::string format_distortions(const std::vector<finding>& findings) {
  const std::string summary = summarize(findings);
  return summary.empty() ? "" : wrapped(fmt::format("Distorted by: {} (freshet doctor says more).", summary), 2);
}

void to_json(nlohmann::json& out, const finding& each) {
  out = {{"severity", to_string(each.weight)}, {"topic", each.topic},  {"summary", each.summary}, {"text", each.text},
         {"evidence", each.evidence},          {"remedy", each.remedy}};
}

nlohmann::json make_json(const machine_facts& facts, const std::vector<finding>& findings) {
  const auto describe_unseen = [](const unseen_fact& each) {
    return nlohmann::json{{"subject", each.subject}, {"reason", each.reason}};
  };
  return {{"directory", facts.storage.directory.string()},
          {"file_system", facts.storage.place.type},
          {"mount_options", facts.storage.place.mount_options},
          {"devices", make_json_array(facts.storage.devices, &block_device::name)},
          {"distorted", count(findings, severity::matters) != 0},
          {"findings", findings},
          {"measured", facts.measured ? make_json(*facts.measured) : nlohmann::json(nullptr)},
          {"unseen", make_json_array(facts.unseen, describe_unseen)}};
}

}  // namespace freshet::tool
