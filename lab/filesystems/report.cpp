#include "lab/filesystems/report.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string_view>

#include "tool/analysis/comparison_text.hpp"
#include "tool/base/json_optional.hpp"
#include "tool/base/json_output.hpp"
#include "tool/base/text.hpp"
#include "tool/report/section.hpp"
#include "tool/report/verdict_report.hpp"
#include "tool/search/statistics.hpp"

namespace freshet::tool {
namespace {

constexpr std::size_t volumes_ranked = 8;

bool is_large_write(const trial_result& trial) {
  return trial.plan.workload == workload_kind::blocks && trial.plan.measured_class == io_class::at_close;
}
bool is_cold_read(const trial_result& trial) { return trial.plan.measured_class == io_class::cold; }
bool is_small_files(const trial_result& trial) { return trial.plan.workload == workload_kind::files; }
bool is_synced(const trial_result& trial) { return trial.plan.measured_class == io_class::each_write; }

// The figures of a volume's visits, by which those of `volume_figures()` are made.
using visit_figures = std::function<std::vector<double>(const surveyed_volume& volume)>;

// A figure of the usable trials of that kind.
template <typename Figure>
visit_figures of_trials(bool (*is_wanted)(const trial_result&), Figure figure) {
  return [=](const surveyed_volume& volume) {
    std::vector<const trial_result*> trials;
    for (const visit& each : volume.visits) {
      const auto trial = std::ranges::find_if(each.trials, is_wanted);
      if (trial != each.trials.end() && trial->is_usable()) trials.push_back(&*trial);
    }
    return collect(trials, [&](const trial_result* each) { return std::invoke(figure, *each); });
  };
}

visit_figures of_times(double visit_times::*which) {
  return [=](const surveyed_volume& volume) {
    return collect(volume.visits, [=](const visit& each) { return each.times.*which; });
  };
}

double files_per_second(const trial_result& trial) {
  return static_cast<double>(trial.bytes) / static_cast<double>(small_file_size) / trial.ranking_seconds();
}

double syncs_per_second(const trial_result& trial) {
  return static_cast<double>(trial.bytes) / static_cast<double>(trial.plan.block) / trial.ranking_seconds();
}

std::optional<double> device_bytes_per_byte(const trial_result& trial) {
  if (!trial.device_bytes) return {};
  return static_cast<double>(*trial.device_bytes) / static_cast<double>(trial.bytes);
}

using volume_figure = figure<surveyed_volume>;

// A median in JSON, null where no trial of its kind is usable, and `times` as much in the table.
volume_figure visit_figure(std::string_view key, std::string heading, visit_figures of_visits, double times = 1,
                           bool may_be_left_out = false) {
  const auto median_of = [of_visits = std::move(of_visits)](const surveyed_volume& volume) {
    std::vector<double> values = of_visits(volume);
    return values.empty() ? std::nullopt : std::optional{median(std::move(values))};
  };
  const auto cell = [=](const surveyed_volume& volume) {
    const std::optional<double> figure = median_of(volume);
    return figure ? format_figure(*figure * times) : "-";
  };
  return {{std::move(heading), table::side::right, false, may_be_left_out}, cell, key, median_of};
}

const std::vector<volume_figure>& volume_figures() {
  using enum table::side;
  constexpr double milli = 1000;
  static const std::vector<volume_figure> all{
      {{"", left, true}, [](const surveyed_volume& volume) { return volume.plan.volume; }},
      visit_figure("write_mb_per_second", "write MB/s", of_trials(is_large_write, &trial_result::ranking_rate)),
      visit_figure("cold_read_mb_per_second", "cold read", of_trials(is_cold_read, &trial_result::ranking_rate)),
      visit_figure("small_files_per_second", "files/s", of_trials(is_small_files, files_per_second)),
      visit_figure("syncs_per_second", "syncs/s", of_trials(is_synced, syncs_per_second)),
      visit_figure("mkfs_seconds", "mkfs ms", of_times(&visit_times::mkfs), milli),
      visit_figure("mount_seconds", "mount ms", of_times(&visit_times::mount), milli),
      visit_figure("umount_seconds", "umount ms", of_times(&visit_times::umount), milli),
      visit_figure("extents", "extents", of_trials(is_large_write, &trial_result::extents), 1, true),
      visit_figure("device_bytes_per_byte", "device B/B", of_trials(is_large_write, device_bytes_per_byte), 1, true),
      {{"visits", right, false, true}, [](const auto& volume) { return std::to_string(volume.visits.size()); }}};
  return all;
}

std::string format_figures_of(const std::vector<surveyed_volume>& volumes, const screen& look) {
  std::vector<const surveyed_volume*> visited;
  for (const surveyed_volume& volume : volumes)
    if (!volume.visits.empty()) visited.push_back(&volume);
  return make_table(volume_figures(), visited).text(look.width);
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
                                 each.place == rank_class::slower ? "" : ", perhaps by chance"));
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

// What to type for the winner: mkfs, mount, and how a program writes. Empty without a winner.
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

std::string_view describe_goal(volume_goal goal) {
  static constexpr std::array<std::string_view, 3> words{"large: a large file, until the device has it",
                                                         "small: many small files, until the device has all of them",
                                                         "durable: small blocks, each on the device before the next"};
  return words.at(static_cast<std::size_t>(goal));
}

}  // namespace

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
          {"verdict", result.verdict},
          {"aged_verdict", result.aged_verdict},
          {"volumes", result.survey},
          {"survey_ended", text_or_null(result.survey_ended)},
          {"aged", result.aged},
          {"aging_ended", text_or_null(result.aging_ended)},
          {"dropped", dropped},
          {"commands", list_commands(result, place)},
          {"prices", prices},
          {"device", text_or_null(place.device)},
          {"from_loop_file", place.device.empty()},
          {"remarks", place.remarks},
          {"seconds", result.seconds}};
}

void to_json(nlohmann::json& out, const surveyed_volume& volume) {
  out = make_json(volume_figures(), volume);
  out.update({{"volume", volume.plan.volume},
              {"plan", volume.plan},
              {"visits", volume.visits.size()},
              {"failure", text_or_null(volume.failure)}});
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

void to_json(nlohmann::json& out, const listed_kind& each) {
  out = {{"type", each.kind->type},
         {"available", each.why_not.empty()},
         {"why_not", each.why_not},
         {"unasked", each.kind->tested_by_default},
         {"remark", each.kind->remark}};
}

}  // namespace freshet::tool
