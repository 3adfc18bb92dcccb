// How freshet starts the laboratory: where it looks, what it passes on, and what it says where there is none.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "tests/support/freshet_command.hpp"
#include "tests/support/temporary_directory.hpp"
#include "tool/command/laboratory.hpp"

namespace freshet {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

using test::ended;

/// A copy of freshet, without a laboratory until a test gives it one.
class laboratory : public testing::Test {
 protected:
  laboratory() {
    fs::create_directory(bin());
    fs::copy_file(FRESHET_COMMAND_FOR_TESTS, bin() / "freshet");
  }

  [[nodiscard]] fs::path bin() const { return directory_ / "bin"; }
  [[nodiscard]] static fs::path real_one() { return fs::path{FRESHET_COMMAND_FOR_TESTS}.parent_path() / "freshet-lab"; }
  [[nodiscard]] ended run(std::vector<std::string> words) const {
    return test::freshet_command{(bin() / "freshet").string()}.run(std::move(words));
  }

  /// A command of the laboratory that this build has.
  [[nodiscard]] static std::string ability() { return std::string{tool::laboratory_commands().front().name}; }

  void SetUp() override {
    if (tool::laboratory_commands().empty()) GTEST_SKIP() << "this build has no ability of the laboratory";
  }

  static void make_script(const fs::path& file, const std::string& text) {
    fs::create_directories(file.parent_path());
    std::ofstream{file} << "#!/bin/sh\n" << text << '\n';
    fs::permissions(file, fs::perms::owner_all);
  }

