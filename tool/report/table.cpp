#include "tool/report/table.hpp"

#include <algorithm>
#include <numeric>

#include "tool/report/screen.hpp"

namespace freshet::tool {
namespace {

constexpr std::size_t gap = 2;        // between two columns
constexpr std::size_t least_cut = 8;  // a column is not cut below this width
constexpr std::size_t readable = 28;  // a column is not cut below this width while others may be left out

std::size_t line_width(const std::vector<std::size_t>& columns, const std::vector<std::size_t>& widths) {
  std::size_t width = 0;
  for (const std::size_t i : columns) width += widths[i] + (width == 0 && i == columns.front() ? 0 : gap);
  return width;
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

table::numbers table::columns_within(numbers widths, std::size_t most) const {
  numbers columns = first_numbers(columns_.size());
  for (const std::size_t i : columns)
    if (columns_[i].may_be_cut) widths[i] = std::min(widths[i], readable);
  for (std::size_t i = columns.size(); i-- > 0 && line_width(columns, widths) > most;)
    if (columns_[i].may_be_left_out) std::erase(columns, i);
  return columns;
}

void table::cut(const numbers& columns, numbers& widths, std::size_t most) const {
  for (const std::size_t i : columns) {
    const std::size_t line = line_width(columns, widths);
    if (!columns_[i].may_be_cut || line <= most || widths[i] <= least_cut) continue;
    widths[i] -= std::min(line - most, widths[i] - least_cut);
  }
}

std::size_t table::width() const { return line_width(first_numbers(columns_.size()), widths()); }

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

std::string table::text(std::size_t most) const {
  numbers widths = this->widths();
  const numbers columns = columns_within(widths, most);
  cut(columns, widths, most);
  return lines(columns, widths);
}

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
        width = line_width(part, all) + gap;
      }
      part.push_back(i);
    }
    width += all[i] + gap;
  }
  return text + lines(part, all);
}

}  // namespace freshet::tool
