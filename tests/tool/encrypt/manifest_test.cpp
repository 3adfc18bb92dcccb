// The manifest, and the directory that it keeps for one run.
#include "tool/encrypt/manifest.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <limits>
#include <optional>
#include <string>

#include <freshet/error.hpp>

#include "tests/support/fault_injection.hpp"
#include "tests/support/temporary_directory.hpp"
#include "tests/tool/encrypt/encrypt_files.hpp"
#include "tool/encrypt/output_directory.hpp"

namespace freshet::tool {
namespace {

namespace fs = std::filesystem;
using test::fill;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

manifest sample() {
  return {.plan = {.cipher = cipher_kind::aes, .work = 7},
          .boot = "a boot",
          .inputs = {{"a", 1, 10}, {"b\xFF%\n \"", std::numeric_limits<std::uint64_t>::max(), -5}, {"c", 3, 30}}};
}

std::string fault_of(std::string_view text) {
  try {
    std::ignore = parse_manifest(text, "the/manifest");
  } catch (const error& fault) {
    return fault.what();
  }
  return "accepted";
}

std::string replaced(std::string text, std::string_view what, std::string_view by) {
  const auto at = text.find(what);
  EXPECT_NE(at, std::string::npos) << what;
  return text.replace(at, what.size(), by);
}

TEST(encrypt_manifest, comes_back_as_it_was) {
  manifest made = sample();
  EXPECT_EQ(parse_manifest(to_text(made), "m"), made);
  made.plan = {.cipher = cipher_kind::xor_bytes, .decrypt = true};
  made.clearing = true;
  made.inputs.clear();
  EXPECT_EQ(parse_manifest(to_text(made), "m"), made);
}

TEST(encrypt_manifest, is_plain_ascii) {
  for (const char letter : to_text(sample())) EXPECT_TRUE(letter == '\n' || (letter >= ' ' && letter < 0x7f));
}

TEST(encrypt_manifest, that_is_none_is_refused_with_the_reason) {
  const std::string whole = to_text(sample());
  for (const std::string& text : {std::string{}, std::string{"text"}, std::string{"[1]"}, std::string{"{}"},
                                  whole.substr(0, whole.size() / 2), whole + "}"})
    EXPECT_THAT(fault_of(text), AllOf(HasSubstr("the/manifest"), HasSubstr("no manifest of freshet encrypt")));
  const std::string version = R"("freshet_encrypt": )";
  EXPECT_THAT(fault_of(replaced(whole, version + "1", version + "2")), HasSubstr("version 2"));
  EXPECT_THAT(fault_of(replaced(whole, "\"aes\"", "\"rot13\"")), HasSubstr("rot13"));
  EXPECT_THAT(fault_of(replaced(whole, "\"aes\"", "5")), HasSubstr("\"cipher\""));
  EXPECT_THAT(fault_of(replaced(whole, "\"work\": 7", "\"work\": -7")), HasSubstr("\"work\""));
  EXPECT_THAT(fault_of(replaced(whole, "\"work\": 7", "\"work\": 4294967296")), HasSubstr("\"work\""));
  EXPECT_THAT(fault_of(replaced(whole, "\"decrypt\": false", "\"decrypt\": 0")), HasSubstr("\"decrypt\""));
  EXPECT_THAT(fault_of(replaced(whole, "\"boot\"", "\"foot\"")), HasSubstr("\"boot\""));
  EXPECT_THAT(fault_of(replaced(whole, "\"files\"", "\"tiles\"")), HasSubstr("\"files\""));
  EXPECT_THAT(fault_of(replaced(whole, "\"modified\": 30", "\"modified\": 1e30")), HasSubstr("\"modified\""));
  EXPECT_THAT(fault_of(replaced(whole, "\"c\"", "\"a\"")), HasSubstr("order"));
}

// Files are removed by these names.
TEST(encrypt_manifest, names_no_file_elsewhere) {
  for (const auto* name : {"", ".", "..", "../x", "a/b", "%2E%2E%2Fx", "c%00", "%2", "%XY", "%", ".freshet-1.tmp",
                           ".freshet-encrypt.json"})
    EXPECT_THAT(fault_of(replaced(to_text(sample()), "\"c\"", '"' + std::string{name} + '"')),
                HasSubstr("no file name"))
        << name;
}

TEST(encrypt_manifest, tells_the_first_difference) {
  const manifest one = sample();
  EXPECT_EQ(first_difference(one, one), "");
  manifest other = one;
  other.boot = "another";
  EXPECT_EQ(first_difference(one, other), "");
  other.inputs[2].modified = 31;
  EXPECT_EQ(first_difference(one, other), "'c' was modified since");
  other.inputs[2].size = 4;
  EXPECT_EQ(first_difference(one, other), "'c' had 3 bytes and has 4");
  other.inputs.pop_back();
  EXPECT_EQ(first_difference(one, other), "'c' is no longer among the input");
  EXPECT_EQ(first_difference(other, one), "'c' was not among the input");
  other.inputs.erase(other.inputs.begin());
  EXPECT_EQ(first_difference(one, other), "'a' is no longer among the input");
  EXPECT_EQ(first_difference(other, one), "'a' was not among the input");
  other.plan.work = 8;
  EXPECT_EQ(first_difference(one, other), "--work was 7 and is 8");
  other.plan.cipher = cipher_kind::xor_bytes;
  EXPECT_EQ(first_difference(one, other), "--cipher was aes and is xor");
  other.plan.decrypt = true;
  EXPECT_EQ(first_difference(one, other), "it was not --decrypt");
}

class output : public testing::Test {
 protected:
  static manifest wanted() { return {.plan = {.work = 1}, .boot = "boot", .inputs = {{"a", 1, 1}, {"b", 2, 2}}}; }
  std::vector<std::string> open(const manifest& what, if_there policy) {
    opened_.reset();
    opened_.emplace(out_, what, policy);
    std::vector<std::string> names;
    for (const input_file& file : opened_->unfinished()) names.push_back(file.name);
    return names;
  }
  std::string refusal(const manifest& what, if_there policy) {
    try {
      open(what, policy);
    } catch (const error& fault) {
      return fault.what();
    }
    return "accepted";
  }

