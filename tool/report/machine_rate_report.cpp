#include "tool/report/machine_rate_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <nlohmann/json.hpp>
#include <utility>

#include "tool/analysis/verdict_text.hpp"
#include "tool/base/clock.hpp"
#include "tool/base/text.hpp"
#include "tool/report/screen.hpp"

namespace freshet::tool {
namespace {

constexpr std::uint64_t least_waiting = 1'000'000;  // bytes: less is not worth a word

// "12 Jun", or "12 Jun 2025" if today is in another year. Precondition: `utc` is ISO 8601.
std::string format_day(const std::string& utc, std::string_view today) {
  const std::chrono::sys_days days =
      std::chrono::floor<std::chrono::days>(std::chrono::sys_seconds{std::chrono::seconds{seconds_since_1970(utc)}});
  const std::chrono::year_month_day date{days};
  static constexpr std::array<std::string_view, 12> months{"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                                           "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
  const std::string day =
      fmt::format("{} {}", static_cast<unsigned>(date.day()), months.at(static_cast<unsigned>(date.month()) - 1));
  const std::string year = utc.substr(0, 4);
  return today.starts_with(year) ? day : day + " " + year;
}

// "730 MB", "1.2 GB": powers of ten, as rates have them.
std::string format_bytes(std::uint64_t bytes) {
  constexpr double gigabyte = 1e9;
  const auto size = static_cast<double>(bytes);
  return size >= gigabyte ? fmt::format("{:.1f} GB", size / gigabyte) : format_figure(size / 1e6) + " MB";
}

std::string describe_share(const machine_share& share, std::string_view who) {
  if (share.waiting >= least_waiting)
    return fmt::format("; {} is faster: {} wait in memory", who, format_bytes(share.waiting));
  return fmt::format("; {} gets {:.0f} %{}", who, std::min(100 * share.share, 100.0),
                     share.forms_lines ? ", forming lines the rest" : " of it");
}

}  // namespace

machine_figures make_machine_figures(const std::optional<machine_rate>& machine, std::string who,
                                     std::span<const trial_result* const> trials) {
  machine_figures figures{.machine = machine, .who = std::move(who)};
  if (machine) figures.share = compare_with_machine(*machine, trials);
  return figures;
}

std::string format_machine_figures(const machine_figures& figures, std::string_view today) {
  if (!figures.machine) return {};
  return wrapped(fmt::format("The disk takes {} ({}){}.", format_rate(figures.machine->rate),
                             format_day(figures.machine->measured, today),
                             figures.share ? describe_share(*figures.share, figures.who) : ""));
}

void to_json(nlohmann::json& out, const machine_figures& figures) {
  out = nullptr;
  if (!figures.machine) return;
  out = *figures.machine;
  const std::optional<machine_share>& share = figures.share;
  out["share"] = share ? nlohmann::json(share->share) : nullptr;
  out["waiting_bytes"] = share ? nlohmann::json(share->waiting) : nullptr;
  out["forms_lines"] = share ? nlohmann::json(share->forms_lines) : nullptr;
}

}  // namespace freshet::tool
