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

#include "tests/tool/command/measuring_command.hpp"

namespace freshet::tool {
namespace {

namespace fs = std::filesystem;
using test::content_of;
using test::ended;
using testing::HasSubstr;

constexpr int failed = 1;
constexpr int wrong_usage = 2;

class seal : public test::measuring_command {
 protected:
  seal() {
    fs::current_path(directory());
    for (int i = 0; i < 50'000; ++i) plain_ += std::to_string(i) + '\n';
    write("plain", plain_);
    write_secret("key", std::string(32, 'k'));
    write_secret("passphrase", "correct horse\n");
  }
  ~seal() override { fs::current_path("/"); }

  static void write(const fs::path& path, std::string_view bytes) { std::ofstream{path, std::ios::binary} << bytes; }

  static void write_secret(const fs::path& path, std::string_view bytes) {
    write(path, bytes);
    fs::permissions(path, fs::perms::owner_read | fs::perms::owner_write);
  }
  static unsigned mode_of(const fs::path& path) { return static_cast<unsigned>(fs::status(path).permissions()); }

  // By a shell, in which $F is the command.
  [[nodiscard]] static int run_shell(const std::string& line) {
    ::setenv("F", test::command_for_all().c_str(), 1);
    const int status = std::system(line.c_str());
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }

  void seal_with_key() {
    ASSERT_EQ(freshet_.run({"seal", "plain", "sealed", "--encrypt", "--key-file", "key"}).exit_code, 0);
  }

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
    EXPECT_THAT(done.err,
                HasSubstr(std::string{name} == "cut" ? "cut was not closed by its writer" : "was altered or damaged"));
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
  ASSERT_EQ(freshet_.run({"seal", "plain", "plain", "--in-place", "--encrypt", "--key-file", "key"}).exit_code, 0);
  EXPECT_THAT(content_of("plain"), HasSubstr("fseal"));
  ASSERT_EQ(freshet_.run({"unseal", "plain", "plain", "--in-place", "--key-file", "key"}).exit_code, 0);
  EXPECT_EQ(content_of("plain"), plain_);
}

TEST_F(seal, only_on_request_a_file_takes_the_place_of_its_input) {
  seal_with_key();
  const std::string sealed = content_of("sealed");
  fs::create_hard_link("plain", "same");
  fs::create_symlink("plain", "link");
  for (const char* const name : {"plain", "./plain", "same", "link"}) {
    const ended done = freshet_.run({"seal", "plain", name, "--encrypt", "--key-file", "key"});
    EXPECT_EQ(done.exit_code, wrong_usage) << name;
    EXPECT_THAT(done.err, HasSubstr("--in-place replaces it")) << name;
  }
  EXPECT_EQ(run_shell("$F seal - plain --compress zstd <plain 2>error"), wrong_usage);
  EXPECT_EQ(content_of("plain"), plain_);
  EXPECT_EQ(freshet_.run({"unseal", "sealed", "sealed", "--key-file", "key"}).exit_code, wrong_usage);
  EXPECT_EQ(content_of("sealed"), sealed);
}

TEST_F(seal, a_key_is_never_replaced) {
  seal_with_key();
  fs::create_hard_link("key", "same");
  fs::create_symlink("passphrase", "link");
  const auto expect_refused = [&](const std::vector<std::string>& words) {
    const ended done = freshet_.run(words);
    EXPECT_EQ(done.exit_code, wrong_usage) << testing::PrintToString(words);
    EXPECT_THAT(done.err, HasSubstr("is the file of the key"));
  };
  for (const char* const out : {"key", "same"}) {
    expect_refused({"seal", "key", out, "--encrypt", "--key-file", "key"});
    expect_refused({"seal", "plain", out, "--in-place", "--encrypt", "--key-file", "key"});
    expect_refused({"unseal", "sealed", out, "--key-file", "key"});
  }
  for (const char* const out : {"passphrase", "link"})
    expect_refused({"seal", "plain", out, "--in-place", "--encrypt", "--passphrase-file", "passphrase"});
  EXPECT_EQ(run_shell("$F seal plain - --encrypt --key-file key >>key 2>error"), wrong_usage);
  EXPECT_EQ(content_of("key"), std::string(32, 'k'));
  EXPECT_EQ(content_of("passphrase"), "correct horse\n");
}

TEST_F(seal, results_have_the_permissions_of_their_input) {
  const auto seal_and_unseal = [&] {
    EXPECT_EQ(run_shell("umask 022; $F seal plain sealed --encrypt --key-file key"), 0);
    EXPECT_EQ(run_shell("umask 022; $F unseal sealed back --key-file key"), 0);
  };
  for (const unsigned mode : {0600U, 0640U, 0755U, 0400U}) {
    fs::permissions("plain", static_cast<fs::perms>(mode));
    seal_and_unseal();
    EXPECT_EQ(mode_of("sealed"), mode);
    EXPECT_EQ(mode_of("back"), mode);
    fs::remove("sealed");
    fs::remove("back");
  }
  // A file that is replaced keeps what it has of them.
  write("sealed", "");
  write("back", "");
  fs::permissions("sealed", static_cast<fs::perms>(0666));
  fs::permissions("back", static_cast<fs::perms>(0644));
  fs::permissions("plain", static_cast<fs::perms>(0660));
  seal_and_unseal();
  EXPECT_EQ(mode_of("sealed"), 0660U);
  EXPECT_EQ(mode_of("back"), 0640U);
  EXPECT_EQ(run_shell("umask 022; rm sealed; $F seal - sealed --encrypt --key-file key <plain"), 0);
  EXPECT_EQ(mode_of("sealed"), 0640U) << "standard input may be a file, too";
  EXPECT_EQ(run_shell("umask 022; rm sealed; cat plain | $F seal - sealed --encrypt --key-file key"), 0);
  EXPECT_EQ(mode_of("sealed"), 0644U);
}

TEST_F(seal, keys_that_others_may_read_are_warned_of) {
  for (const unsigned mode : {0600U, 0400U, 0666U, 0644U, 0620U}) {
    fs::permissions("key", static_cast<fs::perms>(mode));
    const ended done = freshet_.run({"seal", "plain", "sealed", "--encrypt", "--key-file", "key"});
    EXPECT_EQ(done.exit_code, 0);
    EXPECT_EQ(done.err.find("chmod 600 key") != std::string::npos, (mode & 077U) != 0) << done.err;
  }
}

TEST_F(seal, a_passphrase_is_the_only_line_of_its_file) {
  write_secret("windows", "correct horse\r\n");
  write_secret("inside", "sec\rret\n");
  write_secret("beginning", "sec");
  write_secret("two", "correct horse\nbattery\n");
  ASSERT_EQ(freshet_.run({"seal", "plain", "sealed", "--encrypt", "--passphrase-file", "passphrase"}).exit_code, 0);
  EXPECT_EQ(freshet_.run({"cat", "sealed", "--passphrase-file", "windows"}).out, plain_);
  ASSERT_EQ(freshet_.run({"seal", "plain", "other", "--encrypt", "--passphrase-file", "inside"}).exit_code, 0);
  EXPECT_EQ(freshet_.run({"cat", "other", "--passphrase-file", "inside"}).out, plain_);
  EXPECT_EQ(freshet_.run({"cat", "other", "--passphrase-file", "beginning"}).exit_code, failed);
  const ended done = freshet_.run({"seal", "plain", "new", "--encrypt", "--passphrase-file", "two"});
  EXPECT_EQ(done.exit_code, failed);
  EXPECT_THAT(done.err, HasSubstr("it has more than one line"));
  EXPECT_FALSE(fs::exists("new"));
}

TEST_F(seal, names_may_begin_with_a_dash) {
  fs::rename("plain", "--plain");
  ASSERT_EQ(freshet_.run({"seal", "--encrypt", "--key-file", "key", "--", "--plain", "-sealed"}).exit_code, 0);
  EXPECT_EQ(freshet_.run({"unseal", "--key-file", "key", "--", "-sealed", "back"}).exit_code, 0);
  EXPECT_EQ(content_of("back"), plain_);
  EXPECT_EQ(freshet_.run({"cat", "--key-file", "key", "--", "-sealed", "--plain"}).out, plain_ + plain_);
  const ended late = freshet_.run({"seal", "--", "--plain", "new", "--encrypt"});
  EXPECT_EQ(late.exit_code, wrong_usage);
  EXPECT_THAT(late.err, HasSubstr("\"--encrypt\" is one name too many: options must stand before \"--\""));
}

TEST_F(seal, cat_goes_on_after_a_file_that_it_cannot_read) {
  seal_with_key();
  write("cut", std::string_view{content_of("sealed")}.substr(0, 100'000));
  const ended done = freshet_.run({"cat", "missing", "plain", "cut", "sealed", "--key-file", "key"});
  EXPECT_EQ(done.exit_code, failed);
  EXPECT_TRUE(done.out.starts_with(plain_));
  EXPECT_TRUE(done.out.ends_with(plain_));
  EXPECT_THAT(done.err, HasSubstr("'missing'"));
  EXPECT_THAT(done.err, HasSubstr("cut was not closed by its writer"));
}

// The signal comes after some bytes were sealed, and before the last ones are.
TEST_F(seal, what_was_interrupted_is_not_complete) {
  for (const std::string how :
       {"--encrypt --key-file key", "--compress zstd", "--compress zstd --encrypt --key-file key"})
    for (const std::string signal : {"TERM", "INT", "HUP"}) {
      SCOPED_TRACE(how + ", " + signal);
      const int exit_code =
          run_shell("rm -f in; mkfifo in; env --default-signal=INT $F seal in - " + how +
                    " >sealed 2>error & command=$!; exec 3>in; for i in $(seq 30); do cat plain; done >&3; kill -" +
                    signal + " $command; echo more >&3; exec 3>&-; wait $command");
      EXPECT_GT(exit_code, 128) << content_of("error");
      const std::string key = how.find("key") == std::string::npos ? "" : " --key-file key";
      EXPECT_EQ(run_shell("$F unseal sealed back" + key + " 2>error"), failed);
      EXPECT_THAT(content_of("error"), HasSubstr("sealed was not closed by its writer"));
      EXPECT_EQ(run_shell("$F unseal sealed back --partial" + key + " 2>error"), 0);
      if (key.empty()) {
        EXPECT_NE(run_shell("zstd -q -t sealed 2>error"), 0);
      }
      EXPECT_GT(fs::file_size("back"), 0U);
      fs::remove("back");
    }
}

TEST_F(seal, names_cannot_command_the_terminal) {
  for (const std::string name : {"no\x1b[31mfile", "no\nfile",
                                 "no\xff\xfe"
                                 "file",
                                 "no\xc2\x9b"
                                 "31mfile"}) {
    const ended done = freshet_.run({"cat", name});
    EXPECT_EQ(done.exit_code, failed);
    EXPECT_EQ(done.err.find(name), std::string::npos) << done.err;
    EXPECT_THAT(done.err, HasSubstr("'no?"));
  }
  EXPECT_EQ(freshet_.run({"seal", "plain", "new", "a\x1b[31mb", "--compress", "zstd"}).err.find('\x1b'),
            std::string::npos);
  EXPECT_THAT(freshet_.run({"cat", "Größe"}).err, HasSubstr("'Größe'"));
}

TEST_F(seal, what_is_there_of_a_cut_file_can_be_unsealed) {
  for (const std::string how :
       {"--encrypt --key-file key", "--compress zstd", "--compress zstd --encrypt --key-file key"}) {
    SCOPED_TRACE(how);
    const std::string key = how.find("key") == std::string::npos ? "" : " --key-file key";
    // Compressed, these are several frames.
    ASSERT_EQ(run_shell("for i in $(seq 45); do cat plain; done | $F seal - sealed " + how), 0);
    write("cut", std::string_view{content_of("sealed")}.substr(0, fs::file_size("sealed") * 2 / 3));
    EXPECT_EQ(run_shell("$F unseal cut back" + key + " 2>error"), failed);
    EXPECT_THAT(content_of("error"), HasSubstr("cut was not closed by its writer"));
    EXPECT_FALSE(fs::exists("back"));
    ASSERT_EQ(run_shell("$F unseal cut back --partial" + key + " 2>error"), 0);
    const std::string back = content_of("back");
    EXPECT_GT(back.size(), 0U);
    EXPECT_TRUE(back.starts_with(plain_)) << back.size();
    EXPECT_THAT(content_of("error"), HasSubstr(std::to_string(back.size()) + " bytes of 'cut' are there"));
    EXPECT_EQ(run_shell("$F unseal - - --partial" + key + " <cut 2>error | cmp - back"), 0);
    fs::remove("back");
  }
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
  if (const auto missing = test::describe_missing({"encrypt"}); !missing.empty()) GTEST_SKIP() << missing;
  const ended help = freshet_.run({"encrypt", "--help"});
  EXPECT_THAT(help.out, HasSubstr("protects nothing"));
  EXPECT_THAT(help.out, HasSubstr("freshet seal"));
}

}  // namespace
}  // namespace freshet::tool