  test::temporary_directory directory_;
  fs::path out_ = directory_ / "deep/out";
  std::optional<output_directory> opened_;
};

TEST_F(output, is_made_and_gets_a_manifest) {
  EXPECT_THAT(open(wanted(), if_there::refuse), ElementsAre("a", "b"));
  EXPECT_EQ(read_manifest(out_), wanted());
  EXPECT_FALSE(test::has_leftovers(out_));
}

TEST_F(output, with_anything_in_it_is_refused) {
  fs::create_directories(out_);
  fill(out_ / "x", "");
  EXPECT_THAT(refusal(wanted(), if_there::refuse), AllOf(HasSubstr(out_.string()), HasSubstr("--force")));
  EXPECT_THAT(refusal(wanted(), if_there::resume), HasSubstr("no manifest"));
  EXPECT_FALSE(fs::exists(out_ / manifest_name));
  fs::remove(out_ / "x");
  open(wanted(), if_there::refuse);
  EXPECT_THAT(refusal(wanted(), if_there::refuse), HasSubstr("--resume"));
  opened_.reset();
  fill(directory_ / "file", "");
  out_ = directory_ / "file";
  EXPECT_THAT(refusal(wanted(), if_there::refuse), HasSubstr(out_.string()));
}

TEST_F(output, is_continued_where_it_was_left) {
  open(wanted(), if_there::refuse);
  fill(out_ / "b", "done");
  fill(out_ / ".freshet-7.tmp", "half");
  EXPECT_THAT(open(wanted(), if_there::resume), ElementsAre("a"));
  EXPECT_FALSE(test::has_leftovers(out_));
  fill(out_ / "a", "done");
  EXPECT_THAT(open(wanted(), if_there::resume), IsEmpty());
}

TEST_F(output, that_nothing_was_begun_in_is_begun) {
  EXPECT_THAT(open(wanted(), if_there::resume), ElementsAre("a", "b"));
  opened_.reset();
  fs::resize_file(out_ / manifest_name, 0);
  fill(out_ / ".freshet-1.tmp", "half a manifest");
  EXPECT_THAT(open(wanted(), if_there::resume), ElementsAre("a", "b"));
  EXPECT_FALSE(test::has_leftovers(out_));
  EXPECT_EQ(read_manifest(out_), wanted());
}

TEST_F(output, of_another_run_is_not_continued) {
  open(wanted(), if_there::refuse);
  manifest other = wanted();
  other.plan.work = 2;
  EXPECT_THAT(refusal(other, if_there::resume), HasSubstr("--work was 1 and is 2"));
  fill(out_ / manifest_name, "damaged");
  EXPECT_THAT(refusal(wanted(), if_there::resume), HasSubstr("no manifest of freshet encrypt"));
}

TEST_F(output, counts_for_nothing_after_a_boot) {
  open(wanted(), if_there::refuse);
  fill(out_ / "a", "maybe only its name");
  manifest later = wanted();
  later.boot = "the next";
  EXPECT_THAT(open(later, if_there::resume), ElementsAre("a", "b"));
  EXPECT_FALSE(fs::exists(out_ / "a"));
  EXPECT_EQ(read_manifest(out_), later);
}

TEST_F(output, by_force_loses_files_of_the_same_names_only) {
  fs::create_directories(out_);
  fill(out_ / "a", "old");
  fill(out_ / "other", "old");
  fill(out_ / ".freshet-1.tmp", "somebody's");
  fill(out_ / manifest_name, "whatever");
  EXPECT_THAT(open(wanted(), if_there::replace), ElementsAre("a", "b"));
  EXPECT_FALSE(fs::exists(out_ / "a"));
  EXPECT_TRUE(fs::exists(out_ / "other") && fs::exists(out_ / ".freshet-1.tmp"));
  EXPECT_EQ(read_manifest(out_), wanted());
}

TEST_F(output, by_force_never_removes_a_directory) {
  fs::create_directories(out_ / "b");
  fill(out_ / "a", "old");
  EXPECT_THAT(refusal(wanted(), if_there::replace), HasSubstr((out_ / "b").string()));
  EXPECT_TRUE(fs::exists(out_ / "a"));
}

// What was there before must never be taken for what this run finished.
TEST_F(output, whose_clearing_was_cut_short_is_cleared_on) {
  open(wanted(), if_there::refuse);
  opened_.reset();
  fill(out_ / "a", "old");
  fill(out_ / "b", "old");
  {
    test::fault_injection faults;
    faults.fail(detail::os::call::remove, 2, std::errc::io_error);
    EXPECT_THAT(refusal(wanted(), if_there::replace), HasSubstr("remove"));
  }
  EXPECT_TRUE(fs::exists(out_ / "b"));
  EXPECT_THAT(open(wanted(), if_there::resume), ElementsAre("a", "b"));
  EXPECT_FALSE(fs::exists(out_ / "b"));
}

TEST_F(output, belongs_to_one_run_at_a_time) {
  for (const if_there first : {if_there::refuse, if_there::resume, if_there::replace}) {
    open(wanted(), first);
    for (const if_there second : {if_there::resume, if_there::replace}) {
      try {
        const output_directory other{out_, wanted(), second};
        ADD_FAILURE() << "two at once";
      } catch (const error& fault) {
        EXPECT_THAT(fault.what(), HasSubstr("another freshet is at work"));
      }
    }
  }
}

TEST_F(output, without_locks_is_used_nevertheless) {
  test::fault_injection faults;
  faults.fail_always(detail::os::call::lock, std::errc::no_lock_available);
  EXPECT_THAT(open(wanted(), if_there::refuse), ElementsAre("a", "b"));
}

TEST_F(output, without_room_for_a_manifest_leaves_none) {
  {
    test::fault_injection faults;
    faults.fail_always(detail::os::call::write_at, std::errc::no_space_on_device);
    EXPECT_THAT(refusal(wanted(), if_there::refuse), AllOf(HasSubstr("No space left"), HasSubstr(out_.string())));
  }
  EXPECT_FALSE(test::has_leftovers(out_));
  EXPECT_EQ(read_manifest(out_), std::nullopt);
  EXPECT_THAT(open(wanted(), if_there::refuse), ElementsAre("a", "b"));
}

class apart : public testing::Test {
 protected:
  bool accepts(const fs::path& in, const fs::path& out) const {
    try {
      require_apart(directory_.path() / in, directory_.path() / out);
    } catch (const error&) {
      return false;
    }
    return true;
  }
  test::temporary_directory directory_;
};

TEST_F(apart, are_input_and_output_whatever_they_are_called) {
  fs::create_directories(directory_ / "in/deep");
  fs::create_directory(directory_ / "out");
  fs::create_directory_symlink("in", directory_ / "link");
  EXPECT_TRUE(accepts("in", "out"));
  EXPECT_TRUE(accepts("in", "new"));
  EXPECT_TRUE(accepts("in", "in2"));
  EXPECT_TRUE(accepts("link", "out/new/deep"));
  for (const auto* out : {"in", "in/", "./in", "link", "link/new", "in/deep", "in/deep/new/newer", "out/../in", "."})
    EXPECT_FALSE(accepts("in", out)) << out;
  for (const auto* out : {"in", "link", "in/deep", "."}) EXPECT_FALSE(accepts("in/deep", out)) << out;
  EXPECT_FALSE(accepts("none", "out"));
}

}  // namespace
}  // namespace freshet::tool
