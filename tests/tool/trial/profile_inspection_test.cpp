// The inspection of a directory's profile.
#include "tool/trial/profile_inspection.hpp"

#include <gmock/gmock.h>

#include <freshet/error.hpp>

#include "tests/support/writing.hpp"
#include "tests/tool/trial/profiled_directory.hpp"
#include "tool/base/place.hpp"

namespace freshet::tool {
namespace {

using namespace test;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

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

using profile_inspection_test = profiled_directory;

TEST_F(profile_inspection_test, distinguishes_cold_from_warm_reading) {
  auto entry = current();
  entry.cold = {.method = "direct"};
  save_profile(path(), entry);
  const auto report = inspect_profile(directory());
  if (is_in_memory(report.file_system)) GTEST_SKIP() << why_never_cold(report.file_system);
  if (const auto reason = test::why_not("direct", directory()); !reason.empty()) GTEST_SKIP() << reason;
  const profiled_class& cold = report.classes[static_cast<std::size_t>(io_class::cold)];
  EXPECT_EQ(cold.why_not, "");
  EXPECT_EQ(cold.opened_with, "direct");
  EXPECT_EQ(report.classes[static_cast<std::size_t>(io_class::warm)].opened_with, "buffered");
}

TEST_F(profile_inspection_test, names_a_broken_file_and_line) {
  put_text(path(), "format = 1\n\n=");
  EXPECT_THAT(inspect_profile(directory()).warnings, ElementsAre(HasSubstr(path().string() + ":3: ")));
}

TEST_F(profile_inspection_test, rejects_a_path_that_is_not_a_directory) {
  EXPECT_THROW(static_cast<void>(inspect_profile(directory() / "missing")), error);
  put_text(directory() / "file", "");
  EXPECT_THROW(static_cast<void>(inspect_profile(directory() / "file")), error);
}

}  // namespace
}  // namespace freshet::tool
