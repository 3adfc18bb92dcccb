// peer.toml: every key is read, and unknown keys or wrong values are refused.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <freshet/error.hpp>

#include "lab/peers/peer.hpp"
#include "lab/peers/rows.hpp"
#include "tests/lab/peers/peer_folders.hpp"
#include "tests/support/temporary_directory.hpp"

namespace freshet::tool {
namespace {

namespace fs = std::filesystem;
using test::manifest_of;
using test::with;
using testing::ElementsAre;
using testing::HasSubstr;

class peer_manifest : public testing::Test {
 protected:
  peer read(const std::string& text) const {
    fs::create_directories(folder_ / "one");
    std::ofstream{folder_ / "one/peer.toml"} << text;
    return read_peer(folder_ / "one");
  }

  void expect_refused(const std::string& text, const std::string& why) const {
    try {
      static_cast<void>(read(text));
      ADD_FAILURE() << "read: " << text;
    } catch (const error& refused) {
      EXPECT_THAT(refused.what(), HasSubstr((folder_ / "one/peer.toml").string()));
      EXPECT_THAT(refused.what(), HasSubstr(why));
    }
  }

  const std::string good_ = manifest_of("one");
  test::temporary_directory folder_;
};

TEST_F(peer_manifest, is_read_whole) {
  const peer result = read(R"(
name = "one"
family = "c++"
language = "C++"
title = "some \"title\", \u00d7 2"
kind = "library"
method = "mmap"
workloads = ["text", "bytes"]
options = ["buffer", "reserve", "write-through", "no-cache", "sequential", "overwrite"]
buffer = "256K"
published = [{ table = "bytes", row = 2, name = "fwrite", then = ["18.9", "-"], size = "1M", buffer = "64K", options = ["reserve"] }]
[[toolchain]]
needs = ["c++", "pkg-config:fmt", "header:fmt/os.h"]
package = "g++ libfmt-dev"
build = "c++ -O2 -o {out}/peer {source}/main.cpp"
run = ["{out}/peer", "--fast"]
[[toolchain]]
needs = []
package = "none"
run = ["true"]
[[variant]]
name = "a"
title = "first"
arguments = []
[[variant]]
name = "b"
title = "second"
kind = "naive"
method = "direct"
buffer = "1M"
workloads = ["bytes"]
arguments = ["--way", "b"]
published = [{ table = "ladder", row = 1, name = "a step", then = ["255 @ 100 %"], changes = 0 }]
)");
  EXPECT_EQ(result.folder, folder_ / "one");
  EXPECT_EQ(result.name, "one");
  EXPECT_EQ(result.family, "c++");
  EXPECT_EQ(result.language, "C++");
  EXPECT_EQ(result.title, "some \"title\", × 2");
  EXPECT_EQ(result.kind, peer_kind::library);
  EXPECT_THAT(result.workloads, ElementsAre("bytes", "text"));
  EXPECT_EQ(result.options.size(), 6U);
  EXPECT_EQ(result.buffer, 262144U);
  EXPECT_EQ(result.platform, "");
  ASSERT_EQ(result.toolchains.size(), 2U);
  EXPECT_THAT(result.toolchains[0].needs, ElementsAre("c++", "pkg-config:fmt", "header:fmt/os.h"));
  EXPECT_EQ(result.toolchains[0].package, "g++ libfmt-dev");
  EXPECT_EQ(result.toolchains[0].build, "c++ -O2 -o {out}/peer {source}/main.cpp");
  EXPECT_THAT(result.toolchains[0].run, ElementsAre("{out}/peer", "--fast"));
  EXPECT_EQ(result.toolchains[1].build, "");
  ASSERT_EQ(result.variants.size(), 2U);
  EXPECT_EQ(result.variants[0].kind, peer_kind::library);
  EXPECT_EQ(result.variants[1].kind, peer_kind::naive);
  EXPECT_EQ(result.method, "mmap");
  EXPECT_EQ(result.variants[0].method, "mmap");
  EXPECT_EQ(result.variants[0].buffer, 262144U);
  EXPECT_EQ(result.variants[1].method, "direct");
  EXPECT_EQ(result.variants[1].buffer, 1048576U);
  EXPECT_THAT(result.variants[0].workloads, ElementsAre("bytes", "text"));
  EXPECT_THAT(result.variants[1].workloads, ElementsAre("bytes"));
  EXPECT_THAT(result.variants[1].arguments, ElementsAre("--way", "b"));
  ASSERT_EQ(result.published.size(), 2U);
  EXPECT_EQ(result.published[0].peer, "one");
  EXPECT_EQ(result.published[0].row, 2U);
  EXPECT_THAT(result.published[0].then, ElementsAre("18.9", "-"));
  EXPECT_EQ(result.published[0].size, 1U << 20);
  EXPECT_EQ(result.published[0].buffer, 65536U);
  EXPECT_THAT(result.published[0].options, ElementsAre("reserve"));
  EXPECT_EQ(result.published[1].peer, "one/b");
  EXPECT_EQ(result.published[1].table, "ladder");
  EXPECT_EQ(result.published[1].size, 100U << 20);
  EXPECT_EQ(result.published[1].buffer, 0U);
  EXPECT_TRUE(result.published[1].options.empty());
}

TEST_F(peer_manifest, of_another_platform_needs_no_toolchain) {
  const std::string without = good_.substr(0, good_.find("[[toolchain]]"));
  EXPECT_EQ(read(without + "platform = \"windows\"\n").platform, "windows");
  expect_refused(without, "'toolchain' is missing");
  expect_refused(without + "platform = \"linux\"\n", "'platform'");
}

TEST_F(peer_manifest, refuses_what_it_does_not_know) {
  expect_refused("colour = \"red\"\n" + good_, "line 1: unknown key 'colour'");
  expect_refused(good_ + "speed = 3\n", "unknown key 'speed'");
  expect_refused(good_ + "[[variant]]\nname = \"a\"\ntitle = \"b\"\narguments = []\nx = 1\n", "unknown key 'x'");
  expect_refused(with(good_, "\"naive\"", "\"fast\""),
                 "'kind' must be one of naive, standard, system, library, freshet");
  expect_refused("method = \"cached\"\n" + good_, "'method' must be one of buffered, direct, uring, mmap, auto");
  EXPECT_EQ(read(good_).method, "buffered");
  expect_refused(with(good_, "[\"text\"]", "[\"lines\"]"), "'workloads' cannot have \"lines\"");
  expect_refused(with(good_, "[\"sequential\"]", "[\"direct\"]"), "'options' cannot have \"direct\"");
}

TEST_F(peer_manifest, refuses_what_is_missing_or_of_another_type) {
  for (const std::string key : {"name", "family", "language", "title", "kind", "workloads", "options"}) {
    const std::size_t begin = good_.find(key + " = ");
    const std::size_t end = good_.find('\n', begin);
    std::string text = good_;
    expect_refused(text.erase(begin, end + 1 - begin), "'" + key + "' is missing");
    text = good_;
    expect_refused(text.replace(begin, end - begin, key + " = 3"), "'" + key + "' must be");
  }
  expect_refused(with(good_, "title = \"a script\"", "title = \"\""), "'title' is empty");
  expect_refused(with(good_, "needs = [\"sh\"]", "needs = [3]"), "'needs' must be text");
  expect_refused(with(good_, R"(run = ["sh", "{source}/main.sh"])", "run = []"), "'run' is empty");
  expect_refused(with(good_, "[[toolchain]]", "[toolchain]"), "'toolchain' must be tables");
  expect_refused(with(good_, "a script", "a \\u001b[31mscript"), "control character");
}

TEST_F(peer_manifest, refuses_what_contradicts_itself) {
  expect_refused(with(good_, "\"one\"", "\"two\""), R"('name' is "two", not the folder's, "one")");
  expect_refused("buffer = \"4K\"\n" + good_, "'options' does not list it");
  const std::string buffered = with(good_, "\"sequential\"", "\"buffer\"");
  expect_refused("buffer = \"4 quarts\"\n" + buffered, "'buffer': ");
  const std::string variant = "[[variant]]\nname = \"a\"\ntitle = \"b\"\narguments = []\n";
  expect_refused(good_ + variant + "buffer = \"4K\"\n", "'options' does not list it");
  expect_refused(good_ + variant + variant, "two variants 'a'");
  expect_refused(good_ + variant + "workloads = [\"bytes\"]\n",
                 "'workloads' of a variant must be among those of its peer: text");
}

TEST_F(peer_manifest, refuses_published_figures_that_fit_no_table) {
  const auto published = [&](const std::string& rows) { return "published = " + rows + "\n" + good_; };
  expect_refused(published("[3]"), "'published' must be tables");
  expect_refused(published(R"([{ table = "prices", name = "a", then = ["1"] }])"), "'table' must be one of programs, ");
  expect_refused(published(R"([{ table = "ladder", name = "a", then = ["1", "2"] }])"), "'then' must have 1 text");
  expect_refused(published(R"([{ table = "ladder", row = -1, name = "a", then = ["1"] }])"), "'row' must be a whole");
  expect_refused(published(R"([{ table = "ladder", name = "a", then = ["1"], x = 1 }])"), "unknown key 'x'");
  expect_refused(published(R"([{ table = "ladder", name = "a", then = ["1"], size = "much" }])"), "'size': ");
  expect_refused(published(R"([{ table = "ladder", name = "a", then = ["1"], options = ["buffer"] }])"), "'options'");
}

TEST_F(peer_manifest, needs_a_workload) {
  expect_refused(with(good_, "[\"text\"]", "[]"), "'workloads' is empty");
  expect_refused(good_ + "[[variant]]\nname = \"a\"\ntitle = \"b\"\nworkloads = []\narguments = []\n",
                 "line 15: 'workloads' is empty");
}

// The TOML parser is not safe with such input.
TEST_F(peer_manifest, refuses_what_the_parser_is_not_safe_with) {
  expect_refused(good_ + "# fine\n\xef\xbb\x9f = 1\n", "line 13: only ASCII is allowed here");
  std::string deep = "a";
  for (int part = 0; part < 100'000; ++part) deep += ".a";
  expect_refused(good_ + deep + " = 1\n", "line 12: the keys are nested too deeply");
  expect_refused(good_ + "[" + deep + "]\n", "line 12: the keys are nested too deeply");
  expect_refused(good_ + "x = " + std::string(100'000, '['), "line 12: ");
}

// Without this, a table would show the same program in two rows.
TEST_F(peer_manifest, of_a_variant_may_have_fewer_workloads) {
  const std::string variants =
      "[[variant]]\nname = \"both\"\ntitle = \"a\"\narguments = []\n"
      "[[variant]]\nname = \"lines\"\ntitle = \"b\"\nworkloads = [\"text\"]\narguments = []\n";
  static_cast<void>(read(with(good_, "[\"text\"]", R"(["text", "bytes"])") + variants));
  const auto names_of = [&](workload_kind workload) {
    peer_catalogue all = read_peers(folder_.path());
    select_rows(all, {}, {.workload = workload});
    std::vector<std::string> names;
    for (const peer_row& row : all.rows) names.push_back(row.name);
    return names;
  };
  EXPECT_THAT(names_of(workload_kind::text), ElementsAre("one/both", "one/lines"));
  EXPECT_THAT(names_of(workload_kind::bytes), ElementsAre("one/both"));
}

TEST_F(peer_manifest, refuses_what_is_no_toml) {
  expect_refused("name = one\n", "line 1");
  expect_refused("name = \"o", "line 1");
  EXPECT_THROW(static_cast<void>(read_peer(folder_ / "none")), error);
}

}  // namespace
}  // namespace freshet::tool
