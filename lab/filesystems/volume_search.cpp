#include "lab/filesystems/volume_search.hpp"

#include <algorithm>
#include <map>
#include <random>
#include <set>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include <freshet/error.hpp>

#include "lab/filesystems/volume.hpp"
#include "tool/base/interrupt.hpp"
#include "tool/base/place.hpp"
#include "tool/search/comparison.hpp"
#include "tool/trial/write_file.hpp"

namespace freshet::tool {
namespace {

constexpr double race_share = 0.55;    // of time and bytes
constexpr double survey_share = 0.65;  // of what the race leaves
constexpr std::size_t most_surveyed = 12;
constexpr std::size_t most_aged = 4;
constexpr unsigned survey_rounds = 3;
constexpr unsigned aged_rounds = 8;
constexpr std::uint64_t aged_share_of_size = 2;  // aged volumes have no room for more than half of a file
constexpr std::size_t synced_block = 4096;

std::vector<trial_plan> make_seeds(const volume_search_setup& setup) {
  std::vector<trial_plan> seeds;
  for (const std::string& volume : setup.volumes)
    for (const std::string& method : setup.methods) {
      trial_plan plan = make_plan(setup, setup.goal, method, volume);
      if (why_impossible(plan).empty() && std::ranges::find(seeds, plan) == seeds.end())
        seeds.push_back(std::move(plan));
    }
  return seeds;
}

std::vector<trial_plan> on_volumes(const trial_plan& plan, const std::vector<volume>& volumes) {
  std::vector<trial_plan> plans;
  for (const volume& each : volumes) {
    plans.push_back(plan);
    plans.back().volume = name_of(each);
  }
  return plans;
}

race_variations vary_options() {
  return {.family = [](const trial_plan& plan) { return parse_volume(plan.volume).type; },
          .coarse = [](const trial_plan& plan) { return on_volumes(plan, add_mkfs_option(parse_volume(plan.volume))); },
          .fine =
              [](const trial_plan& plan) {
                const volume best = parse_volume(plan.volume);
                std::vector<trial_plan> plans = on_volumes(plan, with_more_mounted(best));
                std::ranges::move(on_volumes(plan, add_mkfs_option(best)), std::back_inserter(plans));
                return plans;
              }};
}

race_variations vary_nothing() {
  const auto nothing = [](const trial_plan&) { return std::vector<trial_plan>{}; };
  return {.family = vary_options().family, .coarse = nothing, .fine = nothing};
}

class volume_searcher {
 public:
  volume_searcher(const volume_search_setup& setup, const volume_source& source)
      : setup_{setup}, source_{source}, start_{source.now()}, random_{setup.seed} {
    result_.goal = setup.goal;
  }

  volume_search_result run() {
    limit_bytes(race_share);
    race_all();
    const double race_end = source_.now();
    limit_bytes(survey_share);
    if (!result_.interrupted) survey(race_end + survey_share * (end() - race_end));
    limit_bytes(1);
    if (!result_.interrupted) age_finalists();
    result_.seconds = source_.now() - start_;
    return std::move(result_);
  }

 private:
  [[nodiscard]] double end() const { return start_ + setup_.seconds; }

  // Lets the next part of the search write this share of what is left.
  void limit_bytes(double share) {
    const std::uint64_t written = source_.written();
    const std::uint64_t left = setup_.bytes - std::min(setup_.bytes, written);
    bytes_until_ = written + static_cast<std::uint64_t>(share * static_cast<double>(left));
  }
  [[nodiscard]] std::uint64_t bytes_left() const { return bytes_until_ - std::min(bytes_until_, source_.written()); }

  void race_all();
  [[nodiscard]] trial_result race_one(const trial_plan& plan);
  void survey(double until);
  void age_finalists();
  [[nodiscard]] std::vector<surveyed_volume> choose_surveyed() const;
  [[nodiscard]] std::vector<surveyed_volume> choose_aged() const;
  [[nodiscard]] class_verdict rank_beside_aged_pick() const;
  // Visits all of them in random order, round by round, as long as there is time for another round. The first of them,
  // the pick, begins. Returns why it ended early.
  std::string visit_in_rounds(std::vector<surveyed_volume>& volumes, std::string_view state, unsigned rounds,
                              double until);
  // Returns why it was not visited.
  std::string visit_once(surveyed_volume& volume, std::string_view state, unsigned round, unsigned position,
                         double until);

