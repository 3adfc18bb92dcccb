// `freshet encrypt` as a command: its output, its refusals, and the files it leaves.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "lab/encrypt/output_directory.hpp"
#include "src/os/environment.hpp"
#include "tests/lab/encrypt/encrypt_files.hpp"
#include "tests/support/ordinary_user.hpp"
#include "tests/tool/command/measuring_command.hpp"

namespace freshet::tool {
namespace {

namespace fs = std::filesystem;
using test::ended;
using test::files_in;
using test::fill;
using testing::AllOf;
using testing::HasSubstr;

class encrypt_command : public test::measuring_command {
 protected:
  encrypt_command() {
    fs::create_directory(in_);
    fill(in_ / "a", "one\ntwo\n");
    fill(in_ / "b", "three");
  }

  ended run(std::vector<std::string> words) const {
    words.insert(words.begin(), "encrypt");
    return freshet_.run(std::move(words));
  }
  ended encrypt(std::vector<std::string> more = {}) const {
    more.insert(more.begin(), {in_, out_});
    return run(std::move(more));
  }
  nlohmann::json figures(std::vector<std::string> more) const {
    more.insert(more.begin(), {"encrypt", in_, out_});
    return json_of(std::move(more));
  }
  ended decrypt(std::vector<std::string> more = {}) const {
    more.insert(more.begin(), {out_, back_, "--decrypt"});
    return run(std::move(more));
  }
  static void expect_refusal(const ended& tried, const std::string& reason) {
    EXPECT_EQ(tried.exit_code, 1);
    EXPECT_THAT(tried.err, HasSubstr(reason));
    EXPECT_EQ(tried.out, "");
  }

