// What the device takes, and what a program gets of that: the first line of `tune`, `bench` and `text`.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

#include "tool/analysis/machine_rate.hpp"

namespace freshet::tool {

/// What is told of a run: what the device takes, who got what of it.
struct machine_figures {
  std::optional<machine_rate> machine = {};  ///< empty: it is not known, and nothing is told
  std::string who = {};                      ///< "the program"
  std::optional<machine_share> share = {};   ///< empty: only what the device takes is told
};

/// Those of somebody with these trials, all of one plan that writes.
[[nodiscard]] machine_figures make_machine_figures(const std::optional<machine_rate>& machine, std::string who,
                                                   std::span<const trial_result* const> trials);

/// "The disk takes 2.3 GB/s (12 Jun); the program gets 12 %, forming lines the rest.", as a line or, where names are
/// long, two. `today`: ISO 8601; the year of the measurement is named where it is another one.
[[nodiscard]] std::string format_machine_figures(const machine_figures& figures, std::string_view today);

/// The rate and, as "share", "waiting_bytes" and "forms_lines", the share; null if the rate is not known.
void to_json(nlohmann::json& out, const machine_figures& figures);

}  // namespace freshet::tool
