// Which of a peer's toolchains is chosen.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "lab/peers/building.hpp"
#include "lab/peers/contest.hpp"
#include "lab/peers/peer.hpp"
#include "lab/peers/rows.hpp"
#include "tests/lab/peers/peer_folders.hpp"
#include "tests/support/temporary_directory.hpp"
#include "tool/base/child.hpp"

namespace freshet::tool {
namespace {

namespace fs = std::filesystem;
using test::manifest_of;
using test::with;

// PATH leads only to scripts that the test adds.
class peer_toolchains : public testing::Test {
 protected:
  void SetUp() override { setenv("PATH", commands_.path().c_str(), 1); }
  void TearDown() override { setenv("PATH", before_.c_str(), 1); }

  void add(const std::string& command, const std::string& script) const {
    std::ofstream{commands_ / command} << "#!/bin/sh\n" << script << '\n';
    fs::permissions(commands_ / command, fs::perms::owner_all);
  }
  // The packages of the toolchain that is chosen, or what is missing.
  std::string taken() const {
    toolchains tools{merge_environment({})};
    const peer_toolchain* const toolchain = tools.find(csharp_);
    return toolchain == nullptr ? tools.describe_missing(csharp_) : toolchain->package;
  }
  std::string identity() const { return toolchains{merge_environment({})}.identity(csharp_.toolchains[0].needs[0]); }

  const std::string before_ = getenv("PATH");
  test::temporary_directory commands_;
  const std::string manifest_ = with(manifest_of("csharp"), "needs = [\"sh\"]\npackage = \"dash\"",
                                     "needs = [\"answer:dotnet --list-sdks\"]\npackage = \"dotnet-sdk\"\n"
                                     "run = [\"dotnet\"]\n[[toolchain]]\nname = \"mono\"\n"
                                     "needs = [\"mcs\", \"mono\"]\npackage = \"mono-mcs\"");
  const peer csharp_ = parse_peer(manifest_, "csharp");
};

TEST_F(peer_toolchains, are_not_taken_for_a_command_that_has_nothing_to_say) {
  add("mcs", "");
  add("mono", "");
  EXPECT_EQ(taken(), "mono-mcs");
  add("dotnet", "exit 0");  // a runtime without an SDK
  EXPECT_EQ(taken(), "mono-mcs");
  add("dotnet", "echo 'no such option'; exit 1");
  EXPECT_EQ(taken(), "mono-mcs");
  add("dotnet", "[ $# = 1 ] && [ $1 = --list-sdks ] && echo '10.0.100 [/usr/lib/dotnet/sdk]'");
  EXPECT_EQ(taken(), "dotnet-sdk");
}

TEST_F(peer_toolchains, say_what_is_missing) {
  add("dotnet", "exit 0");
  add("mono", "");
  EXPECT_EQ(taken(), "needs answer:dotnet --list-sdks (Debian: dotnet-sdk), or mcs (Debian: mono-mcs)");
}

TEST_F(peer_toolchains, with_a_name_have_rows_of_their_own_beside_an_earlier_one) {
  const test::peer_folders folders;
  folders.add("csharp", test::good_script, manifest_);
  const auto rows = [&] {
    peer_catalogue all = read_peers(folders.path());
    toolchains tools{merge_environment({})};
    leave_out_unbuildable(all, tools);
    std::vector<std::string> names;
    for (const peer_row& row : all.rows) names.push_back(row.name + (row.is_active() ? "" : ", left out"));
    return names;
  };
  EXPECT_THAT(rows(), testing::ElementsAre("csharp, left out"));
  add("mcs", "");
  add("mono", "");
  EXPECT_THAT(rows(), testing::ElementsAre("csharp")) << "with Mono";
  add("dotnet", "echo 10.0.100");
  EXPECT_THAT(rows(), testing::ElementsAre("csharp", "csharp/mono"));
}

TEST_F(peer_toolchains, are_others_once_they_answer_otherwise) {
  add("dotnet", "echo 8.0.100");
  const std::string old = identity();
  EXPECT_EQ(identity(), old);
  add("dotnet", "echo 10.0.100");
  EXPECT_NE(identity(), old);
}

TEST_F(peer_toolchains, cannot_ask_nobody) {
  const peer none = parse_peer(with(manifest_of("none"), "[\"sh\"]", "[\"answer:\"]"), "none");
  EXPECT_EQ(toolchains{merge_environment({})}.find(none), nullptr);
}

}  // namespace
}  // namespace freshet::tool
