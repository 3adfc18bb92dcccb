// Figures: what a table shows of each entry, and what JSON has of it, in one list.
#pragma once

#include <concepts>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "tool/analysis/comparison_text.hpp"
#include "tool/base/text.hpp"
#include "tool/report/table.hpp"
#include "tool/search/candidate_figures.hpp"
#include "tool/search/statistics.hpp"

namespace freshet::tool {

/// A figure of each entry of a section: a column of its table and, if it has a key, a member of its JSON.
template <typename Entry>
struct figure {
  using text_of = std::function<std::string(const Entry& entry)>;
  using json_of = std::function<nlohmann::json(const Entry& entry)>;

  // Without defaults of the members, with which g++ 12 does not compile lists of figures.
  figure(table::column of, text_of text) : column{std::move(of)}, cell{std::move(text)} {}
  figure(table::column of, text_of text, std::string_view name, json_of json)
      : column{std::move(of)}, cell{std::move(text)}, key{name}, value{std::move(json)} {}

  table::column column;
  text_of cell;  ///< empty: tables leave it out
  std::string_view key;
  json_of value;  ///< if there is a key
};

template <typename Entry>
using figures_of_entry = std::vector<figure<Entry>>;

/// The trials of an entry: it is a candidate, or has one that was measured.
[[nodiscard]] inline const candidate& measured_of(const candidate& entry) { return entry; }
template <typename Entry>
requires requires(const Entry& entry) {
  { entry.measured } -> std::convertible_to<const candidate&>;
}
[[nodiscard]] const candidate& measured_of(const Entry& entry) { return entry.measured; }

/// Returns a figure of those trials of the entry that are shown of it. Trials that lack it are left out.
template <typename Entry, typename Figure>
[[nodiscard]] std::vector<double> shown_values(const Entry& entry, Figure figure) {
  return collect(samples_to_show(measured_of(entry)), figure);
}

/// The median of a figure of the shown trials as a text; "-" if all of them lack it.
template <typename Entry, typename Figure>
[[nodiscard]] std::string median_text(const Entry& entry, Figure figure,
                                      std::string (*format)(double) = format_figure) {
  std::vector<double> values = shown_values(entry, figure);
  return values.empty() ? "-" : format(median(std::move(values)));
}

/// The range of that median; empty if it is of one trial or none.
template <typename Entry, typename Figure>
[[nodiscard]] std::string range_text(const Entry& entry, Figure figure) {
  const std::vector<double> values = shown_values(entry, figure);
  return values.size() < 2 ? "" : format_figures(estimate_median(values).range);
}

/// A column of such medians.
template <typename Entry, typename Figure>
[[nodiscard]] figure<Entry> median_figure(table::column column, Figure of,
                                          std::string (*format)(double) = format_figure) {
  return {std::move(column), [=](const Entry& entry) { return median_text(entry, of, format); }};
}

/// A column of their ranges.
template <typename Entry, typename Figure>
[[nodiscard]] figure<Entry> range_figure(table::column column, Figure of) {
  return {std::move(column), [=](const Entry& entry) { return range_text(entry, of); }};
}

/// Returns a table with a line for each of the entries, which may also be pointers to them.
template <typename Entry, typename Entries>
[[nodiscard]] table make_table(const figures_of_entry<Entry>& figures, const Entries& entries) {
  std::vector<table::column> columns;
  for (const figure<Entry>& each : figures)
    if (each.cell) columns.push_back(each.column);
  table list{std::move(columns)};
  for (const auto& item : entries) {
    std::vector<std::string> cells;
    for (const figure<Entry>& each : figures) {
      if (!each.cell) continue;
      if constexpr (std::is_pointer_v<std::remove_cvref_t<decltype(item)>>)
        cells.push_back(each.cell(*item));
      else
        cells.push_back(each.cell(item));
    }
    list.add(std::move(cells));
  }
  return list;
}

/// Returns an object with the figures that have keys.
template <typename Entry>
[[nodiscard]] nlohmann::json make_json(const figures_of_entry<Entry>& figures, const Entry& entry) {
  nlohmann::json out = nlohmann::json::object();
  for (const figure<Entry>& each : figures)
    if (!each.key.empty()) out[std::string{each.key}] = each.value(entry);
  return out;
}

}  // namespace freshet::tool