  test::temporary_directory directory_;
};

TEST_F(laboratory, gets_the_words_as_they_were_typed) {
  make_script(bin() / "freshet-lab", "printf '<%s>' \"$@\"; echo; echo $FRESHET_LABORATORY_OF");
  const ended done = run({ability(), "--only", "c,rust", "a b", "", "--help", "--", "-x"});
  EXPECT_EQ(done.out, "<" + ability() + "><--only><c,rust><a b><><--help><--><-x>\n" FRESHET_VERSION " " +
                          (bin() / "freshet").string() + "\n");
  EXPECT_EQ(done.err, "");
  EXPECT_THAT(run({"help", ability(), "--man"}).out, StartsWith("<help><" + ability() + "><--man>"));
  if (test::has_command("peers")) {
    EXPECT_THAT(run({"bench", ".", "--preset", "w1"}).out, StartsWith("<bench><.><--preset><w1>"));
  }
}

TEST_F(laboratory, ends_freshet_as_it_ends) {
  make_script(bin() / "freshet-lab", "exit 7");
  EXPECT_EQ(run({ability()}).exit_code, 7);
  make_script(bin() / "freshet-lab", "kill -TERM $$");
  EXPECT_EQ(run({ability()}).exit_code, -SIGTERM);
}

TEST_F(laboratory, is_found_where_it_is_installed) {
  make_script(directory_ / "libexec/freshet/freshet-lab", "echo installed");
  EXPECT_EQ(run({ability()}).out, "installed\n");
  make_script(bin() / "freshet-lab", "echo beside");
  EXPECT_EQ(run({ability()}).out, "beside\n");
}

TEST_F(laboratory, is_never_looked_for_in_path) {
  make_script(directory_ / "elsewhere/freshet-lab", "echo elsewhere");
  const std::string path = ::getenv("PATH");
  ::setenv("PATH", ((directory_ / "elsewhere").string() + ":" + path).c_str(), 1);
  const ended done = run({ability()});
  ::setenv("PATH", path.c_str(), 1);
  EXPECT_EQ(done.exit_code, 1);
  EXPECT_EQ(done.out, "");
  EXPECT_THAT(done.err, AllOf(HasSubstr("freshet: freshet-lab is neither in " + bin().string() + " nor in "),
                              HasSubstr((directory_ / "libexec/freshet").string()), HasSubstr("builds it"),
                              HasSubstr("--prefix " + directory_.path().string() + "` installs it")));
}

TEST_F(laboratory, of_several_processes_is_another_one) {
  make_script(bin() / "freshet-lab", "echo alone");
  ::setenv("OMPI_COMM_WORLD_SIZE", "2", 1);
  const ended missing = run({"peers"});
  make_script(bin() / "freshet-lab-mpi", "echo together");
  const ended done = run({"peers"});
  ::unsetenv("OMPI_COMM_WORLD_SIZE");
  EXPECT_EQ(missing.exit_code, 1);
  EXPECT_THAT(missing.err, AllOf(HasSubstr("freshet-lab-mpi is neither in"), HasSubstr("--target freshet_mpi_lab"),
                                 HasSubstr("where CMake finds MPI")));
  EXPECT_EQ(done.out, "together\n");
}

TEST_F(laboratory, that_is_missing_has_its_commands_in_the_help) {
  const ended help = run({"help"});
  EXPECT_EQ(help.exit_code, 0);
  EXPECT_EQ(help.out, test::freshet_command{real_one().string()}.run({"help"}).out)
      << "both programs list all commands";
  EXPECT_EQ(run({"help", ability()}).exit_code, 1);
  EXPECT_EQ(run({ability(), "--help"}).exit_code, 1);
  EXPECT_EQ(run({"bench", ".", "--preset", "w1"}).exit_code, 1);
  EXPECT_EQ(run({ability() + "x"}).exit_code, 2);
  EXPECT_THAT(run({ability() + "x"}).err, HasSubstr("the nearest is " + ability()));
  EXPECT_THAT(run({"completion", "bash"}).out, HasSubstr("completion help " + ability()));
}

TEST_F(laboratory, describes_its_own_commands_for_programs) {
  const auto describe = [this] {
    const nlohmann::json described = nlohmann::json::parse(run({"help", ability(), "--json"}).out);
    EXPECT_EQ(described.at("commands").size(), 1);
    return described.at("commands").front();
  };
  const nlohmann::json missing = describe();
  EXPECT_THAT(missing.at("options"), testing::IsEmpty());
  fs::create_symlink(real_one(), bin() / "freshet-lab");
  const nlohmann::json whole = describe();
  EXPECT_EQ(whole.at("summary"), missing.at("summary"));
  EXPECT_EQ(whole.at("group"), "Laboratory");
  EXPECT_THAT(whole.at("options"), Not(testing::IsEmpty()));
}

TEST_F(laboratory, of_another_version_is_refused) {
  ::setenv("FRESHET_LABORATORY_OF", "0.0.1 /usr/bin/freshet", 1);
  const ended done = test::freshet_command{real_one().string()}.run({ability(), "--help"});
  ::unsetenv("FRESHET_LABORATORY_OF");
  EXPECT_EQ(done.exit_code, 1);
  EXPECT_EQ(done.out, "");
  EXPECT_THAT(done.err, AllOf(HasSubstr("has version " FRESHET_VERSION), HasSubstr("0.0.1"), Not(HasSubstr("Usage"))));
}

TEST_F(laboratory, that_cannot_be_started_is_named) {
  std::ofstream{bin() / "freshet-lab"} << "no program";
  fs::permissions(bin() / "freshet-lab", fs::perms::owner_all);
  const ended done = run({ability()});
  EXPECT_EQ(done.exit_code, 1);
  EXPECT_THAT(done.err,
              AllOf(HasSubstr("start"), HasSubstr((bin() / "freshet-lab").string()), HasSubstr("Exec format")));
}

TEST_F(laboratory, draws_what_only_it_can_draw) {
  if (const auto missing = test::describe_missing({"corpus", "encrypt", "sweep"}); !missing.empty())
    GTEST_SKIP() << missing;
  const std::string store = directory_ / "trials.sqlite";
  const test::freshet_command whole;
  ASSERT_EQ(whole.run({"corpus", directory_ / "in", "--files", "3", "--lines", "5", "--chars", "20"}).exit_code, 0);
  const ended measured = whole.run({"encrypt", directory_ / "in", directory_ / "out", "--work", "1", "--store", store});
  ASSERT_EQ(measured.exit_code, 0) << measured.err;
  EXPECT_THAT(whole.run({"history", "--run", "last", "--store", store}).out, HasSubstr("THREADS  STRATEGY"));
  const ended alone = run({"history", "--run", "last", "--store", store});
  EXPECT_EQ(alone.exit_code, 0) << alone.err;
  EXPECT_THAT(alone.out, AllOf(HasSubstr("Only freshet-lab draws it"), Not(HasSubstr("THREADS"))));
  const ended page = run({"report", "--out", "-", "--store", store});
  EXPECT_EQ(page.exit_code, 0) << page.err;
  EXPECT_THAT(page.out, HasSubstr("Only freshet-lab draws it"));
}

}  // namespace
}  // namespace freshet
