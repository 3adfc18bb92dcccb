// What a writetest shows: a line for each write as it ends, then averages. MB are 2^20 bytes here, as in the program of
// that name.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

#include "tool/report/screen.hpp"
#include "tool/trial/series.hpp"
#include "tool/trial/trial.hpp"

namespace freshet::tool {

/// In turn, each round; or all rounds of one method, then those of the next.
enum class write_phase : std::uint8_t { cycle, sequential };

[[nodiscard]] std::string_view to_string(write_phase what);

/// The name that the command has for a plan's method: "genio" for `buffered`.
[[nodiscard]] std::string writetest_name(const trial_plan& plan);

/// The lines of writes, in columns that fit all of `rows`.
class write_lines {
 public:
  explicit write_lines(std::span<const measured_plan> rows);

  [[nodiscard]] std::string heading() const;
  /// What became of the last trial of `row`: its figures, and what is wrong with it; or why there is none.
  /// @param round  such as "2/3"
  [[nodiscard]] std::string line(write_phase phase, const measured_plan& row, std::string_view round,
                                 const screen& look) const;

 private:
  std::size_t name_width_;
};

/// The averages of one phase, with how far they spread. Rows without a valid trial have a "!".
[[nodiscard]] std::string writetest_averages(write_phase phase, std::span<const measured_plan> rows,
                                             const screen& look);
/// The same; an array.
[[nodiscard]] nlohmann::json averages_in_json(std::span<const measured_plan> rows);

}  // namespace freshet::tool
