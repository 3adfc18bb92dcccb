// What a class's trials say to somebody who asks how to write, or read, a file: whether to change anything, what that
// gains, and how sure it is.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "tool/base/enum_names.hpp"
#include "tool/search/racing.hpp"

namespace freshet::tool {

/// Files of one size.
struct sized_result {
  std::uint64_t size = 0;  ///< bytes
  class_verdict verdict;
  std::vector<candidate> candidates;
};

/// What was measured to answer one class's question.
struct answered_question {
  class_verdict verdict;
  std::vector<candidate> candidates;
  race_end end = race_end::settled;
  /// Where the best way, or the profile, is faster than what programs get by themselves: both, in smaller files. From
  /// the smallest on.
  std::vector<sized_result> smaller = {};
  /// Whether a profile is to be advised only if programs with it were measured, and gain.
  bool needs_profile_tried = false;
};

enum class advice : std::uint8_t {
  none,     ///< nothing is known
  nothing,  ///< change nothing: no way was shown to be faster than what programs get by themselves
  profile,  ///< let the profile name the way, for all files
  code,     ///< name the way in the program, for files of this size: programs would not gain by a profile, or lose with
            ///< smaller files
};
template <>
inline constexpr auto enum_names<advice> = std::to_array<std::string_view>({"none", "nothing", "profile", "code"});

/// The fastest way for files of some sizes.
struct way_for_sizes {
  std::uint64_t up_to = 0;  ///< bytes of the largest file for which that was measured
  trial_plan plan;
  double rate = 0;  ///< MB/s, the median
};

/// Pointers point into the verdict.
struct class_answer {
  advice what = advice::none;
  const ranked_candidate* best = nullptr;           ///< the best way that keeps its method; null: nothing is known
  const ranked_candidate* by_themselves = nullptr;  ///< what programs get without a profile; null: not measured
  const ranked_candidate* with_profile = nullptr;   ///< what they get with the one that was tried; null: not measured
  /// The seconds with that profile against those without; empty if either is missing.
  std::optional<comparison> profile_gain = {};
  /// The best way's seconds against those of what programs get; empty if either is missing.
  std::optional<comparison> gain = {};
  /// The seconds of what is recommended against those of the baseline; empty without one.
  std::optional<comparison> over_baseline = {};
  const ranked_candidate* baseline = nullptr;  ///< null: not measured
  /// Whether more rounds would not change it: enough rounds decide, and no way that left early looks faster.
  bool is_sure = false;
  bool is_way_sure = false;  ///< the same of the best way alone, whatever programs get with a profile
  /// From small files to large ones, where the fastest way depends on the size; else empty.
  std::vector<way_for_sizes> by_size = {};

  /// The way that programs or the profile should name, or by_themselves. Precondition: what != advice::none.
  [[nodiscard]] const ranked_candidate& way() const noexcept {
    return what == advice::nothing && by_themselves != nullptr ? *by_themselves : *best;
  }
  /// What programs get that do as they are advised: way(), or with_profile. Precondition: what != advice::none.
  [[nodiscard]] const ranked_candidate& recommended() const noexcept {
    return what == advice::profile && with_profile != nullptr ? *with_profile : way();
  }
};

/// The first way that left early and looks faster than the pick; null if none does.
[[nodiscard]] const ranked_candidate* find_challenger(const class_verdict& verdict);

/// Returns what a verdict on files of one size, and those on smaller files, say. A way is worth a change only if it is
/// shown to be faster than what programs get by more than what matters. The profile names it only if programs with the
/// profile were shown to be so, where that was tried or has to be; and if small files do not lose by it.
[[nodiscard]] class_answer find_answer(const class_verdict& verdict, std::span<const sized_result> smaller = {},
                                       bool needs_profile_tried = false);
[[nodiscard]] class_answer find_answer(const answered_question& of);

}  // namespace freshet::tool
