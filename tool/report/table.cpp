#include "tool/report/table.hpp"

#include <algorithm>
#include <numeric>

#include "tool/report/screen.hpp"

namespace freshet::tool {

namespace {

constexpr std::size_t gap = 2;        // between two columns
constexpr std::size_t least_cut = 8;  // columns that are left of what is cut

std::size_t line_width(const std::vector<std::size_t>& widths) {
  return std::accumulate(widths.begin(), widths.end(), widths.empty() ? 0 : gap * (widths.size() - 1));
}

std::string aligned(const std::string& cell, std::size_t width, table::side flush) {
  const std::string shown = display_width(cell) > width ? shortened(cell, width) : cell;
  const std::string blanks(width - display_width(shown), ' ');
  return flush == table::side::left ? shown + blanks : blanks + shown;
}

}  // namespace

std::vector<std::size_t> table::widths() const {
  std::vector<std::size_t> all;
  for (const column& heading : columns_) all.push_back(display_width(heading.heading));
  for (const auto& row : rows_)
    for (std::size_t at = 0; at < row.size(); ++at) all[at] = std::max(all[at], display_width(row[at]));
  return all;
}

std::vector<std::size_t> table::widths_within(std::size_t most) const {
  std::vector<std::size_t> all = widths();
  for (std::size_t at = 0; at < all.size(); ++at) {
    const std::size_t line = line_width(all);
    if (!columns_[at].may_be_cut || line <= most || all[at] <= least_cut) continue;
    all[at] -= std::min(line - most, all[at] - least_cut);
  }
  return all;
}

std::size_t table::width() const { return line_width(widths()); }

std::string table::text(std::size_t most) const {
  const std::vector<std::size_t> widths = widths_within(most);
  std::vector<std::string> headings;
  for (const column& heading : columns_) headings.push_back(heading.heading);
  std::string text;
  const auto append = [&](const std::vector<std::string>& row) {
    std::string line;
    for (std::size_t at = 0; at < row.size(); ++at) {
      if (at != 0) line.append(gap, ' ');
      line += aligned(row[at], widths[at], columns_[at].flush);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + '\n';
  };
  append(headings);
  for (const auto& row : rows_) append(row);
  return text;
}

}  // namespace freshet::tool
