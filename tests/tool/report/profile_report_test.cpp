#include "tool/report/profile_report.hpp"
#include "tool/base/place.hpp"

#include <gmock/gmock.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include <freshet/error.hpp>

#include "src/os/environment.hpp"
#include "src/profile_lookup.hpp"
#include "tests/support/profile_sample.hpp"
#include "tool/trial/gates.hpp"

namespace freshet::tool {
namespace {

using namespace test;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

detail::os::file_system here_as(const file_system_profile& entry) {
  detail::os::file_system file_system;
  file_system.type = entry.type;
  file_system.mount_options = entry.mount_options;
  return file_system;
}

TEST(stale_marks, are_empty_if_nothing_changed) {
  const auto entry = sample("uuid:1");
  EXPECT_THAT(find_stale_marks(entry, here_as(entry), entry.kernel), IsEmpty());
}

TEST(stale_marks, name_what_changed_and_both_values) {
  const auto entry = sample("uuid:1");
  auto file_system = here_as(entry);
  file_system.type = "xfs";
  file_system.mount_options = "rw,noatime";
  const auto marks = find_stale_marks(entry, file_system, "7.0");
  ASSERT_EQ(marks.size(), 3U);
  EXPECT_EQ(marks[0].property, "kernel");
  EXPECT_EQ(marks[0].measured, entry.kernel);
  EXPECT_EQ(marks[0].now, "7.0");
  EXPECT_EQ(marks[1].property, "type");
  EXPECT_EQ(marks[2].property, "mount options");
  EXPECT_EQ(marks[2].measured, "rw,relatime");
  EXPECT_EQ(marks[2].now, "rw,noatime");
}

TEST(stale_marks, ignore_what_the_entry_does_not_record) {
  file_system_profile entry;
  EXPECT_THAT(find_stale_marks(entry, here_as(sample("uuid:1")), "7.0"), IsEmpty());
}

/// A directory whose own profile is in force.
class profile_report_test : public profile_file {
 protected:
  profile_report_test() {
    std::error_code code;
    here_ = detail::os::file_system_of(directory(), code);
    if (code) throw error{code, "look at", directory()};
    detail::forget_profiles();
  }
  ~profile_report_test() override { detail::forget_profiles(); }

  file_system_profile current() const {
    auto made = sample(here_.key);
    made.type = here_.type;
    made.mount_options = here_.mount_options;
    made.kernel = detail::os::kernel_release();
    made.winners[none] = {.method = "buffered", .block = 1 << 20};
    made.winners[at_close] = {.method = "buffered"};
    made.cold = {.method = "buffered", .block = 2 << 20};
    return made;
  }

 private:
  detail::os::file_system here_;
  environment_variable chosen_{"FRESHET_PROFILE", path().string()};
};

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
  EXPECT_THAT(format_profile(report), HasSubstr("buffered 1 MiB"));
  EXPECT_THAT(format_profile(report), HasSubstr("each_write  not measured"));
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
  EXPECT_THAT(format_profile(report), HasSubstr("cold        buffered 2 MiB"));
  EXPECT_THAT(format_profile(report), HasSubstr("warm        not measured; files are opened with buffered"));
  const nlohmann::json made = report;
  EXPECT_EQ(made.at("classes").at("cold").at("winner"),
            (nlohmann::json{{"method", "buffered"}, {"block", 2 << 20}, {"depth", 0}}));
  EXPECT_TRUE(made.at("classes").at("warm").at("winner").is_null());
}

TEST_F(profile_report_test, distinguishes_cold_from_warm_reading) {
  auto entry = current();
  entry.cold = {.method = "direct"};
  save_profile(path(), entry);
  const auto report = inspect_profile(directory());
  const profiled_class& cold = report.classes[static_cast<std::size_t>(io_class::cold)];
  if (is_in_memory(report.file_system) || !cold.why_not.empty())
    GTEST_SKIP() << "no direct reading there: " << cold.why_not;
  EXPECT_EQ(cold.opened_with, "direct");
  EXPECT_EQ(report.classes[static_cast<std::size_t>(io_class::warm)].opened_with, "buffered");
}

TEST_F(profile_report_test, shows_stale_marks) {
  auto entry = current();
  entry.kernel = "2.6.32";
  save_profile(path(), entry);
  const auto text = format_profile(inspect_profile(directory()));
  EXPECT_THAT(text, HasSubstr("kernel was \"2.6.32\""));
  EXPECT_THAT(text, HasSubstr("\"" + detail::os::kernel_release() + "\" now"));
}

TEST_F(profile_report_test, reports_that_there_is_no_entry) {
  const auto report = inspect_profile(directory());
  EXPECT_FALSE(report.entry);
  EXPECT_THAT(report.warnings, ElementsAre(HasSubstr(path().string())));
  EXPECT_THAT(format_profile(report), HasSubstr("freshet tune"));
  EXPECT_THAT(report.classes[none].opened_with, Not(IsEmpty()));
}

TEST_F(profile_report_test, names_a_broken_file_and_line) {
  put_text(path(), "format = 1\n\n=");
  EXPECT_THAT(inspect_profile(directory()).warnings, ElementsAre(HasSubstr(path().string() + ":3: ")));
}

TEST_F(profile_report_test, has_the_same_facts_in_json) {
  auto entry = current();
  entry.mount_options = "other";
  save_profile(path(), entry);
  const nlohmann::json made = inspect_profile(directory());
  EXPECT_EQ(made.at("entry").at("from"), path().string());
  EXPECT_EQ(made.at("classes").at("none").at("winner").at("method"), "buffered");
  EXPECT_EQ(made.at("classes").at("none").at("winner").at("block"), 1 << 20);
  EXPECT_TRUE(made.at("classes").at("each_write").at("winner").is_null());
  EXPECT_EQ(made.at("stale").at(0).at("what"), "mount options");
  EXPECT_EQ(made.at("stale").at(0).at("measured"), "other");
}

TEST_F(profile_report_test, rejects_a_path_that_is_not_a_directory) {
  EXPECT_THROW(static_cast<void>(inspect_profile(directory() / "missing")), error);
  put_text(directory() / "file", "");
  EXPECT_THROW(static_cast<void>(inspect_profile(directory() / "file")), error);
}

}  // namespace
}  // namespace freshet::tool
