// `freshet report` as its users call it.
#include <gmock/gmock.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/support/freshet_command.hpp"
#include "tests/tool/analysis/report_sample.hpp"
#include "tool/store/store.hpp"

namespace {

using namespace freshet::test;
using freshet::tool::io_class;
using freshet::tool::record;
using freshet::tool::run;
using freshet::tool::store;
using freshet::tool::workload_kind;
using nlohmann::json;
using testing::HasSubstr;
using testing::Not;

/// The page's data, as a browser reads it.
json data_of(const std::string& page) {
  const std::string begin = R"(<script type="application/json" id="report-data">)";
  const std::size_t from = page.find(begin);
  if (from == std::string::npos) return {};
  const std::size_t start = from + begin.size();
  return json::parse(page.substr(start, page.find("</script>", start) - start));
}

class report_command : public testing::Test {
 protected:
  /// A store of two runs with 24 trials each.
  void SetUp() override {
    store kept{file_, store::access::write};
    for (run each : {make_run(1), make_run(2, "bench", "tmpfs")}) {
      const std::int64_t id = kept.begin(each);
      sample_trials trials{[&](record&& trial) { kept.add(trial); }};
      trials.add_bench(id, workload_kind::text, io_class::none, 1);
    }
  }

  [[nodiscard]] ended report(std::vector<std::string> words, const std::string& name = "report.html") const {
    words.insert(words.begin(), {"report", "--store", file_.string(), "--out", (place_ / name).string()});
    return command_.run(std::move(words));
  }
  [[nodiscard]] json data(const std::string& name = "report.html") const { return data_of(content_of(place_ / name)); }

  temporary_directory place_;
  std::filesystem::path file_ = place_ / "trials.sqlite";
  freshet_command command_;
};

TEST_F(report_command, writes_one_page_of_all_trials) {
  const ended done = report({});
  EXPECT_EQ(done.exit_code, 0) << done.err;
  EXPECT_THAT(done.out, HasSubstr("report.html: 48 trials, "));
  const std::string page = content_of(place_ / "report.html");
  EXPECT_EQ(page.substr(0, 15), "<!doctype html>");
  EXPECT_THAT(page, HasSubstr("default-src 'none'"));
  EXPECT_EQ(data()["runs"].size(), 2U);
  EXPECT_EQ(data()["trials"]["id"].size(), 48U);
}

TEST_F(report_command, selects_runs_by_the_options) {
  EXPECT_EQ(report({"--run", "2"}).exit_code, 0);
  EXPECT_EQ(data()["trials"]["id"].size(), 24U);
  EXPECT_EQ(data()["runs"][0]["id"], 2);
  EXPECT_EQ(data()["selected"], "run 2");
  EXPECT_EQ(report({"--directory", "/data/ext4"}).exit_code, 0);
  EXPECT_EQ(data()["runs"].size(), 1U);
  EXPECT_EQ(data()["runs"][0]["id"], 1);
  EXPECT_EQ(report({"--directory", "/data/"}).exit_code, 0);
  EXPECT_EQ(data()["runs"].size(), 2U);
  EXPECT_EQ(report({"--directory", "/dat"}).exit_code, 1) << "no part of a name";
  EXPECT_EQ(report({"--since", "2026"}).exit_code, 0);
  EXPECT_EQ(data()["runs"].size(), 2U);
}

TEST_F(report_command, says_when_nothing_is_selected) {
  const ended late = report({"--since", "2999-01-01"}, "none.html");
  EXPECT_EQ(late.exit_code, 1);
  EXPECT_THAT(late.err, HasSubstr("no stored trial matches: since 2999-01-01"));
  const ended unknown = report({"--run", "7"}, "none.html");
  EXPECT_EQ(unknown.exit_code, 1);
  EXPECT_THAT(unknown.err, HasSubstr("there is no run 7"));
  EXPECT_FALSE(std::filesystem::exists(place_ / "none.html"));
}

TEST_F(report_command, says_when_there_is_no_store) {
  const ended done = command_.run({"report", "--store", (place_ / "other").string()});
  EXPECT_EQ(done.exit_code, 1);
  EXPECT_THAT(done.err, HasSubstr((place_ / "other").string()));
  EXPECT_THAT(done.err, HasSubstr("nothing was measured yet"));
}

TEST_F(report_command, says_when_the_file_is_not_a_store) {
  std::ofstream{file_} << "no database";
  const ended done = report({});
  EXPECT_EQ(done.exit_code, 1);
  EXPECT_THAT(done.err, HasSubstr(file_.string()));
}

TEST_F(report_command, leaves_the_old_page_when_it_cannot_write) {
  const ended done = report({}, "missing/report.html");
  EXPECT_EQ(done.exit_code, 1);
  EXPECT_THAT(done.err, HasSubstr("missing"));
  const ended full = command_.run({"report", "--store", file_.string(), "--out", "/dev/full"});
  EXPECT_EQ(full.exit_code, 1);
  EXPECT_THAT(full.err, HasSubstr("No space left on device"));
}

TEST_F(report_command, writes_to_standard_output_alone) {
  const ended done = command_.run({"report", "--store", file_.string(), "--out", "-"});
  EXPECT_EQ(done.exit_code, 0);
  EXPECT_EQ(data_of(done.out)["trials"]["id"].size(), 48U);
  EXPECT_EQ(done.out.substr(done.out.size() - 8), "</html>\n");
}

TEST_F(report_command, refuses_wrong_usage) {
  EXPECT_EQ(report({"--since", "yesterday"}).exit_code, 2);
  EXPECT_EQ(report({"--run", "first"}).exit_code, 2);
}

}  // namespace
