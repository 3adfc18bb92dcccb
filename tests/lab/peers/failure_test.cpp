// Peers that fail: each is shown with its last words, and the others are measured.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "tests/lab/peers/peer_folders.hpp"
#include "tests/support/freshet_command.hpp"
#include "tests/support/mounted_image.hpp"
#include "tests/support/temporary_directory.hpp"

namespace freshet {
namespace {

namespace fs = std::filesystem;
using test::content_of;
using test::ended;
using test::manifest_of;
using test::with;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

class bad_peer : public test::peers_fixture {
 protected:
  bad_peer() { peers_.add("good"); }

  // Runs the bad peer beside the good one, which must be measured nevertheless. Returns the message about the bad one,
  // on one line, with one space between words.
  std::string failure_of_bad(std::vector<std::string> more = {}) const {
    more.insert(more.end(), {"--json", private_ / "json"});
    const ended done = run(more);
    EXPECT_EQ(done.exit_code, 1) << done.out << done.err;
    EXPECT_TRUE(has_measured_good());
    EXPECT_TRUE(nothing_left());
    const std::size_t begin = done.out.find("! bad: ");
    if (begin == std::string::npos) return "none: " + done.out;
    std::string one_line;
    for (const char each : done.out.substr(begin)) {
      const char shown = each == '\n' ? ' ' : each;
      if (shown != ' ' || !one_line.ends_with(' ')) one_line += shown;
    }
    return one_line;
  }

  bool has_measured_good() const {
    const auto json = nlohmann::json::parse(test::content_of(private_ / "json"));
    return std::ranges::any_of(json.at("trials"), [](const auto& trial) { return trial.at("method") == "good"; });
  }

