// What `freshet text` can ask of its file: compression, encryption, checksums, and files that are gone when closed.
#include <freshet/encryption.hpp>
#include <freshet/reader.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/support/writing.hpp"
#include "tests/tool/command/measuring_command.hpp"

namespace freshet {
namespace {

namespace fs = std::filesystem;
using test::content_of;
using test::ended;
using testing::HasSubstr;

class text_options : public test::measuring_command {
 protected:
  text_options() {
    std::ofstream{file("key")} << std::string(32, 'k');
    std::ofstream{file("passphrase")} << "correct horse\n";
    for (const char* const name : {"key", "passphrase"}) fs::permissions(file(name), fs::perms{0600});
  }

  [[nodiscard]] ended text(const std::string& path, std::vector<std::string> more) const {
    more.insert(more.begin(), {"text", path, "--size", "1M"});
    return freshet_.run(std::move(more));
  }
  // The JSON of a call that succeeds.
  [[nodiscard]] nlohmann::json written(const std::vector<std::string>& more) const {
    std::vector<std::string> words{"text", file("a"), "--size", "1M"};
    words.insert(words.end(), more.begin(), more.end());
    return json_of(words);
  }
  [[nodiscard]] std::string plain() const {
    EXPECT_EQ(text(file("plain"), {}).exit_code, 0);
    return content_of(file("plain"));
  }
  [[nodiscard]] std::string read(const reader_options& options) const {
    reader in{file("a"), options};
    std::string content(in.size(), '\0');
    content.resize(in.read(content));
    return content;
  }
  [[nodiscard]] encryption_key key() const { return encryption_key::from_file(file("key")); }
};

TEST_F(text_options, compress_and_compare_what_can_be_read_back) {
  const auto json = written({"--compress", "zstd:1", "--durability", "at_close"});
  EXPECT_EQ(json.at("options"), nlohmann::json({{"compress", "zstd:1"}}));
  EXPECT_EQ(json.at("stored_bytes"), fs::file_size(file("a")));
  EXPECT_EQ(json.at("trial").at("bytes"), 1'048'525);
  EXPECT_LT(fs::file_size(file("a")), 100'000U);
  EXPECT_EQ(json.at("trial").at("bytes_compared"), 1'048'525);
  EXPECT_EQ(read({.decompression = decompression::zstd}), plain());
  for (const auto& reason : json.at("trial").at("reasons"))
    EXPECT_THAT(reason.get<std::string>(), testing::Not(HasSubstr("claimed durable"))) << "the disk has all of it";
}

TEST_F(text_options, encrypt_with_a_key_or_a_passphrase) {
  EXPECT_EQ(written({"--key-file", file("key")}).at("options"), nlohmann::json({{"encrypt", true}}));
  const encryption_key ours = key();
  EXPECT_EQ(read({.key = &ours}), plain());
  ASSERT_EQ(text(file("a"), {"--passphrase-file", file("passphrase"), "--compress", "zstd", "--atomic"}).exit_code, 0);
  const auto passphrase = encryption_key::from_passphrase("correct horse");
  EXPECT_EQ(read({.key = &passphrase, .decompression = decompression::automatic}), plain());
}

TEST_F(text_options, do_not_let_it_replace_the_key) {
  const ended done = text(file("key"), {"--key-file", file("key"), "--force"});
  EXPECT_EQ(done.exit_code, 2);
  EXPECT_THAT(done.err, HasSubstr("is the file of the key"));
  EXPECT_EQ(content_of(file("key")), std::string(32, 'k'));
}

TEST_F(text_options, print_a_checksum_by_which_the_file_was_verified) {
  const ended done = text(file("a"), {"--checksum", "xxh3"});
  EXPECT_EQ(done.exit_code, 0) << done.err;
  const std::string sum = written({"--checksum", "xxh3"}).at("checksum");
  EXPECT_THAT(done.out, HasSubstr("checksum       " + sum));
  const std::uint64_t value = std::stoull(sum.substr(std::string{"xxh3:"}.size()), nullptr, 16);
  EXPECT_EQ(read({.expected_checksum = {checksum_algorithm::xxh3, value}}), plain());
}

TEST_F(text_options, leave_no_file_where_none_is_wanted) {
  const auto before = test::entries_in(directory());
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"text", directory(), "--temporary"}, {"text", file("gone"), "--delete-on-close"}}) {
    std::vector<std::string> call = words;
    call.insert(call.end(), {"--size", "1M", "--repeat", "2"});
    const ended done = freshet_.run(call);
    EXPECT_EQ(done.exit_code, 0) << done.err;
    EXPECT_THAT(done.out, HasSubstr("unknown: the file is gone when it is closed"));
    EXPECT_EQ(test::entries_in(directory()), before);
  }
  EXPECT_EQ(freshet_.run({"text", file("key"), "--delete-on-close"}).exit_code, 1) << "it is there already";
  EXPECT_EQ(freshet_.run({"text", file("key"), "--temporary"}).exit_code, 1) << "it is no directory";
  EXPECT_EQ(content_of(file("key")), std::string(32, 'k'));
}

TEST_F(text_options, keep_their_trials_apart_from_others) {
  ASSERT_EQ(text(file("a"), {"--method", "buffered"}).exit_code, 0);
  ASSERT_EQ(text(file("a"), {"--method", "buffered", "--compress", "zstd:-5"}).exit_code, 0);
  const nlohmann::json last = json_of({"history", "--run", "last"}).at("runs").at(0);
  EXPECT_EQ(last.at("fastest").at(0).at("label"), "buffered, compress zstd:-5");
  EXPECT_EQ(freshet_.run({"compare", "last~1", "last"}).exit_code, 1) << "they have no plan in common";
}

TEST_F(text_options, that_cannot_hold_together_are_refused) {
  for (const std::vector<std::string>& each : {std::vector<std::string>{"--temporary", "--atomic"},
                                               {"--temporary", "--delete-on-close"},
                                               {"--temporary", "--method", "buffered"},
                                               {"--temporary", "--durability", "at_close"},
                                               {"--delete-on-close", "--write-through"},
                                               {"--delete-on-close", "--atomic"},
                                               {"--compress", "gzip"},
                                               {"--compress", "zstd:23"},
                                               {"--checksum", "md5"},
                                               {"--access", "backwards"},
                                               {"--key-file", file("key"), "--passphrase-file", file("passphrase")}}) {
    EXPECT_EQ(text(file("a"), each).exit_code, 2) << testing::PrintToString(each);
    EXPECT_FALSE(fs::exists(file("a")));
  }
  const ended refused = text(directory(), {"--temporary", "--caching", "drop"});
  EXPECT_EQ(refused.exit_code, 1);
  EXPECT_THAT(refused.err, HasSubstr("would write a temporary file to the disk"));
  EXPECT_EQ(text(file("a"), {"--key-file", file("passphrase")}).exit_code, 1) << "a key has 32 bytes";
  EXPECT_FALSE(fs::exists(file("a")));
}

}  // namespace
}  // namespace freshet
