// All that the exports have of one run, held by files.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/support/golden.hpp"
#include "tests/support/made_up_trials.hpp"
#include "tool/export/exports.hpp"

namespace freshet::tool {
namespace {

using test::make_trials;
using test::mebibyte;

// Plans of several classes and workloads; trials that are invalid or disturbed, that warm up and that explain.
std::vector<record> kept_records() {
  std::vector<record> all;
  const auto add = [&](const std::vector<trial_result>& trials, trial_purpose purpose = trial_purpose::ranking) {
    for (record& each :
         test::keep(test::watched(trials), test::make_run(), static_cast<std::int64_t>(all.size()) + 1)) {
      set_purpose(each, purpose);
      all.push_back(each);
    }
  };
  const auto plan = [](const std::string& method, io_class measured_class = io_class::none) {
    return trial_plan{
        .method = method, .block = mebibyte, .depth = 2, .measured_class = measured_class, .size = test::gigabyte};
  };
  trial_plan blocks = plan("uring", io_class::at_close);
  blocks.workload = workload_kind::blocks;
  blocks.ordered = false;
  add(make_trials(plan("uring"), {0.5, 0.52, 0.48}, {.disk = 1.25}));
  add(make_trials(plan("buffered"), {1, 1.1, 0.9, 1.05, 0.95, 1}, {.disk = 1.5}));
  add(make_trials(plan("buffered"), {2}, {.disturbed = "others wrote to vda meanwhile"}));
  add(make_trials(plan("direct"), {3}, {.invalid = "the content | differs"}));
  add(make_trials(blocks, {1, 1.25}, {.disk = 2}));
  add(make_trials(plan("direct", io_class::cold), {1, 1.25}));
  add(make_trials(plan("uring"), {9}), trial_purpose::warm_up);
  add(make_trials(plan("buffered"), {4, 5}, {.met_slow_memory = true}), trial_purpose::diagnosis);
  all.front().figures.written_by_others = {{"bash \"x\"", 4096}};
  all.front().extra = {{"why", "because"}};
  return all;
}

TEST(golden_exports, have_all_of_a_run) {
  for (const std::string& kind : export_kinds()) {
    const std::string ending = kind == "csv" ? "csv" : kind == "markdown" ? "md" : "json";
    const std::string name = "tool/export/golden/" + kind + "." + ending;
    const std::string text = format_export(kind, test::make_run(), kept_records());
    EXPECT_TRUE(test::is_golden(name, test::with_nine_digits(text)));
  }
}

}  // namespace
}  // namespace freshet::tool
