// The test vectors of doc/reference/sealed-format.md, and a reader that shares no code with freshet.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>

#include "src/filter/sealed_format.hpp"
#include "tests/support/sealed_bytes.hpp"
#include "tests/support/soak.hpp"
#include "tests/support/temporary_directory.hpp"
#include "tests/support/writing.hpp"

namespace freshet {
namespace {

constexpr std::string_view passphrase = "correct horse battery staple";

struct vector {
  unsigned char salt;  // the first byte of 32 that rise
  std::string name;
  std::string plain;
  detail::key_kind kind = detail::key_kind::key;
  std::vector<std::size_t> flushes = {};
  std::uint8_t version = detail::sealed_header::first_version;
};

std::string rising(std::size_t length) {
  std::string bytes(length, '\0');
  for (std::size_t i = 0; i < length; ++i) bytes[i] = static_cast<char>(i + i / 256);
  return bytes;
}

encryption_key key_of(const vector& one) {
  if (one.kind == detail::key_kind::passphrase) return encryption_key::from_passphrase(passphrase, 10);
  const std::string bytes = rising(encryption_key::size);
  return encryption_key{std::as_bytes(std::span{bytes}).first<encryption_key::size>()};
}

std::vector<vector> all_vectors() {
  return {{0x40, "empty", ""},
          {0x60, "text", "freshet\n"},
          {0x80, "chunks", rising(9000), detail::key_kind::key, {100, 3940}},
          {0xA0, "passphrase", "freshet\n", detail::key_kind::passphrase},
          {0xC0, "passphrase-2", "freshet\n", detail::key_kind::passphrase, {}, 2}};
}

std::string seal(const vector& one) {
  const auto key = key_of(one);
  detail::sealed_header header{
      .version = one.version, .kind = one.kind, .cost = key.contents()->cost, .segment = detail::smallest_segment};
  std::ranges::generate(header.salt, [value = one.salt]() mutable { return static_cast<std::byte>(value++); });
  detail::sealing how;
  detail::file_keys keys;
  EXPECT_EQ(detail::make_header(*key.contents(), header, how.header, keys).code, std::errc{});
  EXPECT_TRUE(how.cipher.start(detail::message_cipher::direction::seal, keys.chunks));
  how.segment = header.segment;
  return test::sealed(one.plain, std::move(how), one.flushes);
}

std::filesystem::path sample_of(const vector& one) {
  return std::filesystem::path{FRESHET_TESTS} / "src/filter/samples" / ("sealed-" + one.name + ".bin");
}

TEST(sealed_vectors, are_what_is_written_and_read) {
  for (const vector& each : all_vectors()) {
    SCOPED_TRACE(each.name);
    const std::string sample = test::content_of(sample_of(each));
    EXPECT_EQ(seal(each), sample);
    const auto read = test::unseal(sample, key_of(each));
    EXPECT_FALSE(read.failure) << read.message;
    EXPECT_EQ(read.plain, each.plain);
  }
}

class sealed_reader : public testing::Test {
 protected:
  void SetUp() override {
    if (std::system("python3 -c 'import cryptography' 2>/dev/null") != 0)
      GTEST_SKIP() << "python3-cryptography is not installed";
  }

  static void write(const std::filesystem::path& path, std::string_view bytes) {
    std::ofstream{path, std::ios::binary} << bytes;
  }
  // Whether the reader accepts the file. What it read is then in plain_.
  bool accepts(const std::string& kind, std::string_view secret, std::string_view stored) {
    write(directory_ / "secret", secret);
    write(directory_ / "sealed", stored);
    const std::string command = "cd '" + directory_.path().string() +
                                "' && python3 '" FRESHET_TESTS "/src/filter/sealed_reader.py' " + kind +
                                " secret sealed >plain 2>error";
    const int status = std::system(command.c_str());
    plain_ = test::content_of(directory_ / "plain");
    return status == 0;
  }

  test::temporary_directory directory_;
  std::string plain_;
};

TEST_F(sealed_reader, reads_the_vectors) {
  for (const vector& each : all_vectors()) {
    const bool has_key = each.kind == detail::key_kind::key;
    EXPECT_TRUE(accepts(has_key ? "key" : "passphrase", has_key ? rising(32) : std::string{passphrase},
                        test::content_of(sample_of(each))))
        << each.name << ": " << test::content_of(directory_ / "error");
    EXPECT_EQ(plain_, each.plain) << each.name;
  }
}

TEST_F(sealed_reader, reads_what_is_written_and_refuses_what_was_altered) {
  const std::string key(32, '\7');
  const std::string plain = test::bytes_from(0, 300'000);
  const std::string stored = test::sealed(plain, test::key_of(7), detail::default_segment, {5, 100'000});
  ASSERT_TRUE(accepts("key", key, stored)) << test::content_of(directory_ / "error");
  EXPECT_EQ(plain_, plain);
  for (const std::uint64_t at : test::sample(test::numbers_to(stored.size() - 1), 5)) {
    std::string altered = stored;
    altered[at] = static_cast<char>(altered[at] ^ 1);
    EXPECT_FALSE(accepts("key", key, altered)) << at;
    EXPECT_FALSE(accepts("key", key, stored.substr(0, at))) << at;
    if (test::is_complete() && at > 300) break;
  }
  EXPECT_FALSE(accepts("key", std::string(32, '\6'), stored));
}

}  // namespace
}  // namespace freshet