  const volume_search_setup& setup_;
  const volume_source& source_;
  volume_search_result result_;
  budget left_ = {};               // of the race
  std::uint64_t bytes_until_ = 0;  // that the device may have been told to write when the part at work ends
  double start_;
  double longest_visit_ = 0;  // seconds
  std::mt19937_64 random_;
  visit_times last_;
};

void volume_searcher::race_all() {
  const std::vector<trial_plan> seeds = make_seeds(setup_);
  if (seeds.empty())
    refuse(std::errc::operation_not_supported, "compare", "file systems", "none of the methods can do that");
  trial_source trials{.run = [this](const trial_plan& plan) { return race_one(plan); }, .now = source_.now};
  if (source_.show) trials.show = [this](const race_progress& now) { source_.show({}, now); };
  if (source_.keep)
    trials.keep = [this](const trial_result& trial, trial_purpose purpose) { source_.keep(trial, purpose, last_); };
  race_setup rules{.measured_class = seeds.front().measured_class,
                   .size = seeds.front().size,
                   .least_size = std::min(seeds.front().size, std::uint64_t{16} << 20),
                   .negligible_share = setup_.negligible_share,
                   .variations = setup_.vary ? vary_options() : vary_nothing(),
                   .seed = setup_.seed};
  left_ = {.until = start_ + race_share * setup_.seconds, .bytes = bytes_left()};
  race_result raced = race(rules, seeds, trials, left_);
  result_.verdict = rank_candidates(rules.measured_class, raced.candidates, setup_.negligible_share);
  result_.end = raced.end;
  result_.candidates = std::move(raced.candidates);
  result_.interrupted = result_.end == race_end::interrupted;
}

// Whatever fails on a volume of its own, such as files for which it has too few inodes, concerns no other.
trial_result volume_searcher::race_one(const trial_plan& plan) {
  try {
    visit all = source_.run(plan.volume, std::span{&plan, 1});
    left_.bytes = bytes_left();  // mkfs writes, too
    last_ = all.times;
    return std::move(all.trials.front());
  } catch (const error& failure) {
    if (failure.code() == std::errc::operation_not_supported) throw;
    refuse(std::errc::operation_not_supported, "measure the volume", plan.volume, failure.what());
  }
}

// The best plan of each volume, in the order of the ranking: the best few, and the first of each type.
std::vector<surveyed_volume> volume_searcher::choose_surveyed() const {
  std::vector<surveyed_volume> chosen;
  std::map<std::string, std::size_t> of_type;
  for (const ranked_candidate& ranked : result_.verdict.ranking) {
    if (std::ranges::any_of(chosen,
                            [&](const surveyed_volume& each) { return each.plan.volume == ranked.plan.volume; }))
      continue;
    std::size_t& already = of_type[parse_volume(ranked.plan.volume).type];
    if (chosen.size() < most_surveyed || already == 0) {
      chosen.push_back({.plan = ranked.plan});
      ++already;
    }
  }
  return chosen;
}

void volume_searcher::survey(double until) {
  result_.survey = choose_surveyed();
  result_.survey_ended = visit_in_rounds(result_.survey, "survey", survey_rounds, until);
}

// The pick; then the best of each other type, which show whether the verdict holds for aged file systems, too; then
// what else may lead.
std::vector<surveyed_volume> volume_searcher::choose_aged() const {
  std::vector<surveyed_volume> chosen;
  std::set<std::string> volumes;
  std::set<std::string> types;
  const auto choose = [&](const ranked_candidate& ranked) {
    if (chosen.size() >= most_aged || !volumes.insert(ranked.plan.volume).second) return;
    types.insert(parse_volume(ranked.plan.volume).type);
    chosen.push_back({.plan = ranked.plan});
    chosen.back().plan.volume += aged_suffix;
  };
  for (const ranked_candidate& ranked : result_.verdict.ranking)
    if (!types.contains(parse_volume(ranked.plan.volume).type)) choose(ranked);
  for (const ranked_candidate& ranked : result_.verdict.ranking)
    if (ranked.may_lead()) choose(ranked);
  return chosen;
}

void volume_searcher::age_finalists() {
  result_.aged = choose_aged();
  result_.aging_ended = visit_in_rounds(result_.aged, "aged", aged_rounds, end());
  for (const surveyed_volume& each : result_.aged) {
    candidate entry{.plan = each.plan};
    for (const visit& one : each.visits)
      for (const trial_result& trial : one.trials)
        if (trial.plan.workload == each.plan.workload && trial.plan.measured_class == each.plan.measured_class)
          entry.trials.push_back(trial);
    if (!entry.trials.empty()) result_.aged_candidates.push_back(std::move(entry));
  }
  result_.aged_verdict =
      rank_candidates(result_.verdict.measured_class, result_.aged_candidates, setup_.negligible_share);
  if (!result_.aged.empty()) result_.aged_beside_pick = rank_beside_aged_pick();
}

class_verdict volume_searcher::rank_beside_aged_pick() const {
  std::vector<ranked_candidate> ranking = result_.aged_verdict.ranking;
  const auto is_pick = [&](const ranked_candidate& each) {
    return each.plan.volume == result_.aged.front().plan.volume;
  };
  const auto pick = std::ranges::find_if(ranking, is_pick);
  if (pick == ranking.end()) return {};
  if (pick == ranking.begin()) return result_.aged_verdict;
  std::rotate(ranking.begin(), pick, pick + 1);
  const std::vector<candidate>& all = result_.aged_candidates;
  const candidate& reference = all[ranking.front().index];
  const comparison_rules rules{.negligible_share = setup_.negligible_share, .noise = estimate_noise(all)};
  for (ranked_candidate& each : ranking) {
    each.leader = ranking.front().index;
    each.to_leader = compare(all[each.index], reference, rules);
    each.cpu_cost = compare_cpu_costs(all[each.index], reference);
    if (each.place != rank_class::not_in_final) each.place = rank_class::leading;
    if (each.to_leader.result == outcome::worse) each.place = rank_class::slower;
  }
  ranking.front().place = rank_class::pick;
  class_verdict beside;
  beside.measured_class = result_.aged_verdict.measured_class;
  beside.ranking = std::move(ranking);
  return beside;
}

std::string volume_searcher::visit_in_rounds(std::vector<surveyed_volume>& volumes, std::string_view state,
                                             unsigned rounds, double until) {
  constexpr const char* no_time = "no time was left";
  double longest_round = 0;
  for (unsigned round = 0; round < rounds; ++round) {
    const double begun = source_.now();
    if (round > 0 && begun + longest_round > until) return no_time;
    std::vector<std::size_t> order(volumes.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
    const bool pick_begins = round == 0 && !order.empty();  // the time may not last for a second round
    std::ranges::shuffle(order.begin() + (pick_begins ? 1 : 0), order.end(), random_);
    unsigned position = 0;
    for (const std::size_t i : order) {
      const double visited = source_.now();
      if (visited + longest_visit_ > until) return no_time;
      if (!volumes[i].failure.empty()) continue;
      if (std::string why = visit_once(volumes[i], state, round, position++, until); !why.empty()) return why;
      longest_visit_ = std::max(longest_visit_, source_.now() - visited);
    }
    longest_round = std::max(longest_round, source_.now() - begun);
  }
  return {};
}

std::string volume_searcher::visit_once(surveyed_volume& volume, std::string_view state, unsigned round,
                                        unsigned position, double until) {
  if (source_.show) source_.show(state, {volume.plan, nullptr, until - source_.now()});
  const std::vector<trial_plan> plans = survey_plans(setup_, volume.plan);
  std::uint64_t bytes = is_aged(volume.plan.volume) ? setup_.bytes_to_age : 0;
  for (const trial_plan& plan : plans) bytes += plan.size;
  if (bytes > bytes_left()) return "too little was left to be written (--max-bytes)";
  try {
    throw_if_interrupted();
    visit done = source_.run(volume.plan.volume, plans);
    for (trial_result& trial : done.trials) {
      trial.round = round;
      trial.position = position;
      if (source_.keep) source_.keep(trial, trial_purpose::diagnosis, done.times);
    }
    volume.visits.push_back(std::move(done));
  } catch (const interrupted&) {
    result_.interrupted = true;
    return "it was interrupted";
  } catch (const error& failure) {
    volume.failure = fmt::format("{}: {}", volume.plan.volume, failure.what());
  }
  return {};
}

}  // namespace

trial_plan make_plan(const volume_search_setup& setup, volume_goal goal, const std::string& method,
                     const std::string& volume) {
  trial_plan plan{.method = method,
                  .measured_class = io_class::at_close,
                  .workload = workload_kind::blocks,
                  .size = setup.size,
                  .volume = volume};
  if (goal == volume_goal::small) {
    plan.workload = workload_kind::files;
    plan.size = setup.small_files * small_file_size;
  }
  if (goal == volume_goal::durable) {
    plan.measured_class = io_class::each_write;
    plan.block = synced_block;
    plan.size = setup.synced_blocks * synced_block;
  }
  return normalize(plan);
}

std::vector<trial_plan> survey_plans(const volume_search_setup& setup, const trial_plan& counts) {
  const bool aged = is_aged(counts.volume);
  const auto plan_for = [&](volume_goal goal, const std::string& method) {
    return setup.goal == goal ? counts : make_plan(setup, goal, method, counts.volume);
  };
  trial_plan large = plan_for(volume_goal::large, counts.method);
  large.size = setup.size / (aged ? aged_share_of_size : 1);
  const trial_plan reading = normalize(trial_plan{.method = "buffered",
                                                  .measured_class = io_class::cold,
                                                  .workload = workload_kind::blocks,
                                                  .size = large.size,
                                                  .volume = counts.volume});
  trial_plan small = plan_for(volume_goal::small, "buffered");
  trial_plan synced = plan_for(volume_goal::durable, "buffered");
  small.size = setup.small_files * small_file_size;
  synced.size = setup.synced_blocks * synced_block;
  return {large, reading, small, synced};
}

volume_search_result search_volumes(const volume_search_setup& setup, const volume_source& source) {
  return volume_searcher{setup, source}.run();
}

}  // namespace freshet::tool
