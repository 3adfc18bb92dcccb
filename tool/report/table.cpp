#include "report/table.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace freshet::tool {

std::string table::text() const {
  std::vector<std::size_t> widths;
  std::vector<std::string> headings;
  for (const column& heading : columns_) {
    widths.push_back(heading.heading.size());
    headings.push_back(heading.heading);
  }
  for (const auto& row : rows_)
    for (std::size_t at = 0; at < row.size(); ++at) widths[at] = std::max(widths[at], row[at].size());

  std::string text;
  const auto append = [&](const std::vector<std::string>& row) {
    std::string line;
    for (std::size_t at = 0; at < row.size(); ++at) {
      if (at != 0) line += "  ";
      line += columns_[at].flush == side::left ? fmt::format("{:<{}}", row[at], widths[at])
                                               : fmt::format("{:>{}}", row[at], widths[at]);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + '\n';
  };
  append(headings);
  for (const auto& row : rows_) append(row);
  return text;
}

}  // namespace freshet::tool
