// The result of `freshet filesystems`, for people and in JSON.
#pragma once

#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "lab/filesystems/volume.hpp"
#include "lab/filesystems/volume_search.hpp"
#include "tool/report/screen.hpp"

namespace freshet::tool {

/// Where the volumes were made.
struct volume_place {
  std::string device;                ///< "/dev/sdb"; empty: a file with a loop device
  std::string below;                 ///< the file system that this file lies on, for people; empty for a real device
  std::vector<std::string> remarks;  ///< what was left out or differs from what was asked for, as sentences
};

/// Returns the verdict, the ranking, all figures of each volume, those of aged ones, and what to type. With `details`,
/// the ranking has all rows, and there is what was left out and why.
[[nodiscard]] std::string format_volume_search(const volume_search_result& result, const volume_place& place,
                                               const screen& look = {}, bool details = false);

/// "goal", "verdict", "aged_verdict", "volumes", "survey_ended", "aged", "aging_ended", "dropped", "commands",
/// "prices", "device", "from_loop_file", "remarks" and "seconds".
[[nodiscard]] nlohmann::json make_json(const volume_search_result& result, const volume_place& place);
/// The medians of its visits' figures; null where no trial of a kind is usable.
void to_json(nlohmann::json& out, const surveyed_volume& volume);

/// A kind of file system, and why it cannot be measured here.
struct listed_kind {
  const volume_kind* kind = nullptr;
  std::string why_not;
};
[[nodiscard]] std::string format_kinds(const std::vector<listed_kind>& kinds, const screen& look = {});
void to_json(nlohmann::json& out, const listed_kind& each);

}  // namespace freshet::tool
