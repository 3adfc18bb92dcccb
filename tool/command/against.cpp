#include "tool/command/against.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <iterator>
#include <memory>
#include <nlohmann/json.hpp>
#include <random>
#include <vector>

#include "tool/analysis/comparison_text.hpp"
#include "tool/base/child.hpp"
#include "tool/base/json_optional.hpp"
#include "tool/base/place.hpp"
#include "tool/base/text.hpp"
#include "tool/command/programs.hpp"
#include "tool/report/screen.hpp"
#include "tool/report/section.hpp"
#include "tool/report/verdict_report.hpp"
#include "tool/search/regression.hpp"

namespace freshet::tool {
namespace {

constexpr unsigned rounds_factor = 10;  // it ends as soon as it is settled, so it may take more rounds than a series
constexpr double usual_doubt = 0.15;    // a slowdown that must be ruled out to pass, or three times what is tolerated

using run_trial = std::function<trial_result(const trial_plan&)>;

// A plan that both programs carry out.
struct contest_of_two {
  candidate first;
  candidate second;
  comparison against = {};  // the first's seconds against the second's
  regression result = {};
};

bool are_usable(const contest_of_two& each) { return count_usable(each.first) > 0 && count_usable(each.second) > 0; }

struct two_programs {
  run_trial first;
  run_trial second;
};

class contests_of_two {
 public:
  contests_of_two(std::span<const candidate> rows, const against_options& options, const series_options& series,
                  const two_programs& programs, run_log& log)
      : options_{options}, series_{series}, programs_{programs}, log_{log}, random_{series.seed} {
    for (const candidate& row : rows) all_.push_back({{.plan = row.plan}, {.plan = row.plan}});
  }

  const std::vector<contest_of_two>& run() {
    for (unsigned round = 0; round < rounds_factor * series_.rounds && !are_settled(); ++round)
      for (contest_of_two& each : all_) {
        if (each.result.state != regression_state::open) continue;
        if (bytes_ + expected_bytes(each) > series_.max_bytes) return judge_open();
        run_round(each, round);
        if (!are_usable(each)) return judge_open();  // a program that cannot write fails in each round
      }
    return judge_open();
  }

 private:
  const std::vector<contest_of_two>& judge_open() {
    for (contest_of_two& each : all_)
      if (each.result.state == regression_state::open && are_usable(each)) judge(each);
    return all_;
  }

  // Of the next round: as many as the last one, or what the plan says.
  [[nodiscard]] static std::uint64_t expected_bytes(const contest_of_two& each) {
    return each.first.trials.empty() ? 2 * each.first.plan.size : 2 * each.first.trials.back().bytes;
  }
  [[nodiscard]] bool are_settled() const {
    return std::ranges::none_of(all_,
                                [](const contest_of_two& each) { return each.result.state == regression_state::open; });
  }
  void judge(contest_of_two& each) const {
    each.against = compare(each.first, each.second, {.noise = estimate_noise(std::array{each.first, each.second})});
    each.result = judge_regression(each.against, {options_.tolerated, std::max(usual_doubt, 3 * options_.tolerated)});
  }

  void run_round(contest_of_two& each, unsigned round) {
    progress_.show(fmt::format("round {}: {}", round + 1, describe(each.first.plan)));
    const bool first_begins = random_() % 2 == 0;
    for (unsigned position = 0; position < 2; ++position) {
      const bool is_first = (position == 0) == first_begins;
      trial_result trial = (is_first ? programs_.first : programs_.second)(each.first.plan);
      trial.round = round;
      trial.position = position;
      keep(trial, is_first);
      bytes_ += trial.bytes;
      (is_first ? each.first : each.second).trials.push_back(std::move(trial));
    }
    require_equal_sizes(each);
    if (are_usable(each) && is_planned_look(round + 1)) judge(each);
  }

