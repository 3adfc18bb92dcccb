// Files with relative paths belong to the directory in which they were opened, wherever the program goes afterwards.
#include <freshet/writer.hpp>

#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "tests/support/fault_injection.hpp"
#include "tests/support/temporary_directory.hpp"
#include "tests/support/writing.hpp"

namespace freshet {
namespace {

using detail::os::call;
using test::content_of;

class after_chdir : public testing::Test {
 protected:
  after_chdir() {
    std::filesystem::create_directory(here_);
    std::filesystem::create_directory(there_);
    std::filesystem::current_path(here_);
  }
  ~after_chdir() override { std::filesystem::current_path(before_); }

  writer open_and_leave(const writer_options& options) {
    writer out{"file", options};
    out.write("content");
    std::filesystem::current_path(there_);
    return out;
  }
  void expect_only_here() const {
    EXPECT_EQ(content_of(here_ / "file"), "content");
    EXPECT_EQ(test::entries_in(here_), 1U);
    EXPECT_EQ(test::entries_in(there_), 0U);
  }

  test::temporary_directory scratch_;
  const std::filesystem::path before_ = std::filesystem::current_path();
  const std::filesystem::path here_ = scratch_ / "here";
  const std::filesystem::path there_ = scratch_ / "there";
};

TEST_F(after_chdir, a_hidden_file_appears_where_it_was_opened) {
  open_and_leave({.hidden_until_closed = true}).close();
  expect_only_here();
}

TEST_F(after_chdir, an_atomic_file_replaces_the_one_where_it_was_opened) {
  writer{"file"}.write("old");
  open_and_leave({.atomic = true}).close();
  expect_only_here();
}

TEST_F(after_chdir, a_hidden_file_that_is_discarded_leaves_nothing_in_either_directory) {
  test::fault_injection faults;
  faults.fail(call::open, 1, std::errc::operation_not_supported);  // no O_TMPFILE: it has a temporary name
  { const auto out = open_and_leave({.hidden_until_closed = true}); }
  EXPECT_EQ(test::entries_in(here_), 0U);
  EXPECT_EQ(test::entries_in(there_), 0U);
}

TEST_F(after_chdir, durability_is_that_of_the_directory_of_the_file) {
  for (const auto wanted : {durability::at_close, durability::each_write}) {
    std::filesystem::current_path(here_);
    test::fault_injection watch;
    auto out = open_and_leave({.durability = wanted});
    std::filesystem::remove(there_);  // what the path would lead to now cannot even be opened
    out.close();
    EXPECT_EQ(watch.count(call::sync_directory), 1U);
    EXPECT_EQ(out.durable_bytes(), 7U);
    EXPECT_EQ(content_of(here_ / "file"), "content");
    std::filesystem::create_directory(there_);
  }
}

TEST_F(after_chdir, sync_finds_the_directory_of_the_file) {
  test::fault_injection watch;
  auto out = open_and_leave({});
  std::filesystem::remove(there_);
  out.sync();
  EXPECT_EQ(watch.count(call::sync_directory), 1U);
  out.close();
  EXPECT_EQ(content_of(here_ / "file"), "content");
}

}  // namespace
}  // namespace freshet