  // Waits until the peer has written a number to `file`; returns that number.
  static pid_t number_in(const fs::path& file) {
    pid_t number = 0;
    for (int tries = 0; tries < 3000 && number == 0; ++tries) {
      std::ifstream{file} >> number;
      if (number == 0) std::this_thread::sleep_for(std::chrono::milliseconds{10});
    }
    return number;
  }
  static bool is_gone(pid_t process) {
    for (int tries = 0; tries < 500; ++tries) {
      if (::kill(process, 0) != 0) return true;
      std::this_thread::sleep_for(std::chrono::milliseconds{10});
    }
    return false;
  }
};

TEST_F(bad_peer, that_does_not_build) {
  peers_.add("bad", "", manifest_of("bad") + "build = \"echo first; echo 'line 3: syntax error' >&2; exit 4\"\n");
  EXPECT_THAT(failure_of_bad(), AllOf(HasSubstr("not built: ended with exit code 4; its last output:"),
                                      HasSubstr("first line 3: syntax error")));
}

// This and the others with a --time-limit take it whole: 5 s, in which a peer that works is built on a busy machine,
// too.
TEST_F(bad_peer, whose_build_never_ends) {
  peers_.add("bad", "", manifest_of("bad") + "build = \"echo thinking; sleep 1000\"\n");
  EXPECT_THAT(failure_of_bad({"--time-limit", "5"}),
              AllOf(HasSubstr("not built: did not end within 5 s"), HasSubstr("thinking")));
}

TEST_F(bad_peer, that_cannot_be_started) {
  peers_.add("bad", "", with(manifest_of("bad"), "run = [\"sh\",", "run = [\"{out}/none\","));
  EXPECT_THAT(failure_of_bad(), HasSubstr("cannot start /"));
}

TEST_F(bad_peer, that_crashes) {
  peers_.add("bad", "handshake ready\necho 'about to fall' >&2\nkill -SEGV $$\n");
  EXPECT_THAT(failure_of_bad(),
              AllOf(HasSubstr("was killed by signal 11 (Segmentation fault) before it wrote \"closed\""),
                    HasSubstr("its last output: about to fall")));
}

TEST_F(bad_peer, that_crashes_at_its_very_end) {
  peers_.add("bad", std::string{test::good_script} + "kill -ABRT $$\n");
  EXPECT_THAT(failure_of_bad(), HasSubstr("was killed by signal 6 (Aborted)"));
}

TEST_F(bad_peer, that_ends_with_an_error) {
  peers_.add("bad", "handshake ready\nprintf 'write: \\033[31mno ink\\n' >&2\nexit 3\n");
  EXPECT_THAT(failure_of_bad(), AllOf(HasSubstr("ended with exit code 3 before it wrote \"closed\""),
                                      HasSubstr("write: ?[31mno ink"), Not(HasSubstr("\033"))));
}

TEST_F(bad_peer, that_fails_only_in_a_trial) {
  // The first calls check the peer, and succeed. They write as much as the trials, because the file is small.
  const std::string mark = (private_ / "mark").string();
  peers_.add("bad", "handshake ready\nif [ \"$(wc -l < '" + mark + "')\" -gt 2 ]; then exit 9; fi\n" + "echo x >> '" +
                        mark + "'\nwrite_text \"$size\" > \"$file\"\nhandshake closed\n");
  std::ofstream{mark} << "";
  EXPECT_THAT(failure_of_bad({"--rounds", "6"}), HasSubstr("ended with exit code 9"));
}

TEST_F(bad_peer, that_hangs) {
  const fs::path file = private_ / "number";
  peers_.add("bad", "handshake ready\necho $$ > '" + file.string() + "'\necho 'counting sheep' >&2\nsleep 1000 &\n" +
                        "wait\n");
  EXPECT_THAT(failure_of_bad({"--time-limit", "5"}),
              AllOf(HasSubstr("did not write \"closed\" within 5 s"), HasSubstr("counting sheep")));
  EXPECT_TRUE(is_gone(number_in(file)));
}

TEST_F(bad_peer, that_does_not_start) {
  peers_.add("bad", "sleep 1000\n");
  EXPECT_THAT(failure_of_bad({"--time-limit", "5"}), HasSubstr("did not write \"ready\" within 5 s"));
}

TEST_F(bad_peer, that_does_not_end) {
  peers_.add("bad", std::string{test::good_script} + "sleep 1000\n");
  EXPECT_THAT(failure_of_bad({"--time-limit", "5"}), HasSubstr("did not end within 5 s"));
}

TEST_F(bad_peer, that_leaves_another_process_behind) {
  const fs::path file = private_ / "number";
  peers_.add("bad", "sleep 1000 &\necho $! > '" + file.string() + "'\n" + test::good_script);
  EXPECT_EQ(run({"--time-limit", "5"}).exit_code, 0);  // no fault, and yet nothing goes on into the next trial
  EXPECT_TRUE(is_gone(number_in(file)));
}

TEST_F(bad_peer, that_speaks_nonsense) {
  peers_.add("bad", "echo 'Welcome to bad 1.0!'\nhandshake ready\n");
  EXPECT_THAT(failure_of_bad(), HasSubstr("wrote \"Welcome to bad 1.0!\" instead of \"ready\""));
}

TEST_F(bad_peer, that_speaks_without_end) {
  peers_.add("bad", "exec tr '\\0' x < /dev/zero\n");
  EXPECT_THAT(failure_of_bad(), HasSubstr("wrote an endless line instead of"));
}

TEST_F(bad_peer, that_writes_too_little) {
  peers_.add("bad", "handshake ready\nwrite_text $((size / 2)) > \"$file\"\nhandshake closed\n");
  EXPECT_THAT(failure_of_bad(), HasSubstr("wrote wrong bytes: 51"));
}

TEST_F(bad_peer, that_writes_other_bytes) {
  peers_.add("bad",
             "handshake ready\nwrite_text \"$size\" | tr Q-T q-t | sed '1000s/work/wurk/' > \"$file\"\n"
             "handshake closed\n");
  EXPECT_THAT(failure_of_bad(), HasSubstr("wrote wrong bytes, though as many as it should"));
}

TEST_F(bad_peer, that_writes_no_file) {
  for (const std::string doing : {"", "mkdir \"$file\"\n", "ln -s none \"$file\"\n"}) {
    peers_.add("bad", "handshake ready\n" + doing + "handshake closed\n");
    EXPECT_THAT(failure_of_bad(), HasSubstr("left no file that can be read and written"));
  }
}

TEST_F(bad_peer, that_writes_without_end) {
  peers_.add("bad", "handshake ready\nexec cat /dev/zero > \"$file\"\n");
  EXPECT_THAT(failure_of_bad(), HasSubstr("was killed by signal 25 (File size limit exceeded)"));
}

TEST_F(bad_peer, that_fills_the_disk) {
  const test::mounted_image small{private_.path(), "tmpfs", 4 << 20};
  if (!small.why_not().empty()) GTEST_SKIP() << small.why_not();
  peers_.add("bad", "handshake ready\ncat /dev/zero > \"$file\" || exit 1\nhandshake closed\n");
  const test::temporary_directory results;
  const ended done = run_in(small.path(), {"--json", results / "json"});
  EXPECT_EQ(done.exit_code, 1);
  const auto json = nlohmann::json::parse(test::content_of(results / "json"));
  EXPECT_EQ(json["peers"][0]["failure"], "ended with exit code 1 before it wrote \"closed\"");
  EXPECT_THAT(json["peers"][0]["last_words"].get<std::string>(), HasSubstr("No space left on device"));
  EXPECT_EQ(json["trials"][0]["method"], "good");
  EXPECT_TRUE(fs::is_empty(small.path()));
}

TEST_F(bad_peer, with_a_bad_manifest) {
  peers_.add("bad", "", "colour = \"red\"\n" + manifest_of("bad"));
  EXPECT_THAT(failure_of_bad(), AllOf(HasSubstr("bad/peer.toml"), HasSubstr("unknown key 'colour'")));
  fs::remove(peers_.path() / "bad/peer.toml");
  EXPECT_THAT(failure_of_bad(), HasSubstr("bad/peer.toml"));
}

TEST_F(bad_peer, whose_tools_are_missing_is_no_failure) {
  peers_.add("bad", "", with(manifest_of("bad"), "[\"sh\"]", "[\"sh\", \"no-such-tool\", \"pkg-config:no-such\"]"));
  const ended done = run({"--json", "-"});
  EXPECT_EQ(done.exit_code, 0) << done.out << done.err;
  EXPECT_EQ(nlohmann::json::parse(done.out)["peers"][0]["left_out"],
            "not here, needs no-such-tool, pkg-config:no-such (Debian: dash)");
  const ended alone = run({"--only", "bad"});
  EXPECT_EQ(alone.exit_code, 1);
  EXPECT_THAT(alone.err, HasSubstr("bad: not here, needs no-such-tool"));
}

TEST_F(bad_peer, is_in_the_json) {
  peers_.add("bad", "echo 'no luck' >&2\nexit 3\n");
  const ended done = run({"--json", "-"});
  EXPECT_EQ(done.exit_code, 1);
  const auto json = nlohmann::json::parse(done.out);
  EXPECT_EQ(json["peers"][0]["name"], "bad");
  EXPECT_THAT(json["peers"][0]["failure"].get<std::string>(), HasSubstr("exit code 3"));
  EXPECT_EQ(json["peers"][0]["last_words"], "no luck");
  EXPECT_EQ(json["trials"].size(), 1U);
}

TEST_F(bad_peer, that_is_interrupted_leaves_nothing) {
  const fs::path file = private_ / "number";
  peers_.add("bad", "handshake ready\necho x > \"$file\"\necho $$ > '" + file.string() + "'\nsleep 1000\n");
  const pid_t command = freshet_.start(test::peers_words(directory(), peers_, {"--only", "bad"}));
  const pid_t number = number_in(file);
  ASSERT_NE(number, 0);
  ::kill(command, SIGINT);
  EXPECT_EQ(freshet_.wait_for(command).exit_code, 130);
  EXPECT_TRUE(is_gone(number));
  EXPECT_TRUE(nothing_left());
}

}  // namespace
}  // namespace freshet
