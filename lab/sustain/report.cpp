#include "lab/sustain/report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <nlohmann/json.hpp>
#include <vector>

#include "tool/analysis/verdict_text.hpp"
#include "tool/base/enum_names.hpp"
#include "tool/base/text.hpp"
#include "tool/report/table.hpp"

namespace freshet::tool {
namespace {

constexpr std::size_t rows_shown = 10;

double quantile_ms(const latency_histogram& waits, double p) {
  return waits.calls() == 0 ? 0 : static_cast<double>(waits.quantile(p)) / 1e6;
}

std::string format_way(const load_plan& plan) {
  std::string way = plan.method;
  if (plan.block != 0) way += ", blocks of " + format_size(plan.block);
  return fmt::format("{}, {}, files of {}", way, format_count(plan.writers, "writer"), format_size(plan.size));
}

// The samples between which about as much time passes, with what happened between them.
std::string format_curve(const load_result& load, const screen& look) {
  table rows{{{"after s"}, {"MB/s"}, {"longest wait, ms"}, {"dirty, MiB"}, {"program, MiB"}}};
  const std::size_t step = std::max<std::size_t>((load.samples.size() + rows_shown - 1) / rows_shown, 1);
  load_sample before;
  for (std::size_t end = step; end <= load.samples.size(); end += step) {
    const load_sample& now = load.samples[end - 1];
    double longest = 0;
    for (std::size_t i = end - step; i < end; ++i) longest = std::max(longest, load.samples[i].longest_wait);
    rows.add({format_figure(now.at),
              format_figure(static_cast<double>(now.bytes - before.bytes) / (now.at - before.at) / 1e6),
              format_figure(longest * 1e3), format_figure(static_cast<double>(now.dirty) / (1 << 20)),
              format_figure(static_cast<double>(now.memory) / (1 << 20))});
    before = now;
  }
  return rows.text(look.width);
}

std::uint64_t most_dirty(const load_result& load) {
  return load.samples.empty() ? 0 : std::ranges::max(load.samples, {}, &load_sample::dirty).dirty;
}

nlohmann::json make_json(const load_sample& sample) {
  return {{"at", sample.at},
          {"bytes", sample.bytes},
          {"dirty", sample.dirty},
          {"memory", sample.memory},
          {"longest_wait", sample.longest_wait}};
}

}  // namespace

std::string format_sustain(const sustain_report& report, const screen& look) {
  const load_result& load = report.load;
  std::string text = format_curve(load, look) + "\n";
  text += fmt::format("  written       {} in {:.1f} s, and {:.2f} s more until on disk\n", format_size(load.bytes),
                      load.seconds, load.sync_seconds);
  text += fmt::format("  by            {}\n", format_way(report.plan));
  text += fmt::format("  waits, ms     half {}, 99 % {}, longest {}\n", format_figure(quantile_ms(load.waits, 0.5)),
                      format_figure(quantile_ms(load.waits, 0.99)), format_figure(load.longest_wait * 1e3));
  text += fmt::format("  behind        {} s at most\n", format_figure(load.worst.seconds));
  if (const auto worst = find_worst_second(load))
    text += fmt::format("  worst second  {}, after {}\n", format_rate(worst->rate / 1e6), format_duration(worst->at));
  if (report.most)
    text += fmt::format("  at most       {}, as fast as it went, to disk\n", format_rate(*report.most / 1e6));
  text += fmt::format("  memory        {} dirty at most\n", format_size(most_dirty(load)));
  const std::string question = fmt::format("{} for {} to {}? {}.", format_rate(report.plan.rate / 1e6),
                                           format_duration(report.plan.seconds), report.place, report.verdict.words);
  return text + "\n" + wrapped(question);
}

void to_json(nlohmann::json& out, const sustain_report& report) {
  const load_plan& plan = report.plan;
  const load_result& load = report.load;
  const auto worst = find_worst_second(load);
  nlohmann::json samples = nlohmann::json::array();
  for (const load_sample& each : load.samples) samples.push_back(make_json(each));
  out = {{"answer", to_string(report.verdict.answer)},
         {"words", report.verdict.words},
         {"rate", plan.rate},
         {"time", plan.seconds},
         {"writers", plan.writers},
         {"size", plan.size},
         {"method", plan.method},
         {"block", plan.block},
         {"depth", plan.depth},
         {"class", to_string(plan.durability)},
         {"bytes", load.bytes},
         {"seconds", load.seconds},
         {"seconds_of_sync", load.sync_seconds},
         {"cpu_process", load.cpu.process},
         {"cpu_whole", load.cpu.whole},
         {"longest_wait", load.longest_wait},
         {"wait_ms", {{"half", quantile_ms(load.waits, 0.5)}, {"99", quantile_ms(load.waits, 0.99)}}},
         {"behind", load.worst.seconds},
         {"behind_elsewhere", load.worst.elsewhere},
         {"worst_second", worst ? nlohmann::json(worst->rate) : nlohmann::json(nullptr)},
         {"most", report.most ? nlohmann::json(*report.most) : nlohmann::json(nullptr)},
         {"spare", report.verdict.spare ? nlohmann::json(*report.verdict.spare) : nlohmann::json(nullptr)},
         {"failure", load.failure.empty() ? nlohmann::json(nullptr) : nlohmann::json(load.failure)},
         {"samples", samples}};
}

}  // namespace freshet::tool
