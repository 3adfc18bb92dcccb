// A table for a terminal.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace freshet::tool {

/// Rows of cells under a heading, in columns as wide as their widest cell. Cells may have colours.
class table {
 public:
  enum class side : std::uint8_t { left, right };
  struct column {
    std::string heading;
    side flush = side::right;
    bool may_be_cut = false;  ///< where the table is too wide otherwise
  };

  explicit table(std::vector<column> columns) : columns_{std::move(columns)} {}

  /// Precondition: as many cells as columns.
  void add(std::vector<std::string> cells) { rows_.push_back(std::move(cells)); }
  /// Every line ends with a newline, and none with blanks. Where it is wider than `most` columns, its columns that may
  /// be cut are.
  [[nodiscard]] std::string text(std::size_t most = unlimited) const;
  /// Columns of the terminal that its widest line takes.
  [[nodiscard]] std::size_t width() const;

 private:
  static constexpr std::size_t unlimited = static_cast<std::size_t>(-1);
  [[nodiscard]] std::vector<std::size_t> widths() const;
  [[nodiscard]] std::vector<std::size_t> widths_within(std::size_t most) const;

  std::vector<column> columns_;
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace freshet::tool
