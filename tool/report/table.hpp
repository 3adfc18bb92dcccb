// A table for a terminal.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace freshet::tool {

/// Rows of cells under a heading, in columns as wide as their widest cell. Cells may contain colours.
class table {
 public:
  enum class side : std::uint8_t { left, right };
  struct column {
    std::string heading;
    side flush = side::right;
    bool may_be_cut = false;       ///< if the table is too wide otherwise
    bool may_be_left_out = false;  ///< the last one first, before others are cut beyond recognition
  };

  explicit table(std::vector<column> columns) : columns_{std::move(columns)} {}

  /// Precondition: as many cells as columns.
  void add(std::vector<std::string> cells) { rows_.push_back(std::move(cells)); }
  /// Returns the table as lines that end with a newline and not with blanks. If it is wider than `most` columns of the
  /// terminal, the columns that may be cut are cut, and those that may be left out are left out where that is not
  /// enough.
  [[nodiscard]] std::string text(std::size_t most = unlimited) const;
  /// Returns the table, or, if it is wider than `most`, several, each of which begins with the first `lead` columns.
  [[nodiscard]] std::string folded(std::size_t lead, std::size_t most = 80) const;
  /// Returns the width of its widest line.
  [[nodiscard]] std::size_t width() const;

 private:
  static constexpr std::size_t unlimited = static_cast<std::size_t>(-1);
  using numbers = std::vector<std::size_t>;
  [[nodiscard]] numbers widths() const;
  [[nodiscard]] numbers columns_within(numbers widths, std::size_t most) const;
  void cut(const numbers& columns, numbers& widths, std::size_t most) const;
  [[nodiscard]] std::string lines(const numbers& columns, const numbers& widths) const;

  std::vector<column> columns_;
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace freshet::tool
