#include "tool/report/filesystems_report.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string_view>

#include "tool/analysis/comparison_text.hpp"
#include "tool/base/json_optional.hpp"
#include "tool/base/text.hpp"
#include "tool/report/table.hpp"
#include "tool/report/verdict_report.hpp"
#include "tool/search/statistics.hpp"

namespace freshet::tool {
namespace {

constexpr std::size_t volumes_ranked = 8;

/// The median figures of a volume's visits; empty where no trial of a kind is usable.
struct volume_figures {
  std::optional<double> mkfs, mount, umount;  ///< seconds
  std::optional<double> write, read;          ///< MB/s
  std::optional<double> extents;              ///< of the large file
  std::optional<double> device_bytes;         ///< per byte of it
  std::optional<double> files;                ///< small files per second
  std::optional<double> syncs;                ///< durable blocks per second
};

template <typename Figure>
std::optional<double> median_of_visits(const surveyed_volume& volume, Figure figure) {
  std::vector<double> values;
  for (const visit& each : volume.visits)
    if (const std::optional<double> value = figure(each)) values.push_back(*value);
  return values.empty() ? std::nullopt : std::optional{median(std::move(values))};
}

bool is_large_write(const trial_result& trial) {
  return trial.plan.workload == workload_kind::blocks && trial.plan.measured_class == io_class::at_close;
}
bool is_cold_read(const trial_result& trial) { return trial.plan.measured_class == io_class::cold; }
bool is_small_files(const trial_result& trial) { return trial.plan.workload == workload_kind::files; }
bool is_synced(const trial_result& trial) { return trial.plan.measured_class == io_class::each_write; }

// The figure of the visit's trial of that kind, if it is usable.
template <typename Figure>
auto of_trial(bool (*is_wanted)(const trial_result&), Figure figure) {
  return [=](const visit& each) -> std::optional<double> {
    const auto trial = std::ranges::find_if(each.trials, is_wanted);
    if (trial == each.trials.end() || !trial->is_usable()) return {};
    return figure(*trial);
  };
}

std::optional<double> count_of(const std::optional<std::uint64_t>& count, double per = 1) {
  return count ? std::optional{static_cast<double>(*count) / per} : std::nullopt;
}

double pieces_per_second(const trial_result& trial, double piece) {
  return static_cast<double>(trial.bytes) / piece / trial.ranking_seconds();
}

volume_figures compute_figures(const surveyed_volume& volume) {
  const auto rate = [](const trial_result& trial) { return std::optional{trial.ranking_rate()}; };
  const auto time = [&](double visit_times::*which) {
    return median_of_visits(volume, [=](const visit& each) { return std::optional{each.times.*which}; });
  };
  return {
      .mkfs = time(&visit_times::mkfs),
      .mount = time(&visit_times::mount),
      .umount = time(&visit_times::umount),
      .write = median_of_visits(volume, of_trial(is_large_write, rate)),
      .read = median_of_visits(volume, of_trial(is_cold_read, rate)),
      .extents = median_of_visits(
          volume, of_trial(is_large_write, [](const trial_result& trial) { return count_of(trial.extents); })),
      .device_bytes = median_of_visits(volume, of_trial(is_large_write,
                                                        [](const trial_result& trial) {
                                                          return count_of(trial.device_bytes,
                                                                          static_cast<double>(trial.bytes));
                                                        })),
      .files = median_of_visits(volume, of_trial(is_small_files,
                                                 [](const trial_result& trial) {
                                                   return std::optional{
                                                       pieces_per_second(trial, static_cast<double>(small_file_size))};
                                                 })),
      .syncs = median_of_visits(volume, of_trial(is_synced, [](const trial_result& trial) {
                                  return std::optional{pieces_per_second(trial, static_cast<double>(trial.plan.block))};
                                }))};
}

std::string figure_or_nothing(const std::optional<double>& value, double times = 1) {
  return value ? format_figure(*value * times) : "-";
}

std::string format_figures_of(const std::vector<surveyed_volume>& volumes, const screen& look) {
  using enum table::side;
  constexpr double milli = 1000;
  table list{{{"", left, true},
              {"write MB/s"},
              {"cold read"},
              {"files/s"},
              {"syncs/s"},
              {"mkfs ms"},
              {"mount ms"},
              {"umount ms"},
              {"extents", right, false, true},
              {"device B/B", right, false, true},
              {"visits", right, false, true}}};
  for (const surveyed_volume& each : volumes) {
    if (each.visits.empty()) continue;
    const volume_figures figures = compute_figures(each);
    list.add({each.plan.volume, figure_or_nothing(figures.write), figure_or_nothing(figures.read),
              figure_or_nothing(figures.files), figure_or_nothing(figures.syncs),
              figure_or_nothing(figures.mkfs, milli), figure_or_nothing(figures.mount, milli),
              figure_or_nothing(figures.umount, milli), figure_or_nothing(figures.extents),
              figure_or_nothing(figures.device_bytes), std::to_string(each.visits.size())});
  }
  return list.text(look.width);
}

// "That is 12300 files a second."
std::string translate_rate(const volume_search_result& result) {
  const ranked_candidate& pick = result.verdict.ranking.front();
  const double bytes_per_second = pick.rate.value * 1e6;
  switch (result.goal) {
    case volume_goal::large:
      return {};
    case volume_goal::small:
      return wrapped(fmt::format("That is {} files of {} a second, until the device has them.",
                                 format_figure(bytes_per_second / static_cast<double>(small_file_size)),
                                 format_size(small_file_size)));
    case volume_goal::durable:
      return wrapped(fmt::format("That is {} blocks of {} a second, each on the device before the next.",
                                 format_figure(bytes_per_second / static_cast<double>(pick.plan.block)),
                                 format_size(pick.plan.block)));
  }
  return {};
}

std::string type_of(const trial_plan& plan) { return parse_volume(plan.volume).type; }

// How the best of each other type compares: "ext4 is 1.12 x slower (1.05-1.20)".
std::string compare_types(const class_verdict& verdict) {
  std::set<std::string> known{type_of(verdict.ranking.front().plan)};
  std::vector<std::string> others;
  for (const ranked_candidate& each : verdict.ranking) {
    if (!known.insert(type_of(each.plan)).second) continue;
    others.push_back(fmt::format("{} is {}{}", type_of(each.plan), format_gain(each.to_leader),
                                 each.place == standing::slower ? "" : ", perhaps by chance"));
  }
  return others.empty() ? "" : wrapped(fmt::format("The best of each other file system: {}.", fmt::join(others, "; ")));
}

std::string describe_certainty_of(const volume_place& place) {
  if (!place.device.empty()) return wrapped(fmt::format("Measured on {}.", place.device));
  return wrapped(fmt::format(
      "Measured in a file on {}, through a loop device with direct I/O: that file system and its disk take part "
      "in every figure, so a device of its own may rank them differently (--device).",
      place.below));
}

// Which volumes were not visited, and why; `done` is what a visit would have made of them.
std::string describe_unvisited(const std::vector<surveyed_volume>& volumes, std::string_view done,
                               const std::string& reason) {
  std::vector<std::string_view> names;
  for (const surveyed_volume& each : volumes) {
    if (!each.visits.empty() || !each.failure.empty()) continue;
    const std::string_view name = each.plan.volume;
    names.push_back(is_aged(name) ? name.substr(0, name.size() - aged_suffix.size()) : name);
  }
  return names.empty() ? "" : wrapped(fmt::format("Not {}, because {}: {}.", done, reason, fmt::join(names, "; ")));
}

// Whether the pick still leads.
std::string describe_aged_pick(const volume_search_result& result) {
  const std::vector<ranked_candidate>& ranking = result.aged_beside_pick.ranking;
  if (ranking.empty()) return result.aged.front().visits.empty() ? "" : wrapped("The pick has no valid trial aged.");
  const trial_plan& leader = result.aged_verdict.ranking.front().plan;
  if (leader == ranking.front().plan)
    return ranking.size() == 1 ? "" : wrapped("The pick stays the pick when it is aged.");
  const comparison against = inverted(std::ranges::find(ranking, leader, &ranked_candidate::plan)->to_leader);
  return wrapped(fmt::format("Aged, the pick is {} than {}{}.", format_gain(against), describe(leader),
                             against.result == outcome::worse ? "" : ", perhaps by chance"));
}

std::string format_aged(const volume_search_result& result, const screen& look) {
  if (result.aged.empty()) return {};
  std::string text = fmt::format("\n== aged: filled to {:.0f} %, twice half of the files deleted and filled again\n",
                                 100 * aged_share);
  if (!result.aged_beside_pick.ranking.empty())
    text += format_ranking(result.aged_beside_pick, look, format_plan_name, volumes_ranked);
  if (!result.aged_candidates.empty()) text += format_figures_of(result.aged, look);
  return text + describe_aged_pick(result) + describe_unvisited(result.aged, "aged", result.aging_ended);
}

std::string format_commands(const volume_search_result& result, const volume_place& place) {
  std::string text = "\nTo create it:\n";
  for (const std::string& line : list_commands(result, place)) text += "  " + line + "\n";
  for (const std::string& drawback : drawbacks_of(parse_volume(result.verdict.ranking.front().plan.volume)))
    text += wrapped("Drawback: " + drawback + ".");
  return text;
}

std::string format_dropped(const volume_search_result& result) {
  std::string text;
  for (const candidate& each : result.candidates)
    if (each.trials.empty() && !each.dropped.empty()) text += wrapped(fmt::format("Left out: {}", each.dropped));
  for (const surveyed_volume& each : result.survey)
    if (!each.failure.empty()) text += wrapped(fmt::format("Not surveyed: {}", each.failure));
  for (const surveyed_volume& each : result.aged)
    if (!each.failure.empty()) text += wrapped(fmt::format("Not aged: {}", each.failure));
  return text;
}

nlohmann::json text_or_null(const std::string& text) {
  return text.empty() ? nlohmann::json(nullptr) : nlohmann::json(text);
}

nlohmann::json make_json(const surveyed_volume& volume) {
  const volume_figures figures = compute_figures(volume);
  return {{"volume", volume.plan.volume},
          {"plan", volume.plan},
          {"visits", volume.visits.size()},
          {"mkfs_seconds", figures.mkfs},
          {"mount_seconds", figures.mount},
          {"umount_seconds", figures.umount},
          {"write_mb_per_second", figures.write},
          {"cold_read_mb_per_second", figures.read},
          {"extents", figures.extents},
          {"device_bytes_per_byte", figures.device_bytes},
          {"small_files_per_second", figures.files},
          {"syncs_per_second", figures.syncs},
          {"failure", text_or_null(volume.failure)}};
}

nlohmann::json make_json(const std::vector<surveyed_volume>& volumes) {
  nlohmann::json all = nlohmann::json::array();
  for (const surveyed_volume& each : volumes) all.push_back(make_json(each));
  return all;
}

std::string_view describe_goal(volume_goal goal) {
  static constexpr std::array<std::string_view, 3> words{"large: a large file, until the device has it",
                                                         "small: many small files, until the device has all of them",
                                                         "durable: small blocks, each on the device before the next"};
  return words.at(static_cast<std::size_t>(goal));
}

}  // namespace

std::vector<std::string> list_commands(const volume_search_result& result, const volume_place& place) {
  if (result.verdict.ranking.empty()) return {};
  const trial_plan& pick = result.verdict.ranking.front().plan;
  const std::string device = place.device.empty() ? "DEVICE" : place.device;
  std::vector<std::string> lines = commands_for(parse_volume(pick.volume), device, "DIRECTORY");
  for (std::string& line : lines) line.insert(0, "sudo ");
  if (result.goal != volume_goal::small)
    lines.push_back(fmt::format("freshet tune DIRECTORY    # {} led here", pick.method));
  return lines;
}

std::string format_volume_search(const volume_search_result& result, const volume_place& place, const screen& look,
                                 bool details) {
  const class_verdict& verdict = result.verdict;
  std::string text;
  if (verdict.ranking.empty()) {
    text = "No trial was valid, so there is no verdict.\n" + format_oddities(verdict);
  } else {
    text = format_answer(verdict, look, format_plan_name) + translate_rate(result) + compare_types(verdict) +
           describe_certainty_of(place) + fmt::format("\n== {}\n", describe_goal(result.goal)) +
           format_ranking(verdict, look, format_plan_name, details ? verdict.ranking.size() : volumes_ranked) +
           format_remarks(verdict, format_plan_name);
    if (details) text += format_measured_figures(verdict, look, format_plan_name) + format_oddities(verdict);
    if (!result.survey.empty())
      text += "\n== all figures: medians, each volume with the method that led on it; reading by buffered\n" +
              format_figures_of(result.survey, look) +
              describe_unvisited(result.survey, "surveyed", result.survey_ended);
    text += format_aged(result, look) + format_commands(result, place);
  }
  text += format_dropped(result);
  for (const std::string& remark : place.remarks) text += wrapped(remark);
  return text;
}

nlohmann::json make_json(const volume_search_result& result, const volume_place& place) {
  nlohmann::json dropped = nlohmann::json::array();
  for (const candidate& each : result.candidates)
    if (!each.dropped.empty()) dropped.push_back({{"plan", each.plan}, {"reason", each.dropped}});
  nlohmann::json prices = nlohmann::json::array();
  if (!result.verdict.ranking.empty()) prices = drawbacks_of(parse_volume(result.verdict.ranking.front().plan.volume));
  return {{"goal", to_string(result.goal)},
          {"verdict", make_json(result.verdict)},
          {"aged_verdict", make_json(result.aged_verdict)},
          {"volumes", make_json(result.survey)},
          {"survey_ended", text_or_null(result.survey_ended)},
          {"aged", make_json(result.aged)},
          {"aging_ended", text_or_null(result.aging_ended)},
          {"dropped", dropped},
          {"commands", list_commands(result, place)},
          {"prices", prices},
          {"device", text_or_null(place.device)},
          {"from_loop_file", place.device.empty()},
          {"remarks", place.remarks},
          {"seconds", result.seconds}};
}

std::string format_kinds(const std::vector<listed_kind>& kinds, const screen& look) {
  using enum table::side;
  table list{{{"FILE SYSTEM", left}, {"WORKS", left}, {"UNASKED", left}, {"", left, true}}};
  for (const listed_kind& each : kinds)
    list.add({std::string{each.kind->type}, each.why_not.empty() ? "yes" : "no",
              each.kind->tested_by_default ? "yes" : "no",
              each.why_not.empty() ? std::string{each.kind->remark} : each.why_not});
  return list.text(look.width);
}

nlohmann::json make_json(const std::vector<listed_kind>& kinds) {
  nlohmann::json all = nlohmann::json::array();
  for (const listed_kind& each : kinds)
    all.push_back({{"type", each.kind->type},
                   {"available", each.why_not.empty()},
                   {"why_not", each.why_not},
                   {"unasked", each.kind->tested_by_default},
                   {"remark", each.kind->remark}});
  return all;
}

}  // namespace freshet::tool
