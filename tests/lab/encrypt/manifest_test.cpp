// The manifest of `freshet encrypt`, and the directory that is locked by it.
#include "lab/encrypt/manifest.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <limits>
#include <optional>
#include <string>

#include <freshet/error.hpp>

#include "lab/encrypt/output_directory.hpp"
#include "tests/lab/encrypt/encrypt_files.hpp"
#include "tests/support/fault_injection.hpp"
#include "tests/support/temporary_directory.hpp"

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
          .inputs = {{"a", 1, 10}, {"b\xFF%\n \"", std::numeric_limits<std::uint64_t>::max(), -5}, {"c", 3, 30}},
          .outputs = {{"c", 4, 40}}};
}

std::string parse_problem(std::string_view text) {
  try {
    std::ignore = parse_manifest(text, "the/manifest");
  } catch (const error& problem) {
    return problem.what();
  }
  return "accepted";
}

std::string replace(std::string text, std::string_view from, std::string_view to) {
  const auto at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

TEST(encrypt_manifest, survives_writing_and_parsing) {
  manifest original = sample();
  EXPECT_EQ(parse_manifest(to_text(original), "m"), original);
  original.plan = {.cipher = cipher_kind::xor_bytes, .decrypt = true};
  original.clearing = true;
  original.inputs.clear();
  EXPECT_EQ(parse_manifest(to_text(original), "m"), original);
}

TEST(encrypt_manifest, is_plain_ascii) {
  for (const char letter : to_text(sample())) EXPECT_TRUE(letter == '\n' || (letter >= ' ' && letter < 0x7f));
}

TEST(encrypt_manifest, is_refused_with_the_reason_if_it_is_malformed) {
  const std::string whole = to_text(sample());
  for (const std::string& text : {std::string{}, std::string{"text"}, std::string{"[1]"}, std::string{"{}"},
                                  whole.substr(0, whole.size() / 2), whole + "}"})
    EXPECT_THAT(parse_problem(text), AllOf(HasSubstr("the/manifest"), HasSubstr("not a manifest of freshet encrypt")));
  const std::string version = R"("freshet_encrypt": )";
  EXPECT_THAT(parse_problem(replace(whole, version + "1", version + "2")), HasSubstr("version 2"));
  EXPECT_THAT(parse_problem(replace(whole, "\"aes\"", "\"rot13\"")), HasSubstr("rot13"));
  EXPECT_THAT(parse_problem(replace(whole, "\"aes\"", "5")), HasSubstr("\"cipher\""));
  EXPECT_THAT(parse_problem(replace(whole, "\"work\": 7", "\"work\": -7")), HasSubstr("\"work\""));
  EXPECT_THAT(parse_problem(replace(whole, "\"work\": 7", "\"work\": 4294967296")), HasSubstr("\"work\""));
  EXPECT_THAT(parse_problem(replace(whole, "\"decrypt\": false", "\"decrypt\": 0")), HasSubstr("\"decrypt\""));
  EXPECT_THAT(parse_problem(replace(whole, "\"boot\"", "\"foot\"")), HasSubstr("\"boot\""));
  EXPECT_THAT(parse_problem(replace(whole, "\"files\"", "\"tiles\"")), HasSubstr("\"files\""));
  EXPECT_THAT(parse_problem(replace(whole, "\"modified\": 30", "\"modified\": 1e30")), HasSubstr("\"modified\""));
  EXPECT_THAT(parse_problem(replace(whole, "\"c\"", "\"a\"")), HasSubstr("order"));
}

// encrypt removes the files that a manifest names, so a name must not lead out of the directory.
TEST(encrypt_manifest, cannot_name_a_file_in_another_directory) {
  for (const auto* name : {"", ".", "..", "../x", "a/b", "%2E%2E%2Fx", "c%00", "%2", "%XY", "%", ".freshet-1.tmp",
                           ".freshet-encrypt.json"})
    EXPECT_THAT(parse_problem(replace(to_text(sample()), "\"c\"", '"' + std::string{name} + '"')),
                HasSubstr("is not a file name"))
        << name;
}

TEST(encrypt_manifest, describes_the_first_difference) {
  const manifest one = sample();
  EXPECT_EQ(describe_difference(one, one), "");
  manifest other = one;
  other.boot = "another";
  EXPECT_EQ(describe_difference(one, other), "");
  other.inputs[2].modified = 31;
  EXPECT_EQ(describe_difference(one, other), "'c' was modified since");
  other.inputs[2].size = 4;
  EXPECT_EQ(describe_difference(one, other), "'c' had 3 bytes and has 4");
  other.inputs.pop_back();
  EXPECT_EQ(describe_difference(one, other), "'c' is no longer among the input");
  EXPECT_EQ(describe_difference(other, one), "'c' was not among the input");
  other.inputs.erase(other.inputs.begin());
  EXPECT_EQ(describe_difference(one, other), "'a' is no longer among the input");
  EXPECT_EQ(describe_difference(other, one), "'a' was not among the input");
  other.plan.work = 8;
  EXPECT_EQ(describe_difference(one, other), "--work was 7 and is 8");
  other.plan.cipher = cipher_kind::xor_bytes;
  EXPECT_EQ(describe_difference(one, other), "--cipher was aes and is xor");
  other.plan.decrypt = true;
  EXPECT_EQ(describe_difference(one, other), "it was not --decrypt");
}

class output : public testing::Test {
 protected:
  static manifest wanted() { return {.plan = {.work = 1}, .boot = "boot", .inputs = {{"a", 1, 1}, {"b", 2, 2}}}; }
  std::vector<std::string> open(const manifest& content, existing_output policy) {
    opened_.reset();
    opened_.emplace(out_, content, policy);
    std::vector<std::string> names;
    for (const input_file& file : opened_->unfinished()) names.push_back(file.name);
    return names;
  }
  std::string refusal(const manifest& content, existing_output policy) {
    try {
      open(content, policy);
    } catch (const error& problem) {
      return problem.what();
    }
    return "accepted";
  }

  test::temporary_directory directory_;
  fs::path out_ = directory_ / "deep/out";
  std::optional<output_directory> opened_;
};

TEST_F(output, is_created_with_a_manifest) {
  EXPECT_THAT(open(wanted(), existing_output::refuse), ElementsAre("a", "b"));
  EXPECT_EQ(read_manifest(out_), wanted());
  EXPECT_FALSE(test::has_leftovers(out_));
}

TEST_F(output, that_is_not_empty_is_refused) {
  fs::create_directories(out_);
  fill(out_ / "x", "");
  EXPECT_THAT(refusal(wanted(), existing_output::refuse), AllOf(HasSubstr(out_.string()), HasSubstr("--force")));
  EXPECT_THAT(refusal(wanted(), existing_output::resume), HasSubstr("no manifest"));
  EXPECT_FALSE(fs::exists(out_ / manifest_name));
  fs::remove(out_ / "x");
  open(wanted(), existing_output::refuse);
  EXPECT_THAT(refusal(wanted(), existing_output::refuse), HasSubstr("--resume"));
  opened_.reset();
  fill(directory_ / "file", "");
  out_ = directory_ / "file";
  EXPECT_THAT(refusal(wanted(), existing_output::refuse), HasSubstr(out_.string()));
}

TEST_F(output, is_continued_where_it_was_stopped) {
  open(wanted(), existing_output::refuse);
  fill(out_ / "b", "done");
  fill(out_ / ".freshet-7.tmp", "half");
  EXPECT_THAT(open(wanted(), existing_output::resume), ElementsAre("a"));
  EXPECT_FALSE(test::has_leftovers(out_));
  fill(out_ / "a", "done");
  EXPECT_THAT(open(wanted(), existing_output::resume), IsEmpty());
}

TEST_F(output, that_has_changed_since_the_run_ended_is_made_again) {
  open(wanted(), existing_output::refuse);
  fill(out_ / "a", "done");
  fill(out_ / "b", "done");
  opened_->record_outputs(wanted());
  EXPECT_THAT(open(wanted(), existing_output::resume), IsEmpty());
  EXPECT_EQ(read_manifest(out_)->outputs.size(), 2U);
  fs::resize_file(out_ / "b", 3);
  EXPECT_THAT(open(wanted(), existing_output::resume), ElementsAre("b"));
  EXPECT_EQ(opened_->changed(), 1U);
  EXPECT_FALSE(fs::exists(out_ / "b"));
  fs::last_write_time(out_ / "a", fs::file_time_type::clock::now() + std::chrono::hours{1});
  EXPECT_THAT(open(wanted(), existing_output::resume), ElementsAre("a", "b"));
}

// A killed run, or an older freshet, leaves a manifest without the times of the outputs.
TEST_F(output, whose_times_are_unknown_is_made_again_where_its_size_is_impossible) {
  open(wanted(), existing_output::refuse);
  fill(out_ / "a", "");
  fill(out_ / "b", "done");
  EXPECT_THAT(open(wanted(), existing_output::resume), ElementsAre("a"));
  std::string text = to_text(*read_manifest(out_));
  opened_.reset();
  text = replace(text, "\n \"outputs\": [],", "");
  fill(out_ / manifest_name, text);
  EXPECT_THAT(open(wanted(), existing_output::resume), ElementsAre("a"));
}

TEST_F(output, that_is_empty_is_started_by_resume) {
  EXPECT_THAT(open(wanted(), existing_output::resume), ElementsAre("a", "b"));
  opened_.reset();
  fs::resize_file(out_ / manifest_name, 0);
  fill(out_ / ".freshet-1.tmp", "half a manifest");
  EXPECT_THAT(open(wanted(), existing_output::resume), ElementsAre("a", "b"));
  EXPECT_FALSE(test::has_leftovers(out_));
  EXPECT_EQ(read_manifest(out_), wanted());
}

TEST_F(output, is_not_continued_by_a_different_run) {
  open(wanted(), existing_output::refuse);
  manifest other = wanted();
  other.plan.work = 2;
  EXPECT_THAT(refusal(other, existing_output::resume), HasSubstr("--work was 1 and is 2"));
  fill(out_ / manifest_name, "damaged");
  EXPECT_THAT(refusal(wanted(), existing_output::resume), HasSubstr("not a manifest of freshet encrypt"));
}

TEST_F(output, is_not_trusted_after_a_boot) {
  open(wanted(), existing_output::refuse);
  fill(out_ / "a", "maybe only its name");
  manifest later = wanted();
  later.boot = "the next";
  EXPECT_THAT(open(later, existing_output::resume), ElementsAre("a", "b"));
  EXPECT_FALSE(fs::exists(out_ / "a"));
  EXPECT_EQ(read_manifest(out_), later);
}

TEST_F(output, loses_only_files_of_the_same_names_by_force) {
  fs::create_directories(out_);
  fill(out_ / "a", "old");
  fill(out_ / "other", "old");
  fill(out_ / ".freshet-1.tmp", "somebody's");
  fill(out_ / manifest_name, "whatever");
  EXPECT_THAT(open(wanted(), existing_output::replace), ElementsAre("a", "b"));
  EXPECT_FALSE(fs::exists(out_ / "a"));
  EXPECT_TRUE(fs::exists(out_ / "other") && fs::exists(out_ / ".freshet-1.tmp"));
  EXPECT_EQ(read_manifest(out_), wanted());
}

TEST_F(output, never_loses_a_directory_by_force) {
  fs::create_directories(out_ / "b");
  fill(out_ / "a", "old");
  EXPECT_THAT(refusal(wanted(), existing_output::replace), HasSubstr((out_ / "b").string()));
  EXPECT_TRUE(fs::exists(out_ / "a"));
}

// Files of an earlier run must never count as finished by this one.
TEST_F(output, is_cleared_completely_when_clearing_was_interrupted) {
  open(wanted(), existing_output::refuse);
  opened_.reset();
  fill(out_ / "a", "old");
  fill(out_ / "b", "old");
  {
    test::fault_injection faults;
    faults.fail(detail::os::call::remove, 2, std::errc::io_error);
    EXPECT_THAT(refusal(wanted(), existing_output::replace), HasSubstr("remove"));
  }
  EXPECT_TRUE(fs::exists(out_ / "b"));
  EXPECT_THAT(open(wanted(), existing_output::resume), ElementsAre("a", "b"));
  EXPECT_FALSE(fs::exists(out_ / "b"));
}

TEST_F(output, is_used_by_one_run_at_a_time) {
  for (const existing_output first : {existing_output::refuse, existing_output::resume, existing_output::replace}) {
    open(wanted(), first);
    for (const existing_output second : {existing_output::resume, existing_output::replace}) {
      try {
        const output_directory other{out_, wanted(), second};
        ADD_FAILURE() << "two runs use it at the same time";
      } catch (const error& problem) {
        EXPECT_THAT(problem.what(), HasSubstr("another freshet is using it"));
      }
    }
  }
}

TEST_F(output, is_used_on_a_file_system_without_locks) {
  test::fault_injection faults;
  faults.fail_always(detail::os::call::lock, std::errc::no_lock_available);
  EXPECT_THAT(open(wanted(), existing_output::refuse), ElementsAre("a", "b"));
}

TEST_F(output, has_no_manifest_after_a_full_disk) {
  {
    test::fault_injection faults;
    faults.fail_always(detail::os::call::write_at, std::errc::no_space_on_device);
    EXPECT_THAT(refusal(wanted(), existing_output::refuse),
                AllOf(HasSubstr("No space left"), HasSubstr(out_.string())));
  }
  EXPECT_FALSE(test::has_leftovers(out_));
  EXPECT_EQ(read_manifest(out_), std::nullopt);
  EXPECT_THAT(open(wanted(), existing_output::refuse), ElementsAre("a", "b"));
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

TEST_F(apart, are_input_and_output_under_any_name) {
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
