#include "tool/report/answer_report.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>
#include <set>
#include <string_view>
#include <vector>

#include "tool/analysis/comparison_text.hpp"
#include "tool/analysis/verdict_text.hpp"
#include "tool/base/text.hpp"
#include "tool/report/table.hpp"
#include "tool/report/verdict_report.hpp"
#include "tool/search/prediction.hpp"
#include "tool/search/reasons.hpp"

namespace freshet::tool {
namespace {

struct question_words {
  std::string_view work;   ///< in the heading of the table, before "of 1 GiB"
  std::string_view where;  ///< after it
};

const question_words& words_for(io_class measured_class) {
  static constexpr std::array<question_words, 5> words{{
      {"Write a new file", ""},
      {"Write a file", ", on the disk after close()"},
      {"Write a file", ", each block on the disk"},
      {"Read a file", " that is not in memory"},
      {"Read a file", " that is in memory"},
  }};
  return words.at(static_cast<std::size_t>(measured_class));
}

// Of one file of `size` bytes, also where fewer were measured.
std::string format_seconds(const ranked_candidate& way, std::uint64_t size) {
  return format_figure(static_cast<double>(size) / 1e6 / way.rate.value);
}
std::string format_cpu(const ranked_candidate& way, std::uint64_t size) {
  return format_figure(way.cpu_per_gb * static_cast<double>(size) / 1e9);
}

// What programs get first, then the best others, then the baseline.
std::vector<const ranked_candidate*> choose_ways(const class_result& of, const class_answer& answer,
                                                 std::size_t most_others) {
  std::vector<const ranked_candidate*> ways;
  if (answer.by_themselves != nullptr) ways.push_back(answer.by_themselves);
  if (answer.with_profile != nullptr) ways.push_back(answer.with_profile);
  std::size_t others = 0;
  for (const ranked_candidate& ranked : of.verdict.ranking) {
    if (&ranked == answer.by_themselves || &ranked == answer.with_profile || others == most_others) continue;
    ways.push_back(&ranked);
    ++others;
  }
  if (answer.baseline != nullptr) ways.push_back(answer.baseline);
  return ways;
}

std::string name_ranked(const ranked_candidate& ranked) { return name_way(ranked.plan); }

// Why the profile does not name the way: "the profile does not, because files of 64 MiB would lose".
std::string explain_code(const class_result& of, const class_answer& answer) {
  const bool gains = answer.profile_gain && answer.profile_gain->result == outcome::better;
  if (of.needs_profile_tried && !answer.profile_gain) return "there was no time to see what a profile of it gives";
  if (!answer.profile_gain || gains)
    return fmt::format("the profile does not, because files of {} would lose", format_size(of.smaller.front().size));
  return fmt::format("with a profile of it, programs get {}", format_rate(answer.with_profile->rate.value));
}

// " Name it in the program, {…}: the profile does not, because files of 64 MiB would lose."
std::string describe_code(const class_result& of, const class_answer& answer) {
  if (answer.what != advice::code) return {};
  return fmt::format(" Name it in the program, {}: {}.", format_arguments(answer.best->plan), explain_code(of, answer));
}

// " Up to 256 MiB: programs by themselves, 4.8 GB/s; beyond: uring, 2.5 GB/s."
std::string describe_sizes(const class_answer& answer) {
  std::string text;
  for (std::size_t i = 0; i < answer.by_size.size(); ++i) {
    const way_for_sizes& each = answer.by_size[i];
    const bool is_last = i + 1 == answer.by_size.size();
    text += fmt::format("{}{}, {}",
                        is_last ? "beyond: " : fmt::format("{}p to {}: ", i == 0 ? 'U' : 'u', format_size(each.up_to)),
                        name_way(each.plan), format_rate(each.rate));
    text += is_last ? "." : "; ";
  }
  return text.empty() ? text : " " + text;
}

// "Measured with files of 256 MiB and 512 MiB, the largest for which time, bytes and space were enough. " Where only
// reading or only writing was, says so.
std::string describe_smaller(std::span<const class_result> classes, std::uint64_t asked) {
  std::set<std::uint64_t> sizes;
  std::array<bool, 2> is_smaller{};  // writing, reading
  std::array<bool, 2> is_as_asked{};
  for (const class_result& each : classes) {
    const class_answer answer = find_answer(each);
    if (answer.what == advice::none) continue;
    const bool smaller = answer.best->size < asked;
    (smaller ? is_smaller : is_as_asked).at(reads(each.verdict.measured_class) ? 1 : 0) = true;
    if (smaller) sizes.insert(answer.best->size);
  }
  if (sizes.empty()) return {};
  std::string_view who = "Measured";
  if (is_as_asked[0] && !is_smaller[0]) who = "Reading was measured";
  if (is_as_asked[1] && !is_smaller[1]) who = "Writing was measured";
  std::vector<std::string> words;
  for (const std::uint64_t size : sizes) words.push_back(format_size(size));
  return fmt::format("{} with files of {}, the largest for which time, bytes and space were enough. ", who,
                     fmt::join(words, " and "));
}

// All trials that were disturbed, and the reason of most of them.
disturbances sum_disturbances(std::span<const class_result> classes) {
  disturbances all;
  std::size_t most = 0;
  for (const class_result& each : classes) {
    const disturbances& one = each.verdict.disturbed;
    all.trials += one.trials;
    all.disturbed += one.disturbed;
    all.counted += one.counted;
    if (one.counted > most) all.reason = one.reason;
    most = std::max(most, one.counted);
  }
  return all;
}

}  // namespace

std::string name_way(const trial_plan& plan) {
  if (plan.prior == prior_state::profile) return "programs with this profile";
  if (changes_method(plan)) return "programs by themselves";
  return plan.method == "ofstream" ? "std::ofstream" : describe(plan);
}

std::string format_arguments(const trial_plan& plan) {
  std::string more;
  if (!is_usual(plan)) more = fmt::format(", .block = {}, .depth = {}", plan.block, std::max(plan.depth, 1U));
  if (!reads(plan.measured_class) && plan.measured_class != io_class::none)
    more += fmt::format(", .durability = freshet::durability::{}", to_string(plan.measured_class));
  return fmt::format(R"({{"file", {{.method = "{}"{}}}}})", plan.method, more);
}

std::string format_ways(const class_result& of, const screen& look, std::size_t others) {
  const class_answer answer = find_answer(of);
  if (answer.what == advice::none) return {};
  using enum table::side;
  const question_words& words = words_for(of.verdict.measured_class);
  const std::uint64_t size = answer.best->size;
  table list{{{fmt::format("{} of {}{}", words.work, format_size(size), words.where), left, true},
              {"MB/s"},
              {"next file"},
              {"s"},
              {"CPU s"}}};
  for (const ranked_candidate* way : choose_ways(of, answer, others)) {
    const interval range = expect_next_rate(of.candidates[way->index], way->size);
    list.add({"  " + name_way(way->plan), format_figure(way->rate.value), format_figures(range),
              format_seconds(*way, size), format_cpu(*way, size)});
  }
  return list.text(std::min(look.width, text_width()));
}

std::string format_advice(const class_result& of, const screen& look) {
  const class_answer answer = find_answer(of);
  if (answer.what == advice::none) {
    const std::string why = of.verdict.left_out.empty() ? "there was no time or space for it"
                                                        : group_reasons(of.verdict.left_out).front().reason;
    return wrapped(
        fmt::format("{}: not measured, because {}.",
                    painted(describe_use({.measured_class = of.verdict.measured_class}), colour::doubtful, look), why));
  }
  return format_answer(of.verdict, look, name_ranked, answer, describe_code(of, answer) + describe_sizes(answer));
}

std::string format_conditions(std::span<const class_result> classes, std::uint64_t asked) {
  std::string sentences = describe_smaller(classes, asked);
  if (const std::string disturbed = describe_disturbed(sum_disturbances(classes)); !disturbed.empty())
    sentences += disturbed + " Run this again when that is over.";
  return sentences.empty() ? sentences : wrapped(sentences);
}

nlohmann::json make_advice_json(const class_result& of) {
  const class_answer answer = find_answer(of);
  nlohmann::json by_size = nlohmann::json::array();
  for (const way_for_sizes& each : answer.by_size)
    by_size.push_back({{"up_to", each.up_to}, {"plan", each.plan}, {"mb_per_second", each.rate}});
  const auto plan = [](const ranked_candidate* way) { return way == nullptr ? nlohmann::json(nullptr) : way->plan; };
  const auto compared = [](const std::optional<comparison>& with) {
    return with ? nlohmann::json(*with) : nlohmann::json(nullptr);
  };
  nlohmann::json expected = nullptr;
  if (answer.what != advice::none) {
    const ranked_candidate& way = answer.recommended();
    expected = {{"size", way.size},
                {"mb_per_second", way.rate.value},
                {"mb_per_second_range", expect_next_rate(of.candidates[way.index], way.size)}};
  }
  return {{"what", to_string(answer.what)},
          {"sure", answer.is_sure},
          {"way", answer.what == advice::none ? nlohmann::json(nullptr) : answer.way().plan},
          {"expected", expected},
          {"by_themselves", plan(answer.by_themselves)},
          {"gain", compared(answer.gain)},
          {"with_profile", plan(answer.with_profile)},
          {"profile_gain", compared(answer.profile_gain)},
          {"over_baseline", compared(answer.over_baseline)},
          {"by_size", by_size},
          {"disturbed", of.verdict.disturbed}};
}

}  // namespace freshet::tool