  // @throws freshet::error  if the programs do different work
  void require_equal_sizes(const contest_of_two& each) const {
    const trial_result& first = each.first.trials.back();
    const trial_result& second = each.second.trials.back();
    if (!first.is_usable() || !second.is_usable() || first.bytes == second.bytes) return;
    refuse(std::errc::invalid_argument, "compare with", options_.other,
           fmt::format("the programs wrote files of different sizes, {} and {} bytes", first.bytes, second.bytes));
  }

  void keep(const trial_result& trial, bool is_first) {
    record kept = make_record(trial);
    set_purpose(kept, trial_purpose::program);
    set_side(kept, is_first ? "first" : "against");
    if (const std::string& program = is_first ? options_.program : options_.other; !program.empty())
      kept.label = is_first || !options_.program.empty() ? program : fmt::format("{} by {}", kept.label, program);
    log_.keep(std::move(kept));
  }

  const against_options& options_;
  const series_options& series_;
  const two_programs& programs_;
  run_log& log_;
  std::mt19937_64 random_;
  progress progress_;
  std::uint64_t bytes_ = 0;
  std::vector<contest_of_two> all_;
};

// @throws freshet::error  if a build of freshet was expected and it is none
void require_freshet(const std::filesystem::path& program, const std::filesystem::path& directory) {
  try {
    child version{
        {.words = {program.string(), "--version"}, .directory = directory, .environment = merge_environment({})},
        child::connection::listen};
    version.wait_for_success();
    if (version.last_words().find("freshet") != std::string::npos) return;
  } catch (const child_failure&) {  // said below
  }
  refuse(std::errc::invalid_argument, "compare with", program,
         "it is not a build of freshet; with --program, it may be any program");
}

// Keeps the program alive.
template <typename Program>
run_trial run_by(std::shared_ptr<Program> program) {
  return [program = std::move(program)](const trial_plan& plan) { return program->run(plan); };
}

// A program of the user's, in memory as it is; its trials are those of the plan.
run_trial run_by(std::shared_ptr<program_runner> runner, const std::string& words) {
  return [runner = std::move(runner), words](const trial_plan& plan) {
    trial_plan own = plan;
    own.method = words;
    own.size = 0;
    own.memory = memory_state::left;
    trial_result trial = runner->run(own);
    trial.plan = plan;
    return trial;
  };
}

// @throws freshet::error  if nothing can be created in `directory`, or --against names no build of freshet
two_programs start_programs(const against_options& options, const std::filesystem::path& directory) {
  if (!options.program.empty()) {
    const auto runner = std::make_shared<program_runner>(directory, options.request);
    return {run_by(runner, options.program), run_by(runner, options.other)};
  }
  require_freshet(std::filesystem::absolute(options.other), directory);
  return {run_by(std::make_shared<text_program>(directory)),
          run_by(std::make_shared<text_program>(directory, options.other))};
}

std::string_view describe_judgement(const contest_of_two& each) {
  switch (each.result.state) {
    case regression_state::worse:
      return "slower";
    case regression_state::fine:
      return "not slower";
    case regression_state::open:
      break;
  }
  return "cannot tell";
}

// What the user calls the first program.
std::string name_of(const contest_of_two& each, const against_options& options) {
  return options.program.empty() ? describe(each.first.plan) : options.program;
}

figure<contest_of_two> median_of(std::string heading, candidate contest_of_two::*side, auto of) {
  return {{std::move(heading)}, [=](const contest_of_two& each) { return median_text(each.*side, of); }};
}

std::string format_results(const std::vector<contest_of_two>& all, const against_options& options, const screen& look) {
  using enum table::side;
  std::vector<contest_of_two> usable;
  std::ranges::copy_if(all, std::back_inserter(usable), are_usable);
  const figures_of_entry<contest_of_two> figures{
      {{options.program.empty() ? "way to write" : "program", left, true},
       [&](const contest_of_two& each) { return name_of(each, options); }},
      median_of("seconds", &contest_of_two::first, &trial_result::ranking_seconds),
      median_of("CPU s", &contest_of_two::first, &trial_result::cpu_whole),
      median_of("against", &contest_of_two::second, &trial_result::ranking_seconds),
      median_of("CPU s", &contest_of_two::second, &trial_result::cpu_whole),
      {{"it is", left}, [](const contest_of_two& each) { return format_gain(each.against); }},
      {{"rounds"}, [](const contest_of_two& each) { return std::to_string(each.against.ratio.count); }},
      {{"", left}, [](const contest_of_two& each) { return std::string{describe_judgement(each)}; }}};
  return make_table(figures, usable).text(look.width) +
         fmt::format("Against: {}, in turn with it, round by round.\n", options.other);
}

// Why a plan has no result, from its first trial that failed.
std::string find_failure(const contest_of_two& each) {
  for (const candidate* side : {&each.first, &each.second})
    for (const trial_result& trial : side->trials)
      if (!trial.is_usable()) return trial.reasons.empty() ? "it wrote nothing" : trial.reasons.front();
  return "nothing was measured";
}

int judge_all(const std::vector<contest_of_two>& all, const against_options& options) {
  int exit_code = 0;
  for (const contest_of_two& each : all) {
    const std::string name = name_of(each, options);
    if (!are_usable(each)) {
      fmt::print(stderr, "freshet bench: {}: {}\n", name, find_failure(each));
      return exit_worse;
    }
    if (each.result.state == regression_state::worse) {
      fmt::print(stderr, "freshet bench: {} is certainly slower by more than {:.3g} %\n", name,
                 options.tolerated * 100);
      return exit_worse;
    }
    if (each.result.state != regression_state::open) continue;
    exit_code = exit_cannot_tell;
    fmt::print(stderr, "freshet bench: cannot tell whether {} is slower: {}\n", name,
               fmt::format("about {} would", format_count(each.result.rounds_to_go, "more round")));
  }
  return exit_code;
}

nlohmann::json make_json(const contest_of_two& each) {
  const estimate& ratio = each.against.ratio;
  const bool is_open = each.result.state == regression_state::open;
  return {{"plan", each.first.plan},
          {"state", to_string(each.result.state)},
          {"ratio", ratio.value},
          {"bounds", ratio.range},
          {"gain", format_gain(each.against)},
          {"rounds", ratio.count},
          {"rounds_to_go", is_open ? nlohmann::json(each.result.rounds_to_go) : nlohmann::json(nullptr)},
          {"first", each.first.trials},
          {"against", each.second.trials}};
}

}  // namespace

void add_against_options(command_parser& command, against_options& options) {
  const command_option against = command.add(
      "--against FILE", options.other,
      "Let another build of freshet, or with --program another program, write in turn with this one until one "
      "is known to be slower or not");
  command
      .add("--fail-if-worse PERCENTAGE", options.tolerated, parse_percent,
           "With --against: exit with 1 if it is certainly slower by more than this, with 3 if that cannot be told",
           format_percent_argument)
      .need(against);
}

int run_against(const against_options& options, std::span<const candidate> rows, const series_options& series,
                const log_options& log_to, const std::filesystem::path& directory) {
  if (std::ranges::any_of(rows, [](const candidate& row) { return reads(row.plan.measured_class); }))
    throw usage_error{"bench", "--against compares programs that write: --class cannot be cold or warm"};
  if (options.program.empty() && !series.force && !rows.empty()) require_space(directory, rows.front().plan.size);
  const two_programs programs = start_programs(options, directory);
  if (!options.program.empty()) rows = rows.first(1);
  run_log log{log_to.with_seed(series.seed), "bench", directory};
  contests_of_two contest{rows, options, series, programs, log};
  const std::vector<contest_of_two>& all = contest.run();
  nlohmann::json results = nlohmann::json::array();
  for (const contest_of_two& each : all) results.push_back(make_json(each));
  const int exit_code = log.publish(format_results(all, options, standard_screen()),
                                    {{"against", options.other}, {"program", options.program}, {"duels", results}});
  return exit_code != 0 ? exit_code : judge_all(all, options);
}

}  // namespace freshet::tool
