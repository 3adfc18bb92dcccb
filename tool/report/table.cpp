#include "tool/report/table.hpp"

#include <algorithm>
#include <numeric>

#include "tool/report/screen.hpp"

namespace freshet::tool {
namespace {

constexpr std::size_t gap = 2;        // between two columns
constexpr std::size_t least_cut = 8;  // a column is not cut below this width

std::size_t line_width(const std::vector<std::size_t>& widths) {
  return std::accumulate(widths.begin(), widths.end(), widths.empty() ? 0 : gap * (widths.size() - 1));
}

std::string aligned(const std::string& cell, std::size_t width, table::side flush) {
  const std::string shown = display_width(cell) > width ? shortened(cell, width) : cell;
  const std::string blanks(width - display_width(shown), ' ');
  return flush == table::side::left ? shown + blanks : blanks + shown;
}

std::vector<std::size_t> first_numbers(std::size_t count) {
  std::vector<std::size_t> numbers(count);
  std::iota(numbers.begin(), numbers.end(), std::size_t{0});
  return numbers;
}

}  // namespace

table::numbers table::widths() const {
  numbers all;
  for (const column& each : columns_) all.push_back(display_width(each.heading));
  for (const auto& row : rows_)
    for (std::size_t i = 0; i < row.size(); ++i) all[i] = std::max(all[i], display_width(row[i]));
  return all;
}

table::numbers table::widths_within(std::size_t most) const {
  numbers all = widths();
  for (std::size_t i = 0; i < all.size(); ++i) {
    const std::size_t line = line_width(all);
    if (!columns_[i].may_be_cut || line <= most || all[i] <= least_cut) continue;
    all[i] -= std::min(line - most, all[i] - least_cut);
  }
  return all;
}

std::size_t table::width() const { return line_width(widths()); }

std::string table::lines(const numbers& columns, const numbers& widths) const {
  std::vector<std::string> headings;
  for (const column& each : columns_) headings.push_back(each.heading);
  std::string text;
  const auto append = [&](const std::vector<std::string>& row) {
    std::string line;
    for (const std::size_t i : columns) {
      if (!line.empty() || i != columns.front()) line.append(gap, ' ');
      line += aligned(row[i], widths[i], columns_[i].flush);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + '\n';
  };
  append(headings);
  for (const auto& row : rows_) append(row);
  return text;
}

std::string table::text(std::size_t most) const { return lines(first_numbers(columns_.size()), widths_within(most)); }

std::string table::folded(std::size_t lead, std::size_t most) const {
  const numbers all = widths();
  std::string text;
  numbers part = first_numbers(lead);
  std::size_t width = 0;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (i >= lead) {
      if (part.size() > lead && width + all[i] > most) {
        text += lines(part, all);
        part.resize(lead);
        width = line_width({all.begin(), all.begin() + static_cast<std::ptrdiff_t>(lead)}) + gap;
      }
      part.push_back(i);
    }
    width += all[i] + gap;
  }
  return text + lines(part, all);
}

}  // namespace freshet::tool
