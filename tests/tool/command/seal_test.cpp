// The commands seal, unseal and cat.
#include <freshet/encryption.hpp>
#include <freshet/writer.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <pty.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "tests/support/freshet_command.hpp"
#include "tests/support/temporary_directory.hpp"

namespace freshet::tool {
namespace {

namespace fs = std::filesystem;
using test::content_of;
using test::ended;
using testing::HasSubstr;

constexpr int failed = 1;
constexpr int wrong_usage = 2;

class seal : public testing::Test {
 protected:
  seal() {
    fs::current_path(directory_.path());
    for (int i = 0; i < 50'000; ++i) plain_ += std::to_string(i) + '\n';
    write("plain", plain_);
    write("key", std::string(32, 'k'));
    write("passphrase", "correct horse\n");
  }
  ~seal() override { fs::current_path("/"); }

  static void write(const fs::path& path, std::string_view bytes) { std::ofstream{path, std::ios::binary} << bytes; }

  // By a shell, in which $F is the command.
  [[nodiscard]] static int run_shell(const std::string& line) {
    ::setenv("F", test::command_for_all().c_str(), 1);
    const int status = std::system(line.c_str());
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }

  void seal_with_key() {
    ASSERT_EQ(freshet_.run({"seal", "plain", "sealed", "--encrypt", "--key-file", "key"}).exit_code, 0);
  }

  test::temporary_directory directory_;
  test::freshet_command freshet_;
  std::string plain_;
};

TEST_F(seal, a_key_file_makes_a_round_trip) {
  seal_with_key();
  EXPECT_THAT(content_of("sealed"), HasSubstr("fseal"));
  const ended done = freshet_.run({"unseal", "sealed", "back", "--key-file", "key"});
  EXPECT_EQ(done.exit_code, 0) << done.err;
  EXPECT_EQ(content_of("back"), plain_);
  EXPECT_EQ(freshet_.run({"cat", "sealed", "plain", "--key-file", "key"}).out, plain_ + plain_);
}

TEST_F(seal, a_passphrase_file_makes_a_round_trip) {
  ASSERT_EQ(freshet_.run({"seal", "plain", "sealed", "--encrypt", "--passphrase-file", "passphrase"}).exit_code, 0);
  write("same", "correct horse");
  EXPECT_EQ(freshet_.run({"cat", "sealed", "--passphrase-file", "same"}).out, plain_);
  write("other", "correct horsE\n");
  const ended done = freshet_.run({"cat", "sealed", "--passphrase-file", "other"});
  EXPECT_EQ(done.exit_code, failed);
  EXPECT_EQ(done.out, "");
  EXPECT_THAT(done.err, HasSubstr("open 'sealed'"));
  EXPECT_THAT(done.err, HasSubstr("the key is wrong, or the header was altered"));
  write("empty", "\n");
  EXPECT_THAT(freshet_.run({"cat", "sealed", "--passphrase-file", "empty"}).err, HasSubstr("'empty'"));
}

TEST_F(seal, pipes_make_a_round_trip) {
  EXPECT_EQ(run_shell("$F seal - - --encrypt --key-file key <plain | cat >sealed"), 0);
  EXPECT_EQ(run_shell("cat sealed | $F unseal - - --key-file key | cat >back"), 0);
  EXPECT_EQ(content_of("back"), plain_);
  EXPECT_EQ(run_shell("cat sealed | $F cat - --key-file key >back"), 0);
  EXPECT_EQ(content_of("back"), plain_);
  EXPECT_EQ(run_shell("cat sealed | $F unseal - back 2>error"), failed);
  EXPECT_THAT(content_of("error"), HasSubstr("needs --key-file or --passphrase-file"));
  EXPECT_EQ(run_shell("cat sealed | $F cat - 2>error"), failed);
  EXPECT_THAT(content_of("error"), HasSubstr("is encrypted: give --key-file or --passphrase-file"));
}

TEST_F(seal, compressed_files_make_a_round_trip) {
  ASSERT_EQ(freshet_.run({"seal", "plain", "small", "--compress", "zstd:19"}).exit_code, 0);
  EXPECT_LT(fs::file_size("small"), plain_.size() / 2);
  EXPECT_EQ(freshet_.run({"cat", "small", "plain"}).out, plain_ + plain_);
  ASSERT_EQ(freshet_.run({"unseal", "small", "back"}).exit_code, 0);
  EXPECT_EQ(content_of("back"), plain_);
  EXPECT_EQ(run_shell("$F seal - - --compress zstd:1 <plain | $F unseal - back"), 0);
  EXPECT_EQ(content_of("back"), plain_);
  EXPECT_EQ(run_shell("$F unseal - back <plain 2>error"), failed);
  ASSERT_EQ(freshet_.run({"seal", "plain", "both", "--compress", "zstd", "--encrypt", "--key-file", "key"}).exit_code,
            0);
  EXPECT_LT(fs::file_size("both"), plain_.size() / 2);
  EXPECT_EQ(freshet_.run({"cat", "both", "--key-file", "key"}).out, plain_);
  EXPECT_EQ(run_shell("cat both | $F unseal - back --key-file key"), 0);
  EXPECT_EQ(content_of("back"), plain_);
  for (const char* const level : {"zstd:", "zstd:23", "zstd:x", "gzip", "zstd:-131073", ""})
    EXPECT_EQ(freshet_.run({"seal", "plain", "new", "--compress", level}).exit_code, wrong_usage) << level;
}

// Only what seal itself compressed is decompressed.
TEST_F(seal, a_compressed_input_stays_compressed) {
  ASSERT_EQ(freshet_.run({"seal", "plain", "small", "--compress", "zstd"}).exit_code, 0);
  ASSERT_EQ(freshet_.run({"seal", "small", "sealed", "--encrypt", "--key-file", "key"}).exit_code, 0);
  ASSERT_EQ(freshet_.run({"unseal", "sealed", "back", "--key-file", "key"}).exit_code, 0);
  EXPECT_EQ(content_of("back"), content_of("small"));
}

TEST_F(seal, with_a_key_only_encrypted_files_are_unsealed) {
  ASSERT_EQ(freshet_.run({"seal", "plain", "small", "--compress", "zstd"}).exit_code, 0);
  EXPECT_EQ(freshet_.run({"unseal", "small", "new", "--key-file", "key"}).exit_code, failed);
  EXPECT_EQ(run_shell("$F unseal - new --key-file key <small 2>error"), failed);
  EXPECT_FALSE(fs::exists("new"));
}

TEST_F(seal, a_damaged_file_leaves_no_output) {
  seal_with_key();
  std::string damaged = content_of("sealed");
  damaged[200'000] = static_cast<char>(damaged[200'000] ^ 1);
  write("damaged", damaged);
  write("cut", std::string_view{damaged}.substr(0, 100'000));
  write("back", "as before");
  for (const char* const name : {"damaged", "cut"}) {
    const ended done = freshet_.run({"unseal", name, "back", "--key-file", "key"});
    EXPECT_EQ(done.exit_code, failed);
    EXPECT_THAT(done.err, HasSubstr(std::string{name} == "cut" ? "the file is cut" : "was altered or damaged"));
    EXPECT_EQ(content_of("back"), "as before");
    EXPECT_EQ(freshet_.run({"unseal", name, "new", "--key-file", "key"}).exit_code, failed);
    EXPECT_FALSE(fs::exists("new"));
    const ended piped = freshet_.run({"unseal", name, "-", "--key-file", "key"});
    EXPECT_EQ(piped.exit_code, failed);
    EXPECT_EQ(piped.out, plain_.substr(0, piped.out.size()));
    EXPECT_THAT(piped.err, HasSubstr("the " + std::to_string(piped.out.size()) +
                                     " bytes before were verified chunk by chunk and are written"));
  }
}

TEST_F(seal, a_file_can_take_the_place_of_its_input) {
  ASSERT_EQ(freshet_.run({"seal", "plain", "plain", "--encrypt", "--key-file", "key"}).exit_code, 0);
  EXPECT_THAT(content_of("plain"), HasSubstr("fseal"));
  ASSERT_EQ(freshet_.run({"unseal", "plain", "plain", "--key-file", "key"}).exit_code, 0);
  EXPECT_EQ(content_of("plain"), plain_);
}

TEST_F(seal, wrong_keys_are_refused) {
  seal_with_key();
  write("other", std::string(32, 'K'));
  EXPECT_THAT(freshet_.run({"cat", "sealed", "--key-file", "other"}).err, HasSubstr("the key is wrong"));
  for (const std::size_t length : {31U, 33U}) {
    write("short", std::string(length, 'k'));
    const ended done = freshet_.run({"seal", "plain", "new", "--encrypt", "--key-file", "short"});
    EXPECT_EQ(done.exit_code, failed);
    EXPECT_THAT(done.err, HasSubstr("read the key 'short'"));
    EXPECT_THAT(done.err, HasSubstr("exactly 32 bytes"));
    EXPECT_FALSE(fs::exists("new"));
  }
  EXPECT_THAT(freshet_.run({"unseal", "plain", "new", "--key-file", "key"}).err, HasSubstr("not sealed"));
  EXPECT_THAT(freshet_.run({"unseal", "sealed", "new"}).err, HasSubstr("give --key-file or --passphrase-file"));
  EXPECT_EQ(freshet_.run({"cat", "missing", "--key-file", "key"}).exit_code, failed);
}

TEST_F(seal, wrong_usage_is_refused) {
  for (const std::vector<std::string>& words : std::vector<std::vector<std::string>>{
           {"seal", "plain", "new"},
           {"seal", "plain"},
           {"seal", "plain", "new", "--key-file", "key"},
           {"seal", "plain", "new", "--encrypt", "--key-file", "key", "--passphrase-file", "passphrase"},
           {"seal", "plain", "new", "--encrypt", "--passphrase", "secret"},
           {"unseal", "plain"},
           {"cat"}})
    EXPECT_EQ(freshet_.run(words).exit_code, wrong_usage) << testing::PrintToString(words);
  EXPECT_FALSE(fs::exists("new"));
}

TEST_F(seal, sealed_bytes_do_not_go_to_a_terminal) {
  const ended done = freshet_.run_shown({"seal", "plain", "-", "--encrypt", "--key-file", "key"});
  EXPECT_EQ(done.exit_code, failed);
  EXPECT_EQ(done.out, "");
  EXPECT_THAT(done.err, HasSubstr("is a terminal"));
}

bool shows_input(int terminal) {
  termios now{};
  return ::tcgetattr(terminal, &now) == 0 && (now.c_lflag & ECHO) != 0;
}

// Runs the command with a terminal of its own and enters `lines`, each when it is asked for. Returns the exit code.
int run_and_enter(const std::vector<std::string>& words, const std::vector<std::string>& lines, std::string& shown) {
  int terminal = -1;
  const pid_t process = ::forkpty(&terminal, nullptr, nullptr, nullptr);
  if (process == 0) {
    std::vector<char*> arguments{const_cast<char*>(test::command_for_all().c_str())};
    for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
    arguments.push_back(nullptr);
    ::execv(arguments.front(), arguments.data());
    ::_exit(127);
  }
  std::size_t entered = 0;
  std::size_t asked_before = 0;
  char piece[1000];
  for (ssize_t got = 0; (got = ::read(terminal, piece, sizeof piece)) > 0;) {
    shown.append(piece, static_cast<std::size_t>(got));
    const std::size_t asked = shown.find("Passphrase: ", asked_before);
    if (asked == std::string::npos || entered == lines.size()) continue;
    asked_before = asked + 1;
    // The prompt comes before the terminal stops to show what is entered.
    while (shows_input(terminal)) ::usleep(1000);
    const std::string line = lines[entered++] + '\n';
    EXPECT_EQ(::write(terminal, line.data(), line.size()), static_cast<ssize_t>(line.size()));
  }
  int status = 0;
  ::waitpid(process, &status, 0);
  ::close(terminal);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST_F(seal, passphrases_are_asked_for_and_not_shown) {
  std::string shown;
  ASSERT_EQ(run_and_enter({"seal", "plain", "sealed", "--encrypt"}, {"geheim", "geheim"}, shown), 0) << shown;
  EXPECT_EQ(shown.find("geheim"), std::string::npos) << shown;
  EXPECT_EQ(run_and_enter({"unseal", "sealed", "back"}, {"geheim"}, shown), 0) << shown;
  EXPECT_EQ(content_of("back"), plain_);
  EXPECT_EQ(run_and_enter({"unseal", "sealed", "new"}, {"Geheim"}, shown), failed);
  EXPECT_EQ(run_and_enter({"seal", "plain", "new", "--encrypt"}, {"one", "another"}, shown), failed);
  EXPECT_FALSE(fs::exists("new"));
}

TEST_F(seal, passphrases_need_a_terminal) {
  EXPECT_EQ(run_shell("setsid -w $F seal plain new --encrypt </dev/null 2>error"), failed);
  EXPECT_THAT(content_of("error"), HasSubstr("there is no terminal to ask for a passphrase"));
  EXPECT_FALSE(fs::exists("new"));
}

TEST_F(seal, the_benchmark_of_encryption_points_to_it) {
  const ended help = freshet_.run({"encrypt", "--help"});
  EXPECT_THAT(help.out, HasSubstr("protects nothing"));
  EXPECT_THAT(help.out, HasSubstr("freshet seal"));
}

}  // namespace
}  // namespace freshet::tool