  fs::path in_ = file("in");
  fs::path out_ = file("out");
  fs::path back_ = file("back");
};

TEST_F(encrypt_command, encrypts_reports_and_decrypts) {
  const ended done = encrypt({"--cipher", "aes", "--work", "3", "--strategy", "streaming", "--threads", "2"});
  EXPECT_EQ(done.exit_code, 0) << done.err;
  EXPECT_THAT(done.out, testing::ContainsRegex("2 files encrypted, 3 x aes, strategy streaming, 2 threads\n"
                                               "  bytes   13 in, 18 out\n"
                                               "  speed   .* MB/s of input, .* s\n"
                                               "  CPU     .* s/GB\n"
                                               "  memory  "));
  EXPECT_EQ(done.err, "");
  EXPECT_NE(files_in(out_), files_in(in_));
  const ended back = decrypt();
  EXPECT_EQ(back.exit_code, 0) << back.err;
  EXPECT_THAT(back.out, testing::StartsWith(back_.string() + ": 2 files decrypted, 3 x aes, "));
  EXPECT_EQ(files_in(back_), files_in(in_));
}

TEST_F(encrypt_command, makes_a_finished_file_again_that_was_cut) {
  ASSERT_EQ(encrypt().exit_code, 0);
  const auto whole = files_in(out_);
  fs::resize_file(out_ / whole.begin()->first, 0);
  const ended done = encrypt({"--resume"});
  EXPECT_EQ(done.exit_code, 0) << done.err;
  EXPECT_THAT(done.err, HasSubstr("1 finished file had changed since and is made again"));
  EXPECT_EQ(files_in(out_), whole);
}

TEST_F(encrypt_command, verifies_what_it_wrote_and_what_was_there) {
  const ended done = encrypt({"--verify"});
  ASSERT_EQ(done.exit_code, 0) << done.err;
  EXPECT_THAT(done.out, testing::EndsWith("\n  verified: 2 files hold what their inputs become\n"));
  EXPECT_EQ(figures({"--force", "--verify"}).at("verified"), 2);
  const fs::path damaged = out_ / files_in(out_).begin()->first;
  const fs::file_time_type before = fs::last_write_time(damaged);
  std::fstream{damaged, std::ios::in | std::ios::out} << '!';
  fs::last_write_time(damaged, before);
  const ended again = encrypt({"--resume", "--verify"});
  EXPECT_EQ(again.exit_code, 1);
  EXPECT_THAT(again.err, HasSubstr("verify '" + damaged.string() + "'"));
}

TEST_F(encrypt_command, reports_why_it_chose_a_strategy) {
  EXPECT_NE(figures({}).at("why"), "");
  EXPECT_EQ(figures({"--force", "--strategy", "streaming"}).at("why"), "") << "the user named it";
}

TEST_F(encrypt_command, accepts_every_strategy_and_both_kinds_of_streams) {
  ASSERT_EQ(encrypt().exit_code, 0);
  const auto expected = files_in(out_);
  for (const char* strategy : {"streaming", "buffering", "pipelined", "async", "auto"})
    for (const char* streams : {"std", "freshet"}) {
      const ended done = encrypt({"--force", "--strategy", strategy, "--streams", streams, "--threads", "3"});
      EXPECT_EQ(done.exit_code, 0) << strategy << done.err;
      EXPECT_EQ(files_in(out_), expected) << strategy;
    }
}

TEST_F(encrypt_command, uses_files_as_it_is_told_where_the_library_does_it) {
  ASSERT_EQ(encrypt().exit_code, 0);
  const auto expected = files_in(out_);
  for (const std::vector<std::string>& way : {std::vector<std::string>{},
                                              {"--strategy", "pipelined"},
                                              {"--strategy", "buffering", "--streams", "freshet"},
                                              {"--strategy", "streaming", "--streams", "freshet"}}) {
    std::vector<std::string> words{"--force", "--caching", "drop", "--access", "once", "--json", "-"};
    words.insert(words.end(), way.begin(), way.end());
    const ended done = encrypt(words);
    ASSERT_EQ(done.exit_code, 0) << done.err;
    const auto printed = nlohmann::json::parse(done.out);
    EXPECT_EQ(printed.at("caching"), "drop");
    EXPECT_EQ(printed.at("access"), "once");
    EXPECT_NE(printed.at("strategy"), "async");
    EXPECT_EQ(files_in(out_), expected);
  }
  for (const std::vector<std::string>& way : {std::vector<std::string>{"--strategy", "async", "--caching", "drop"},
                                              {"--strategy", "async", "--access", "once"},
                                              {"--strategy", "streaming", "--caching", "drop"}}) {
    const ended refused = encrypt(way);
    EXPECT_EQ(refused.exit_code, 2);
    EXPECT_THAT(refused.err, testing::AnyOf(HasSubstr("in its own way"), HasSubstr("--streams freshet")));
  }
}

TEST_F(encrypt_command, gives_streams_of_std_an_order_of_access) {
  ASSERT_EQ(encrypt().exit_code, 0);
  const auto expected = files_in(out_);
  EXPECT_EQ(figures({"--force", "--strategy", "buffering", "--access", "random"}).at("access"), "random");
  EXPECT_EQ(files_in(out_), expected);
}

TEST_F(encrypt_command, has_buffers_of_the_size_that_it_is_told) {
  ASSERT_EQ(encrypt().exit_code, 0);
  const auto expected = files_in(out_);
  for (const std::string strategy : {"streaming", "buffering", "pipelined", "auto"})
    for (const std::string streams : {"std", "freshet"}) {
      const nlohmann::json done = figures({"--force", "--strategy", strategy, "--streams", streams, "--buffer", "4K"});
      EXPECT_EQ(done.at("buffer"), 4096);
      EXPECT_EQ(files_in(out_), expected) << strategy << streams;
    }
  const ended refused = encrypt({"--strategy", "async", "--buffer", "4K"});
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_THAT(refused.err, HasSubstr("--buffer: the strategy async reads and writes in its own way"));
}

TEST_F(encrypt_command, writes_its_figures_as_json) {
  const ended done = encrypt({"--json", "-", "--work", "2", "--strategy", "buffering"});
  ASSERT_EQ(done.exit_code, 0) << done.err;
  const auto printed = nlohmann::json::parse(done.out);
  EXPECT_EQ(printed.at("files"), 2);
  EXPECT_EQ(printed.at("bytes_read"), 13);
  EXPECT_EQ(printed.at("bytes_written"), 18);
  EXPECT_EQ(printed.at("page_cache"), 13 + 18);
  EXPECT_EQ(printed.at("strategy"), "buffering");
  EXPECT_EQ(printed.at("work"), 2);
  EXPECT_EQ(printed.at("cipher"), "xor");
  EXPECT_EQ(printed.at("ranks"), 1);
  EXPECT_EQ(printed.at("valid"), true);
  EXPECT_TRUE(printed.at("cold").is_null());
  for (const char* figure : {"seconds", "mb_per_second", "cpu_whole", "cpu_s_per_gb"})
    EXPECT_GT(printed.at(figure).get<double>(), 0) << figure;
  EXPECT_EQ(encrypt({"--force", "--json", file("figures")}).exit_code, 0);
  EXPECT_EQ(nlohmann::json::parse(test::content_of(file("figures"))).at("files"), 2);
}

TEST_F(encrypt_command, proves_a_cold_input_or_marks_the_run_invalid) {
  const ended done = encrypt({"--cold", "--json", file("figures")});
  ASSERT_EQ(done.exit_code, 0) << done.err;
  const auto printed = nlohmann::json::parse(test::content_of(file("figures")));
  EXPECT_EQ(printed.at("valid"), printed.at("cold").at("proven"));
  EXPECT_THAT(done.out, testing::ContainsRegex(printed.at("valid") ? "\n  input   cold, proven\n" : "\n  invalid: "));
  EXPECT_EQ(printed.at("cold").at("faults").empty(), printed.at("valid").get<bool>());
}

TEST_F(encrypt_command, distinguishes_wrong_usage_from_failure) {
  const std::vector<std::pair<std::vector<std::string>, const char*>> wrong = {
      {{"--threads", "0"}, "expected 1 to 1024"},  {{"--threads", "10000"}, "expected 1 to 1024"},
      {{"--threads", "-1"}, "expected 1 to 1024"}, {{"--threads", "two"}, "expected 1 to 1024"},
      {{"--work", "-1"}, "expected 0 to"},         {{"--work", "99999999999"}, "expected 0 to"},
      {{"--cipher", "rot13"}, "xor or aes"},       {{"--strategy", "fast"}, "pipelined"},
      {{"--streams", "c"}, "std or freshet"},      {{"--resume", "--force"}, "--force"}};
  for (const auto& [words, reason] : wrong) {
    const ended tried = encrypt(words);
    EXPECT_EQ(tried.exit_code, 2) << testing::PrintToString(words);
    EXPECT_THAT(tried.out + tried.err, HasSubstr(reason));
  }
  EXPECT_EQ(run({in_}).exit_code, 2);
  EXPECT_FALSE(fs::exists(out_));
}

TEST_F(encrypt_command, refuses_an_input_that_is_missing_or_empty) {
  expect_refusal(run({file("none"), out_}), "No such file or directory");
  fs::create_directory(file("empty"));
  expect_refusal(run({file("empty"), out_}), "nothing to encrypt");
  expect_refusal(run({in_ / "a", out_}), "Not a directory");
  EXPECT_FALSE(fs::exists(out_));
}

TEST_F(encrypt_command, refuses_an_input_with_other_entries_than_files_before_it_writes) {
  fs::create_symlink("nowhere", in_ / "c");
  expect_refusal(encrypt(), (in_ / "c").string());
  fs::create_directory(in_ / "0");
  expect_refusal(encrypt(), (in_ / "0").string());
  EXPECT_FALSE(fs::exists(out_));
}

TEST_F(encrypt_command, follows_links_to_files) {
  fs::create_symlink("a", in_ / "link");
  ASSERT_EQ(encrypt().exit_code, 0);
  EXPECT_EQ(files_in(out_).at("link"), files_in(out_).at("a"));
}

TEST_F(encrypt_command, refuses_an_output_inside_the_input) {
  const auto before = files_in(in_);
  for (const fs::path& out : {in_, in_ / "out", fs::path{directory()}})
    for (const char* option : {"--force", "--resume"}) expect_refusal(run({in_, out, option}), "lies in it");
  EXPECT_EQ(files_in(in_), before);
}

TEST_F(encrypt_command, keeps_an_output_that_is_not_empty) {
  fs::create_directory(out_);
  fill(out_ / "a", "precious");
  fill(out_ / "other", "too");
  expect_refusal(encrypt(), "--force");
  expect_refusal(encrypt({"--resume"}), "no manifest");
  EXPECT_EQ(files_in(out_).at("a"), "precious");
  EXPECT_EQ(encrypt({"--force"}).exit_code, 0);
  EXPECT_EQ(files_in(out_).at("a"), "b25l\ndHdv\n");
  EXPECT_EQ(files_in(out_).at("other"), "too");
}

TEST_F(encrypt_command, names_a_directory_that_may_not_be_written) {
  if (::geteuid() == 0) fs::permissions(directory(), fs::perms{0755});
  fs::create_directory(out_);
  fs::permissions(out_, fs::perms{0555});
  const test::ordinary_user user;
  const test::freshet_command freshet;
  const ended tried = freshet.run({"encrypt", in_, out_});
  expect_refusal(tried, out_.string());
  EXPECT_THAT(tried.err, HasSubstr("Permission denied"));
}

TEST_F(encrypt_command, continues_an_unfinished_run) {
  ASSERT_EQ(encrypt({"--work", "5"}).exit_code, 0);
  const auto whole = files_in(out_);
  fs::remove(out_ / "b");
  fill(out_ / ".freshet-3.tmp", "half");
  const nlohmann::json done = figures({"--work", "5", "--resume"});
  EXPECT_EQ(done.at("files"), 1);
  EXPECT_EQ(done.at("finished_before"), 1);
  EXPECT_EQ(files_in(out_), whole);
  EXPECT_EQ(encrypt({"--work", "5", "--resume"}).exit_code, 0);
  EXPECT_EQ(files_in(out_), whole);
}

TEST_F(encrypt_command, continues_no_other_run) {
  ASSERT_EQ(encrypt({"--work", "5"}).exit_code, 0);
  expect_refusal(encrypt({"--resume", "--work", "6"}), "--work was 5 and is 6");
  expect_refusal(encrypt({"--resume", "--work", "5", "--cipher", "aes"}), "--cipher was xor and is aes");
  fill(in_ / "c", "new");
  expect_refusal(encrypt({"--resume", "--work", "5"}), "'c' was not among the input");
  fs::remove(in_ / "c");
  fill(in_ / "b", "longer than it was");
  expect_refusal(encrypt({"--resume", "--work", "5"}), "'b' had 5 bytes and has 18");
}

TEST_F(encrypt_command, starts_again_after_a_boot) {
  ASSERT_EQ(encrypt().exit_code, 0);
  auto manifest = read_manifest(out_).value();
  EXPECT_EQ(manifest.boot, detail::os::boot_id());
  manifest.boot = "the boot before";
  fill(out_ / manifest_name, to_text(manifest));
  fill(out_ / "a", "");  // as a power cut may leave a file that was not synced
  EXPECT_EQ(figures({"--resume"}).at("files"), 2);
  EXPECT_EQ(files_in(out_).at("a"), "b25l\ndHdv\n");
}

TEST_F(encrypt_command, refuses_a_second_run_at_the_same_time) {
  ASSERT_EQ(encrypt().exit_code, 0);
  const output_directory busy{out_, read_manifest(out_).value(), existing_output::resume};
  expect_refusal(encrypt({"--resume"}), "another freshet is using it");
  expect_refusal(encrypt({"--force"}), "another freshet is using it");
}

TEST_F(encrypt_command, decrypts_only_its_own_output) {
  expect_refusal(run({in_, back_, "--decrypt"}), "not the output of freshet encrypt");
  ASSERT_EQ(encrypt({"--work", "5"}).exit_code, 0);
  expect_refusal(decrypt({"--work", "4"}), "--cipher xor --work 5");
  expect_refusal(decrypt({"--cipher", "aes"}), "--cipher xor --work 5");
  fill(out_ / "more", "YQ==\n");
  expect_refusal(decrypt(), "'more' is not one of its files");
  fs::remove(out_ / "more");
  fs::rename(out_ / "b", file("b"));
  expect_refusal(decrypt(), "'b' is missing");
  fs::rename(file("b"), out_ / "b");
  EXPECT_EQ(decrypt({"--work", "5", "--cipher", "xor"}).exit_code, 0);
  EXPECT_EQ(files_in(back_), files_in(in_));
  expect_refusal(run({back_, file("again"), "--decrypt"}), "decrypted already");
  fill(out_ / manifest_name, "{}");
  expect_refusal(decrypt({"--force"}).exit_code == 0 ? decrypt() : ended{}, "not a manifest of freshet encrypt");
}

TEST_F(encrypt_command, names_the_line_that_is_not_base64) {
  const ended tried = run({in_, back_, "--decrypt", "--force"});
  expect_refusal(tried, "line 1");
  EXPECT_THAT(tried.err, AllOf(HasSubstr((in_ / "a").string()), HasSubstr("0 of 2 files are finished")));
  EXPECT_THAT(tried.err, HasSubstr("the same call starts again from the first file"));
  fill(in_ / "a", "YQ==\nYQ==\nno\n");
  fill(in_ / "b", "YQ==");
  const ended later = run({in_, back_, "--decrypt", "--force", "--threads", "1", "--strategy", "streaming"});
  expect_refusal(later, "line 3");
  EXPECT_THAT(later.err, HasSubstr((in_ / "a").string()));
  EXPECT_FALSE(fs::exists(back_ / "a"));
}

TEST_F(encrypt_command, advises_after_a_failure_how_to_continue) {
  ASSERT_EQ(encrypt().exit_code, 0);
  const auto whole = files_in(out_);
  fill(out_ / "b", "no");
  EXPECT_THAT(decrypt().err, HasSubstr("the same call with --resume continues"));
  EXPECT_THAT(decrypt({"--force"}).err, HasSubstr("the same call with --resume instead of --force continues"));
  EXPECT_THAT(decrypt({"--resume"}).err, HasSubstr("the same call with --resume continues"));
  EXPECT_THAT(decrypt({"--force", "--work", "1"}).err, HasSubstr("the same call starts again from the first file"));
  expect_refusal(decrypt({"--resume", "--work", "1"}), "--cipher xor --work 0");
  EXPECT_THAT(decrypt({"--force"}).err, HasSubstr("finished"));
  fill(out_ / "b", whole.at("b"));
  const ended again = decrypt({"--force"});
  EXPECT_EQ(again.exit_code, 0) << again.err;
  EXPECT_EQ(files_in(back_), files_in(in_));
}

TEST_F(encrypt_command, counts_bytes_by_every_strategy) {
  for (const char* strategy : {"streaming", "buffering", "pipelined", "async"})
    for (const char* streams : {"std", "freshet"}) {
      const std::vector<std::string> how = {"--force", "--strategy", strategy, "--streams", streams, "--json", "-"};
      const auto printed = nlohmann::json::parse(encrypt(how).out);
      EXPECT_EQ(printed.at("bytes_read"), 13) << strategy;
      EXPECT_EQ(printed.at("bytes_written"), 18) << strategy;
      const auto back = nlohmann::json::parse(decrypt(how).out);
      EXPECT_EQ(back.at("bytes_read"), 18) << strategy;
      EXPECT_EQ(back.at("bytes_written"), 13) << strategy;
    }
}

TEST_F(encrypt_command, shows_its_progress_on_a_terminal) {
  const ended done = freshet_.run_on_terminal({"encrypt", in_, out_});
  EXPECT_EQ(done.exit_code, 0);
  EXPECT_THAT(done.err, HasSubstr("of 2 files"));
}

TEST_F(encrypt_command, helps_with_examples_and_warns_that_it_does_not_protect) {
  EXPECT_TRUE(helps_with_an_example("encrypt"));
  const ended help = run({"--help"});
  for (const char* words : {"a benchmark and protects nothing", "after a reboot"})
    EXPECT_THAT(help.out, HasSubstr(words));
}

}  // namespace
}  // namespace freshet::tool
