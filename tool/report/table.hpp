// A table for a terminal.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace freshet::tool {

/// Rows of cells under a heading, in columns as wide as their widest cell.
class table {
 public:
  enum class side : std::uint8_t { left, right };
  struct column {
    std::string heading;
    side flush = side::right;
  };

  explicit table(std::vector<column> columns) : columns_{std::move(columns)} {}

  /// Precondition: as many cells as columns.
  void add(std::vector<std::string> cells) { rows_.push_back(std::move(cells)); }
  /// Every line ends with a newline, and none with blanks.
  [[nodiscard]] std::string text() const;

 private:
  std::vector<column> columns_;
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace freshet::tool
