#include "tool/report/profile_report.hpp"

#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "src/os/environment.hpp"
#include "tests/tool/trial/profiled_directory.hpp"
#include "tool/base/place.hpp"

namespace freshet::tool {
namespace {

using namespace test;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

using profile_report_test = profiled_directory;

TEST_F(profile_report_test, shows_the_entry_in_force) {
  save_profile(path(), current());
  const auto report = inspect_profile(directory());
  ASSERT_TRUE(report.entry);
  EXPECT_EQ(report.from, path());
  EXPECT_THAT(report.stale, IsEmpty());
  EXPECT_THAT(report.warnings, IsEmpty());
  EXPECT_EQ(report.untried, "");
  EXPECT_EQ(report.classes[none].winner, current().winners[none]);
  EXPECT_EQ(report.classes[none].why_not, "");
  EXPECT_EQ(report.classes[none].opened_with, "buffered");
  EXPECT_FALSE(report.classes[static_cast<std::size_t>(io_class::each_write)].winner);
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator{directory()}, {}), 1) << "left something behind";
}

TEST_F(profile_report_test, shows_how_files_are_read) {
  save_profile(path(), current());
  const auto report = inspect_profile(directory());
  const profiled_class& cold = report.classes[static_cast<std::size_t>(io_class::cold)];
  const profiled_class& warm = report.classes[static_cast<std::size_t>(io_class::warm)];
  EXPECT_EQ(cold.winner->block, 2U << 20);
  EXPECT_EQ(cold.why_not, "");
  EXPECT_EQ(cold.opened_with, is_in_memory(report.file_system) ? "" : "buffered");
  EXPECT_FALSE(warm.winner);
  EXPECT_EQ(warm.opened_with, "buffered");
  const nlohmann::json json = report;
  EXPECT_EQ(json.at("classes").at("cold").at("winner"),
            (nlohmann::json{{"method", "buffered"},
                            {"block", 2 << 20},
                            {"depth", 0},
                            {"provisional", ""},
                            {"fixed", false},
                            {"measured", {{"kept", nullptr}, {"behind", nullptr}, {"past", nullptr}}}}));
  EXPECT_TRUE(json.at("classes").at("warm").at("winner").is_null());
}

TEST_F(profile_report_test, shows_stale_marks) {
  auto entry = current();
  entry.kernel = "2.6.32";
  save_profile(path(), entry);
  const auto report = inspect_profile(directory());
  ASSERT_EQ(report.stale.size(), 1U);
  EXPECT_EQ(report.stale[0].property, "kernel");
  EXPECT_EQ(report.stale[0].measured, "2.6.32");
  EXPECT_EQ(report.stale[0].now, detail::os::kernel_release());
}

TEST_F(profile_report_test, reports_that_there_is_no_entry) {
  const auto report = inspect_profile(directory());
  EXPECT_FALSE(report.entry);
  EXPECT_THAT(report.warnings, ElementsAre(HasSubstr(path().string())));
  EXPECT_THAT(report.classes[none].opened_with, Not(IsEmpty()));
}

TEST_F(profile_report_test, has_the_same_facts_in_json) {
  auto entry = current();
  entry.mount_options = "other";
  save_profile(path(), entry);
  const nlohmann::json json = inspect_profile(directory());
  EXPECT_EQ(json.at("entry").at("from"), path().string());
  EXPECT_EQ(json.at("classes").at("none").at("winner").at("method"), "buffered");
  EXPECT_EQ(json.at("classes").at("none").at("winner").at("block"), 1 << 20);
  EXPECT_TRUE(json.at("classes").at("each_write").at("winner").is_null());
  EXPECT_EQ(json.at("stale").at(0).at("what"), "mount options");
  EXPECT_EQ(json.at("stale").at(0).at("measured"), "other");
}

}  // namespace
}  // namespace freshet::tool
