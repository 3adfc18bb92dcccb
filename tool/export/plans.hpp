// Groups the records of a run by plan: most formats have one entry for all repetitions of a plan.
#pragma once

#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "tool/analysis/counting.hpp"
#include "tool/search/statistics.hpp"
#include "tool/store/record.hpp"

namespace freshet::tool {

/// The trials of one plan, in the order in which they were measured.
struct repeated_plan {
  std::vector<const record*> trials;                                         ///< all; at least one
  std::vector<const record*> counted;                                        ///< those that count in figures
  std::vector<std::pair<const record*, std::vector<std::string>>> left_out;  ///< the others, with the reasons

  [[nodiscard]] const record& first() const { return *trials.front(); }
  /// Returns a figure of each trial that counts.
  template <typename Figure>
  [[nodiscard]] std::vector<double> collect(Figure figure) const {
    return tool::collect(counted, [&](const record* each) { return std::invoke(figure, each->figures); });
  }
};

/// Groups records by plan, sorted by class, then by workload, then by the median rate of the trials that count, the
/// fastest first.
[[nodiscard]] std::vector<repeated_plan> group_by_plan(std::span<const record> records);

/// A title for people: "uring 4 MiB x 2: text, at_close, 256 MiB".
[[nodiscard]] std::string format_title(const record& trial);

/// A name for tools that find equal work in different runs by its name: "text/at_close/uring/block:4194304/depth:2/…".
/// It leaves out the seed and all options with default values.
[[nodiscard]] std::string format_name(const record& trial);

/// A value of a plan as a word: texts without quotes, other values as in JSON.
[[nodiscard]] std::string format_word(const nlohmann::json& value);

/// The member `freshet` of the JSON formats: the run, and the trials that were left out. Readers compute statistics
/// from all trials that they find, so the excluded ones stand where they do not look.
[[nodiscard]] nlohmann::ordered_json make_note(const run& run, std::span<const repeated_plan> plans);

/// JSON as text, indented by two blanks. Bytes that are not UTF-8 are replaced, since texts from the system may have
/// any.
[[nodiscard]] std::string to_text(const nlohmann::ordered_json& json);

}  // namespace freshet::tool
