// The data of the page of `freshet report`.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <limits>
#include <string>
#include <vector>

#include "tests/tool/analysis/report_sample.hpp"
#include "tool/base/clock.hpp"
#include "tool/command/laboratory.hpp"
#include "tool/report/html/figures.hpp"
#include "tool/report/html/page.hpp"
#include "tool/report/html/page_data.hpp"
#include "tool/search/statistics.hpp"

namespace {

using namespace freshet::tool;
using freshet::test::make_run;
using freshet::test::make_sample;
using freshet::test::sample_runs;
using freshet::test::sample_trials;
using nlohmann::json;
using testing::HasSubstr;

/// The page's JSON for the trials that `make` creates, and these trials.
struct sample_page {
  json page;
  std::vector<record> records;
};

template <typename Make>
sample_page page_of(std::vector<run> runs, Make make, const lines_drawer& draw = ask_laboratory) {
  sample_page sample;
  page_data data{std::move(runs)};
  sample_trials trials{[&](record&& each) {
    sample.records.push_back(each);
    data.add(std::move(each));
  }};
  make(trials);
  data.draw(draw);
  sample.page = data.json(json::object());
  return sample;
}

sample_page whole_sample() { return page_of(sample_runs(), make_sample); }

const json& group_with(const json& page, const std::string& workload, const std::string& measured_class,
                       std::size_t place = 0) {
  for (const json& group : page["groups"])
    if (group["workload"] == workload && group["class"] == measured_class && group["place"] == place) return group;
  throw std::runtime_error{"no such group"};
}

double rounded(double value) { return page_number(value).get<double>(); }

TEST(report_data, each_trial_has_its_own_figures_in_the_order_in_which_they_were_made) {
  const sample_page sample = whole_sample();
  const json& trials = sample.page["trials"];
  ASSERT_EQ(trials["id"].size(), sample.records.size());
  const std::string verdicts = trials["verdict"];
  for (std::size_t i = 0; i < sample.records.size(); ++i) {
    const record& each = sample.records[i];
    EXPECT_EQ(trials["id"][i], each.id);
    EXPECT_EQ(sample.page["runs"][trials["run"][i].get<std::size_t>()]["id"], each.run);
    EXPECT_NEAR(trials["close"][i].get<double>(), each.figures.rate_to_close(), 1e-5 * each.figures.rate_to_close());
    EXPECT_NEAR(trials["disk"][i].get<double>(), each.figures.rate_to_disk(), 1e-5 * each.figures.rate_to_disk());
    EXPECT_EQ(verdicts[i], to_string(each.figures.validity).front());
    EXPECT_EQ(trials["started"][i], seconds_since_1970(each.figures.started));
    const json& row = sample.page["rows"][trials["row"][i].get<std::size_t>()];
    EXPECT_EQ(row["label"], each.label);
    EXPECT_EQ(row["method"], each.method);
    EXPECT_EQ(sample.page["groups"][row["group"].get<std::size_t>()]["workload"], each.workload);
  }
}

TEST(report_data, a_plan_has_the_median_of_its_valid_trials_only) {
  const sample_page sample = whole_sample();
  std::size_t left_out = 0;
  for (std::size_t number = 0; number < sample.page["rows"].size(); ++number) {
    const json& row = sample.page["rows"][number];
    std::vector<double> close;
    std::size_t all = 0;
    for (std::size_t i = 0; i < sample.records.size(); ++i) {
      if (sample.page["trials"]["row"][i] != number) continue;
      ++all;
      if (sample.records[i].figures.validity != trial_validity::invalid)
        close.push_back(sample.records[i].figures.rate_to_close());
    }
    EXPECT_EQ(row["trials"], all);
    EXPECT_EQ(row["invalid"], all - close.size());
    EXPECT_EQ(row["used"], close.size());
    const estimate expected = estimate_median(close);
    EXPECT_EQ(row["close"], page_estimate(expected)) << row["label"];
    left_out += all - close.size();
  }
  EXPECT_GT(left_out, 0U);
}

TEST(report_data, a_verdict_ignores_invalid_trials_and_counts_them_with_reasons) {
  const sample_page sample = whole_sample();
  const json& group = group_with(sample.page, "text", "at_close");
  EXPECT_EQ(group["state"], "decided");
  EXPECT_EQ(group["clock"], "disk");
  const auto best = std::ranges::find_if(sample.page["rows"], [&](const json& row) {
    return sample.page["groups"][row["group"].get<std::size_t>()] == group && row["rank"] == 1;
  });
  ASSERT_NE(best, sample.page["rows"].end());
  EXPECT_EQ((*best)["label"], "uring 4 MiB");
  EXPECT_EQ(group["trials"], 168);
  const auto invalid = std::ranges::count_if(sample.records, [](const record& each) {
    return each.workload == "text" && each.figures.plan.measured_class == io_class::at_close &&
           each.figures.validity == trial_validity::invalid;
  });
  EXPECT_EQ(group["invalid"], invalid);
  EXPECT_EQ(
      group["remarks"].back(),
      fmt::format("{0} of 168 trials were left out as invalid: {0} × the file does not hold what was to be written.",
                  invalid));
}

TEST(report_data, rows_stand_in_the_order_of_the_ranking) {
  const sample_page sample = whole_sample();
  int rank = 0;
  int ranked = 0;
  std::size_t group = 0;
  for (const json& row : sample.page["rows"]) {
    if (row["group"] != group) rank = 0;
    group = row["group"];
    if (sample.page["groups"][group]["role"] != "contest") continue;
    EXPECT_EQ(row["rank"], ++rank);
    EXPECT_EQ(row["result"] == "winner", rank == 1);
    ++ranked;
  }
  EXPECT_GT(ranked, 1);
}

TEST(report_data, the_same_plan_on_another_file_system_is_another_group) {
  const sample_page sample = whole_sample();
  ASSERT_EQ(sample.page["places"].size(), 2U);
  EXPECT_EQ(sample.page["places"][0]["name"], "ext4 on vda");
  EXPECT_EQ(sample.page["places"][1]["name"], "tmpfs");
  EXPECT_EQ(group_with(sample.page, "blocks", "none", 1)["trials"], 120);
  EXPECT_EQ(sample.page["environments"].size(), 2U);
  EXPECT_EQ(sample.page["environments"][0]["runs"], json({0, 1, 2}));
}

TEST(report_data, each_run_has_its_own_median_of_a_plan) {
  const sample_page sample = whole_sample();
  std::size_t checked = 0;
  for (const json& share : sample.page["shares"]) {
    std::vector<double> close;
    for (std::size_t i = 0; i < sample.records.size(); ++i)
      if (sample.page["trials"]["row"][i] == share["row"] && sample.page["trials"]["run"][i] == share["run"] &&
          sample.records[i].figures.validity != trial_validity::invalid)
        close.push_back(sample.records[i].figures.rate_to_close());
    EXPECT_EQ(share["used"], close.size());
    EXPECT_EQ(share["close"][0].get<double>(), rounded(median(close)));
    ++checked;
  }
  EXPECT_GT(checked, sample.page["rows"].size()) << "a plan was measured by two runs";
}

TEST(report_data, a_run_has_the_verdict_that_a_page_of_it_alone_has) {
  const sample_page sample = whole_sample();
  const json& groups = sample.page["groups"];
  std::size_t checked = 0;
  for (std::size_t run = 0; run < sample.page["runs"].size(); ++run) {
    page_data alone{sample_runs()};
    for (record each : sample.records)
      if (each.run == sample.page["runs"][run]["id"]) alone.add(std::move(each));
    alone.draw(ask_laboratory);
    const json page = alone.json(json::object());
    for (const json& verdict : sample.page["verdicts"]) {
      if (verdict["run"] != run) continue;
      const json& group = groups[verdict["group"].get<std::size_t>()];
      const auto same = std::ranges::find_if(page["groups"], [&](const json& each) {
        return each["task"] == group["task"] && each["place"] == group["place"];
      });
      ASSERT_NE(same, page["groups"].end());
      for (const char* const key : {"state", "certain", "headline", "remarks", "cpu_bound_from", "trials", "invalid"})
        EXPECT_EQ(verdict[key], (*same)[key]) << group["task"] << ' ' << key;
      ++checked;
    }
    for (const json& share : sample.page["shares"]) {
      if (share["run"] != run) continue;
      const json& row = sample.page["rows"][share["row"].get<std::size_t>()];
      const auto same = std::ranges::find_if(page["rows"], [&](const json& each) {
        return each["label"] == row["label"] && page["groups"][each["group"].get<std::size_t>()]["task"] ==
                                                    groups[row["group"].get<std::size_t>()]["task"];
      });
      ASSERT_NE(same, page["rows"].end());
      for (const char* const key : {"rank", "standing", "ratio", "gain", "sweep", "size"})
        EXPECT_EQ(share.value(key, json{}), same->value(key, json{})) << row["label"] << ' ' << key;
    }
  }
  EXPECT_GT(checked, groups.size()) << "a group was measured by two runs";
}

TEST(report_data, a_row_has_the_sizes_of_the_trials_that_count) {
  page_data data{{make_run(1)}, {{{1, "text", io_class::none}, 1 << 28}}};
  sample_trials trials{[&](record&& each) {
    each.figures.plan.size = each.figures.round < 2 ? 1 << 26 : 1 << 28;
    data.add(std::move(each));
  }};
  trials.add_bench(1, workload_kind::text, io_class::none, 4);
  const json page = data.json(json::object());
  EXPECT_EQ(page["rows"][0]["least_size"], 1 << 26);
  EXPECT_EQ(page["rows"][0]["size"], 1 << 28);
}

TEST(report_data, latencies_are_those_of_all_valid_trials_together) {
  const sample_page sample = whole_sample();
  const json& row = sample.page["rows"][0];
  latency_histogram all;
  for (std::size_t i = 0; i < sample.records.size(); ++i)
    if (sample.page["trials"]["row"][i] == 0 && sample.records[i].figures.validity != trial_validity::invalid)
      all.add(sample.records[i].figures.block_latency);
  std::uint64_t calls = 0;
  for (const json& each : row["latency"]["calls"]) calls += each.get<std::uint64_t>();
  EXPECT_EQ(calls, all.calls());
  EXPECT_EQ(row["latency"], page_latency(all));
}

TEST(report_data, the_speed_over_time_is_that_of_one_of_the_plans_trials) {
  const sample_page sample = whole_sample();
  const json& curve = sample.page["rows"][0]["curve"];
  const auto trial = std::ranges::find(sample.records, curve["trial"].get<std::int64_t>(), &record::id);
  ASSERT_NE(trial, sample.records.end());
  EXPECT_EQ(trial->label, sample.page["rows"][0]["label"]);
  const rate_curve& kept = trial->figures.over_time;
  EXPECT_EQ(curve["step"], kept.step());
  ASSERT_EQ(curve["mb_per_second"].size(), kept.bytes().size());
  for (std::size_t i = 0; i < kept.bytes().size(); ++i)
    EXPECT_EQ(curve["mb_per_second"][i].get<double>(),
              rounded(static_cast<double>(kept.bytes()[i]) / kept.step() / 1e6));
}

TEST(report_data, a_sweep_names_the_fastest_and_where_the_processors_become_the_limit) {
  if (!has_laboratory_command("sweep")) GTEST_SKIP() << "this build has no sweep";
  const sample_page sample = whole_sample();
  const json& group = group_with(sample.page, "lines", "warm");
  EXPECT_EQ(group["special"], "small-files");
  EXPECT_EQ(group["state"], "sweep");
  EXPECT_EQ(group["cpu_bound_from"], 1000);
  const auto cell = std::ranges::find_if(sample.page["rows"], [](const json& row) { return row.contains("sweep"); });
  EXPECT_EQ((*cell)["sweep"]["strategy"], "streaming");
  EXPECT_EQ((*cell)["sweep"]["threads"], 1);
  EXPECT_EQ((*cell)["sweep"]["work"], 0);
}

TEST(report_data, says_what_nobody_draws) {
  const sample_page sample = page_of(sample_runs(), make_sample, [](const json&) -> json {
    throw nobody_draws{"Only freshet-lab draws it, and there is none."};
  });
  const json& group = group_with(sample.page, "lines", "warm");
  EXPECT_EQ(group["state"], "none");
  EXPECT_EQ(group["headline"], "Only freshet-lab draws it, and there is none.");
  EXPECT_EQ(group["cpu_bound_from"], nullptr);
  EXPECT_TRUE(std::ranges::none_of(sample.page["rows"], [](const json& row) { return row.contains("sweep"); }));
}

TEST(report_data, without_a_valid_trial_there_is_no_verdict) {
  page_data data{{make_run(1)}};
  sample_trials trials{[&](record&& each) {
    each.figures.validity = trial_validity::invalid;
    each.figures.reasons = {"the page cache had it"};
    data.add(std::move(each));
  }};
  trials.add_bench(1, workload_kind::text, io_class::cold, 1);
  const json page = data.json(json::object());
  EXPECT_EQ(page["groups"][0]["state"], "none");
  EXPECT_EQ(page["rows"][0]["used"], 0);
  EXPECT_EQ(page["trials"]["verdict"], std::string(24, 'i'));
}

TEST(report_data, no_trials_are_no_error) {
  const json page = page_data{{}}.json({{"store", "x"}});
  EXPECT_EQ(page["store"], "x");
  EXPECT_TRUE(page["groups"].empty());
  EXPECT_TRUE(page["trials"]["id"].empty());
}

TEST(report_data, trials_without_figures_are_harmless) {
  page_data data{{make_run(1)}};
  record nothing;
  nothing.run = 1;
  nothing.workload = "text";
  nothing.figures.validity = trial_validity::invalid;
  data.add(std::move(nothing));
  record unknown_run;
  unknown_run.run = 77;
  data.add(std::move(unknown_run));
  const json page = data.json(json::object());
  EXPECT_EQ(page["trials"]["id"].size(), 1U);
  EXPECT_TRUE(page["trials"]["close"][0].is_null());
  EXPECT_EQ(page["groups"][0]["state"], "none");
}

TEST(report_data, times_are_parsed_as_stored) {
  EXPECT_EQ(seconds_since_1970("1970-01-02T00:00:01Z"), 86401);
  EXPECT_EQ(seconds_since_1970("2026-03-01T12:00:00.123Z"), 1772366400);
  EXPECT_EQ(seconds_since_1970(""), 0);
  EXPECT_EQ(seconds_since_1970("2026-13-01T00:00:00Z"), 0);
}

TEST(report_data, figures_have_six_digits) {
  EXPECT_EQ(page_number(1234.5678).dump(), "1234.57");
  EXPECT_EQ(page_number(0.000123456789).dump(), "0.000123457");
  EXPECT_EQ(page_number(123456789).dump(), "123457000");
  EXPECT_EQ(page_number(-2.5).dump(), "-2.5");
  EXPECT_EQ(page_number(0).dump(), "0");
  EXPECT_TRUE(page_number(std::numeric_limits<double>::infinity()).is_null());
}

TEST(report_page, data_cannot_end_its_script_element) {
  const std::string text = json_for_script({{"label", "</script><!-- & \xff"}});
  EXPECT_EQ(text.find('<'), std::string::npos);
  EXPECT_EQ(json::parse(text)["label"], "</script><!-- & \xEF\xBF\xBD");
}

TEST(report_page, fills_its_frame_once_and_names_its_scripts_by_their_hashes) {
  const page_assets assets{.html = "{{policy}}|{{style}}|{{data}}|{{charts}}|{{script}}|{{notice}}|{{",
                           .style = "{{data}}",
                           .notice = "A & <B>"};
  const std::string none = "'sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU='";
  EXPECT_EQ(
      make_page({{"a", 1}}, "", assets),
      "default-src 'none'; script-src " + none + " " + none +
          "; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'|{{data}}|{\"a\":1}|||A &amp; &lt;B>|{{");
}

TEST(report_page, is_made_of_the_built_in_assets) {
  const page_assets assets = built_in_assets();
  EXPECT_THAT(std::string{assets.html.substr(0, 15)}, "<!doctype html>");
  EXPECT_FALSE(assets.style.empty());
  EXPECT_EQ(assets.script.find("</script"), std::string_view::npos);
  // The chart library's own header names its licence and must stay.
  if (!assets.charts.empty()) {
    EXPECT_THAT(std::string{assets.charts.substr(0, 400)}, HasSubstr("Apache License"));
    EXPECT_THAT(std::string{assets.notice}, HasSubstr("Apache Software Foundation"));
  }
}

}  // namespace
