// Writes pages of synthetic trials for the tests that open them in a browser: report_page KIND FILE.
//   usual    all kinds of trials; FILE.json lists them
//   few      two trials of each plan, one of one plan, and a warm-up
//   mapped   files that were mapped, with the times of their blocks
//   early    a plan of two trials, with the highest median; its run had a larger file that does not compete
//   runs     twenty runs, of eight tasks
//   peers    the same plans, measured by `bench` in two sizes and by `peers`
//   volumes  the same plans, measured by `filesystems` on two file systems
//   bare     usual, but without the chart library
//   undrawn  usual, but without the laboratory
//   many     100,000 trials
//   hostile  names that could end a script or open a tag
//   empty    no trial
#include <fmt/format.h>

#include <cstdio>
#include <fstream>
#include <string>

#include "tests/tool/analysis/report_sample.hpp"
#include "tool/command/laboratory.hpp"
#include "tool/report/html/page.hpp"
#include "tool/report/html/page_data.hpp"

namespace {

using freshet::test::sample_trials;
using freshet::tool::page_data;
using freshet::tool::record;

nlohmann::json listed(const record& stored) {
  const freshet::tool::trial_result& figures = stored.figures;
  return {{"id", stored.id},
          {"run", stored.run},
          {"workload", stored.workload},
          {"class", to_string(figures.plan.measured_class)},
          {"label", stored.label},
          {"valid", figures.validity != freshet::tool::trial_validity::invalid},
          {"close", figures.rate_to_close()},
          {"disk", figures.rate_to_disk()},
          {"cpu", figures.cpu_whole / static_cast<double>(figures.bytes) * 1e9}};
}

void put_on_volume(record& stored) {
  stored.figures.plan.volume = stored.method == "uring" ? "xfs -d agcount=4, noatime" : "ext4";
  stored.plan["volume"] = stored.figures.plan.volume;
  stored.label += " on " + stored.figures.plan.volume;
}

constexpr std::int64_t run_count = 20;

std::vector<freshet::tool::run> many_runs() {
  std::vector<freshet::tool::run> runs;
  for (std::int64_t run = 1; run <= run_count; ++run) runs.push_back(freshet::test::make_run(run));
  return runs;
}

// A run of each task, and the rest of the first one.
void add_runs(sample_trials& trials) {
  using namespace freshet::tool;
  std::int64_t run = 1;
  for (const workload_kind workload : {workload_kind::text, workload_kind::blocks})
    for (const io_class measured_class : {io_class::none, io_class::at_close, io_class::each_write, io_class::cold})
      trials.add_bench(run++, workload, measured_class, 1);
  while (run <= run_count) trials.add_bench(run++, workload_kind::text, io_class::none, 1);
}

void add_many(sample_trials& trials) {
  using namespace freshet::tool;
  for (std::int64_t run = 1; trials.count() < 100'000; run = run % 4 + 1)
    for (const io_class measured_class : {io_class::none, io_class::at_close, io_class::cold})
      trials.add_bench(run, workload_kind::blocks, measured_class, 60, 0.1);
}

}  // namespace

int main(int count, char** words) {
  if (count != 3) return 2;
  const std::string kind = words[1];
  const std::string file = words[2];
  std::vector<freshet::tool::run> runs = freshet::test::sample_runs();
  if (kind == "peers") runs[1].command = "peers";
  if (kind == "volumes") runs[0].command = "filesystems";
  if (kind == "runs") runs = many_runs();
  freshet::tool::task_sizes sizes;
  if (kind == "early") sizes[{1, "text", freshet::tool::io_class::at_close}] = std::uint64_t{4} << 30;
  page_data data{std::move(runs), std::move(sizes)};
  nlohmann::json list = nlohmann::json::array();
  sample_trials trials{[&](record&& stored) {
    if (kind == "usual") list.push_back(listed(stored));
    if (kind == "few" && stored.label == "uring 4 MiB" && stored.figures.round == 1) return;
    if (kind == "early" && stored.label == "uring 4 MiB" && stored.figures.round > 1) return;
    if (kind == "few" && stored.id == 3) stored.extra = {{"warm_up", true}};
    if (kind == "mapped") stored.method = stored.label = "mmap";
    if (kind == "peers" && stored.run == 1 && stored.figures.round > 5) stored.figures.plan.size = 1 << 20;
    if (kind == "volumes") put_on_volume(stored);
    data.add(std::move(stored));
  }};
  using namespace freshet::tool;
  if (kind == "few")
    trials.add_bench(1, workload_kind::text, io_class::none, 2);
  else if (kind == "early")
    trials.add_bench(1, workload_kind::text, io_class::at_close, 8);
  else if (kind == "runs")
    add_runs(trials);
  else if (kind == "mapped")
    trials.add_bench(1, workload_kind::text, io_class::cold, 6);
  else if (kind == "volumes")
    trials.add_bench(1, workload_kind::blocks, io_class::at_close, 6);
  else if (kind == "peers") {
    trials.add_bench(1, workload_kind::text, io_class::none, 12);
    trials.add_bench(2, workload_kind::text, io_class::none, 6);
  } else if (kind == "many")
    add_many(trials);
  else if (kind == "hostile")
    trials.add_hostile(1);
  else if (kind != "empty")
    make_sample(trials);
  freshet::tool::page_assets assets = freshet::tool::built_in_assets();
  if (kind == "bare") assets.charts = assets.notice = {};
  const nlohmann::json about{
      {"store", kind == "hostile" ? "</script><!--" : "/data/trials.sqlite"}, {"selected", ""}, {"version", "0.1.0"}};
  if (kind == "undrawn")
    data.draw([](const nlohmann::json&) -> nlohmann::json { throw nobody_draws{"Nobody draws it."}; });
  else
    data.draw(ask_laboratory);
  std::ofstream{file} << freshet::tool::make_page(data.json(about), data.script(), assets);
  if (kind == "usual") std::ofstream{file + ".json"} << list;
}
