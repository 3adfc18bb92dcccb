// The records of a run, plan by plan: most formats have one entry for all repetitions.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <vector>

#include "tool/store/record.hpp"

namespace freshet::tool {

/// Repetitions of one another, in the order in which they were made.
struct repeated {
  std::vector<const record*> trials;   ///< all; at least one
  std::vector<const record*> counted;  ///< those that are in figures

  [[nodiscard]] const record& any() const { return *trials.front(); }
};

/// By class, then by workload; within both the fastest first, by the median of those that count, and who has none last.
[[nodiscard]] std::vector<repeated> by_plan(std::span<const record> made);

/// Seconds by the class's clock, of each of `trials`.
[[nodiscard]] std::vector<double> ranking_seconds_of(std::span<const record* const> trials);

/// What formats give that know no medians.
struct spread {
  double mean = 0;
  double deviation = 0;  ///< of the sample (n - 1); 0 for a single value
  double least = 0;
  double most = 0;
};
/// All zero where there are no values.
[[nodiscard]] spread spread_of(std::span<const double> values);

/// MB/s by the class's clock; 0 where no time passed.
[[nodiscard]] double ranking_rate(const record& made);

/// CPU seconds of the whole machine per GB; 0 where no byte was moved.
[[nodiscard]] double cpu_per_gb(const record& made);

/// For people: "uring 4 MiB x 2: text, at_close, 256 MiB".
[[nodiscard]] std::string title_of(const record& made);

/// For tools that find equal work by its name, in other runs, too: "text/at_close/uring/block:4194304/depth:2/…". What
/// is as it is unless asked for is left out, and so is the seed.
[[nodiscard]] std::string name_of(const record& made);

/// A value of a plan as a word: texts without quotes, all else as in JSON.
[[nodiscard]] std::string word_of(const nlohmann::json& value);

/// Why the trial is in no figure: it is invalid, moved nothing, or was there to warm up. Empty where it is.
[[nodiscard]] std::vector<std::string> left_out_for(const record& made);

/// What formats in JSON have beside what their readers know: which run this is, and the trials that were left
/// out. Readers make statistics of their own of whatever trials they find, so those stand where they do not
/// look.
[[nodiscard]] nlohmann::ordered_json note_of(const run& about, std::span<const repeated> plans);

/// JSON as text, two blanks deep. Texts from the system may be any bytes: what is no UTF-8 is replaced.
[[nodiscard]] std::string text_of(const nlohmann::ordered_json& made);

}  // namespace freshet::tool
