// What is read from a damaged or forged sealed file is a prefix of what was sealed, and then an error; never another
// byte.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/sealed_bytes.hpp"
#include "tests/support/soak.hpp"
#include "tests/support/writing.hpp"

namespace freshet {
namespace {

using detail::sealed_header;

constexpr std::size_t mebibyte = std::size_t{1} << 20;
constexpr std::size_t segment = detail::smallest_segment;
constexpr auto damaged = std::errc::bad_message;

// A file of a mebibyte, some of which was flushed early.
struct file {
  std::string plain = test::bytes_from(0, mebibyte);
  encryption_key key = test::key_of(7);
  std::string stored = test::sealed(plain, key, detail::default_segment, {1, 70'000, 70'001, 500'000});
};

const file& shared_file() {
  static const file made;
  return made;
}

void expect_refused(const std::string& stored, const file& original, std::size_t piece = mebibyte) {
  const auto read = test::unseal(stored, original.key, piece);
  EXPECT_TRUE(read.failure) << stored.size() << " bytes";
  EXPECT_EQ(read.plain, original.plain.substr(0, read.plain.size()));
}

TEST(sealed_damage, every_truncation_is_noticed) {
  const file& original = shared_file();
  ASSERT_EQ(test::unseal(original.stored, original.key).plain, original.plain);
  std::vector<std::uint64_t> lengths = test::sample(test::numbers_to(original.stored.size() - 1), 2000);
  // The beginning, both ends of the first chunks, and the end.
  for (std::uint64_t each = 0; each < 300; ++each) lengths.push_back(each);
  for (std::uint64_t each = 1; each < 100; ++each) lengths.push_back(original.stored.size() - each);
  for (const std::uint64_t length : lengths) {
    const auto read = test::unseal(std::string_view{original.stored}.substr(0, length), original.key, mebibyte);
    EXPECT_EQ(read.failure, damaged) << length << ": " << read.message;
    ASSERT_EQ(read.plain, original.plain.substr(0, read.plain.size())) << length;
    EXPECT_NE(read.message.find("memory was not closed by its writer"), std::string::npos)
        << length << ": " << read.message;
  }
}

// Its bytes, size and places are those of the chunks that are there.
TEST(sealed_damage, what_is_there_of_a_cut_file_can_be_read) {
  file original;
  original.plain.resize(30'000);
  original.stored = test::sealed(original.plain, original.key, segment, {1, 7000, 7001, 20'000});
  for (const std::uint64_t length : test::sample(test::numbers_to(original.stored.size() - 1), 500)) {
    const auto stored = std::string_view{original.stored}.substr(0, length);
    const auto refused = test::unseal(stored, original.key);
    ASSERT_EQ(refused.failure, damaged) << length;
    const auto read = test::unseal(stored, original.key, 4096, true);
    ASSERT_FALSE(read.failure) << length << ": " << read.message;
    ASSERT_EQ(read.plain, refused.plain) << length;
    const auto open = [&] {
      return test::unsealing(std::make_unique<test::memory_source>(stored), original.key, true);
    };
    std::error_code failure;
    EXPECT_EQ(open()->size(failure), read.plain.size()) << length;
    EXPECT_FALSE(failure) << length << ": " << failure.message();
    for (const std::size_t offset :
         {std::size_t{0}, read.plain.size() / 2, read.plain.size() - std::min(read.plain.size(), std::size_t{1}),
          read.plain.size(), original.plain.size()}) {
      const auto in = open();
      in->seek(offset);
      std::string piece(10, '\0');
      piece.resize(in->read(std::as_writable_bytes(std::span{piece})));
      EXPECT_EQ(piece, read.plain.substr(std::min(offset, read.plain.size()), 10)) << length << ": " << offset;
      EXPECT_FALSE(in->failure()) << length << ": " << offset;
    }
  }
}

TEST(sealed_damage, random_corruptions_are_noticed) {
  const file& original = shared_file();
  std::mt19937_64 random{test::sample_seed()};
  const auto below = [&](std::size_t limit) {
    return std::uniform_int_distribution<std::size_t>{0, limit - 1}(random);
  };
  for (std::size_t i = 0; i < test::sample_size(100'000, 2000); ++i) {
    std::string stored = original.stored;
    // Every other one hits the first part, where the header and short chunks are.
    const std::size_t at = below(i % 2 == 0 ? stored.size() : 1000);
    const std::size_t length = std::min(stored.size() - at, 1 + (i % 3 == 0 ? below(5000) : 0));
    switch (i % 5) {
      case 0:
      case 1:
        stored[at] = static_cast<char>(stored[at] ^ (1 << below(8)));
        break;
      case 2:
        for (std::size_t byte = 0; byte < length; ++byte) stored[at + byte] = static_cast<char>(random());
        break;
      case 3:
        stored.erase(at, length);
        break;
      default:
        stored.insert(at, test::bytes_from(at, length));
    }
    if (stored == original.stored) continue;
    ASSERT_NO_FATAL_FAILURE(expect_refused(stored, original)) << "change " << i << " at " << at;
  }
}

// A file whose chunks are all full: a segment is a chunk, but for the header in the first one.
struct regular_file : file {
  regular_file() {
    plain.resize(10 * segment);
    stored = test::sealed(plain, key, segment);
  }
  [[nodiscard]] std::string segment_at(std::size_t number) const { return stored.substr(number * segment, segment); }
};

TEST(sealed_damage, chunks_cannot_be_exchanged_dropped_repeated_or_mixed) {
  const regular_file original;
  ASSERT_EQ(test::unseal(original.stored, original.key).plain, original.plain);
  const std::size_t before = 3 * (segment - detail::chunk_overhead) - sealed_header::length;
  const auto expect_prefix = [&](const std::string& stored, std::size_t length) {
    const auto read = test::unseal(stored, original.key);
    EXPECT_EQ(read.failure, damaged);
    EXPECT_EQ(read.plain, original.plain.substr(0, length));
  };
  std::string swapped = original.stored;
  swapped.replace(3 * segment, segment, original.segment_at(4)).replace(4 * segment, segment, original.segment_at(3));
  expect_prefix(swapped, before);
  std::string dropped = original.stored;
  expect_prefix(dropped.erase(3 * segment, segment), before);
  std::string repeated = original.stored;
  expect_prefix(repeated.insert(3 * segment, original.segment_at(2)), before);
  // Of another file with the same key and content.
  std::string mixed = original.stored;
  expect_prefix(mixed.replace(3 * segment, segment, regular_file{}.segment_at(3)), before);
  // The same last chunk, further in front.
  std::string shortened = original.stored.substr(0, 3 * segment);
  shortened += original.stored.substr(original.stored.size() / segment * segment);
  expect_prefix(shortened, before);
  // A whole file in front of another one.
  expect_prefix(original.stored + original.stored, original.plain.size());
  expect_prefix(original.stored + '\0', original.plain.size());
}

TEST(sealed_damage, an_altered_file_is_not_taken_for_a_cut_one) {
  const regular_file original;
  std::string altered = original.stored.substr(0, 5 * segment);
  altered[4 * segment + 100] ^= 1;
  const auto read = test::unseal(altered, original.key, 4096, true);
  EXPECT_EQ(read.failure, damaged);
  EXPECT_NE(read.message.find("altered or damaged"), std::string::npos) << read.message;
}

TEST(sealed_damage, bytes_behind_an_empty_last_chunk_are_noticed) {
  const auto key = test::key_of(7);
  for (const std::size_t length : {0U, 100U}) {
    const std::string plain = test::bytes_from(0, length);
    const std::string stored = test::sealed(plain, key, segment, {length});
    EXPECT_FALSE(test::unseal(stored, key).failure);
    for (const std::string& more : {std::string{'\0'}, stored}) {
      const auto read = test::unseal(stored + more, key);
      EXPECT_EQ(read.failure, damaged);
      EXPECT_EQ(read.plain, plain);
    }
    const std::string longer = stored + '\0';
    const auto in = test::unsealing(std::make_unique<test::memory_source>(longer), key);
    in->seek(length + 5);
    EXPECT_FALSE(in->next_window());
    EXPECT_EQ(in->failure(), damaged);
  }
}

TEST(sealed_damage, a_jump_notices_it_too) {
  const regular_file original;
  for (std::size_t at = 0; at < original.stored.size(); at += 97) {
    std::string stored = original.stored;
    stored[at] = static_cast<char>(stored[at] ^ 4);
    if (at < sealed_header::length) continue;
    const auto in = test::unsealing(std::make_unique<test::memory_source>(stored), original.key);
    for (const std::size_t offset :
         {std::min(at, original.plain.size()), at / 2, original.plain.size() - 1, std::size_t{0}}) {
      in->seek(offset);
      std::string read(10, '\0');
      read.resize(in->read(std::as_writable_bytes(std::span{read})));
      EXPECT_EQ(read, original.plain.substr(offset, read.size()));
      if (in->failure()) break;
    }
  }
}

// What header fields can be changed to.
struct forgery {
  std::size_t at;
  unsigned char value;
  std::errc expected;
};

TEST(sealed_damage, headers_are_authenticated_before_they_are_believed) {
  const regular_file original;
  // Any byte may stand in what is random: only one that differs is a forgery.
  const auto another = [&original](std::size_t at) { return static_cast<unsigned char>(original.stored[at] ^ 1); };
  for (const auto& [at, value, expected] : std::vector<forgery>{
           {0, 'f', std::errc::invalid_argument},            // the magic
           {8, 0, std::errc::not_supported},                 // a version that never was
           {8, 2, std::errc::permission_denied},             // another version
           {8, 3, std::errc::not_supported},                 // a newer one
           {9, 0, std::errc::not_supported},                 // the algorithm
           {10, 1, std::errc::permission_denied},            // a passphrase
           {10, 9, std::errc::not_supported},                // an unknown derivation
           {11, 200, std::errc::permission_denied},          // a cost, which a key has not
           {13, 0x20, std::errc::permission_denied},         // segments of 8 KiB: 0x1000 has its bit in byte 13
           {13, 0, damaged},                                 // of nothing
           {12, 1, damaged},                                 // of no power of two
           {15, 0x40, damaged},                              // of more than a GiB
           {16, 1, std::errc::permission_denied},            // the content
           {17, 1, std::errc::permission_denied},            // reserved
           {24, another(24), std::errc::permission_denied},  // the salt
           {60, another(60), std::errc::permission_denied},  // the HMAC
       }) {
    std::string stored = original.stored;
    stored[at] = static_cast<char>(value);
    const auto read = test::unseal(stored, original.key);
    EXPECT_EQ(read.failure, expected) << at << ": " << read.message;
    EXPECT_EQ(read.plain, "");
  }
}

TEST(sealed_damage, a_cost_beyond_the_limit_is_refused_before_it_is_paid) {
  const auto key = encryption_key::from_passphrase("secret", 10);
  std::string stored = test::sealed("text", key);
  EXPECT_EQ(test::unseal(stored, key).plain, "text");
  for (const unsigned cost : {19U, 40U, 63U, 255U}) {
    stored[11] = static_cast<char>(cost);
    const auto read = test::unseal(stored, key);
    EXPECT_EQ(read.failure, std::errc::not_supported) << cost;
    EXPECT_NE(read.message.find("cost more than is allowed"), std::string::npos) << read.message;
  }
  stored[11] = 11;
  EXPECT_EQ(test::unseal(stored, key).failure, std::errc::permission_denied);
  stored[11] = 0;
  const auto read = test::unseal(stored, key);
  EXPECT_EQ(read.failure, damaged);
  EXPECT_NE(read.message.find("an impossible cost of the passphrase, 0"), std::string::npos) << read.message;
}

TEST(sealed_damage, a_newer_version_is_named) {
  const regular_file original;
  std::string stored = original.stored;
  stored[8] = 7;
  const auto read = test::unseal(stored, original.key);
  EXPECT_NE(read.message.find("version 7 of the sealed format; this program reads versions 1 and 2"), std::string::npos)
      << read.message;
}

// HMAC, in scrypt, fills short keys up with zeros and hashes long ones.
TEST(sealed_damage, passphrases_that_hmac_takes_for_the_same_open_nothing) {
  using namespace std::literals;
  const std::string hash_of_70_l =
      "\x82\xed\x8a\xbe\x9b\x7c\xeb\xa5\x6a\x39\xda\x5e\x8f\xdc\xf6\xc6"
      "\xfb\xd2\x84\xb5\x65\x7b\xa5\x0b\xbf\x85\xd3\x36\x0c\x18\xd8\xcc"s;
  for (const auto& [sealed_by, tried] : {std::pair{"a"s, "a\0"s}, {std::string(70, 'L'), hash_of_70_l}}) {
    const std::string stored = test::sealed("text", encryption_key::from_passphrase(sealed_by, 10));
    EXPECT_EQ(test::unseal(stored, encryption_key::from_passphrase(sealed_by, 10)).plain, "text");
    EXPECT_EQ(test::unseal(stored, encryption_key::from_passphrase(tried, 10)).failure, std::errc::permission_denied);
  }
}

TEST(sealed_damage, other_keys_open_nothing) {
  const regular_file original;
  for (const unsigned char byte : std::array<unsigned char, 3>{6, 0, 255}) {
    const auto read = test::unseal(original.stored, test::key_of(byte));
    EXPECT_EQ(read.failure, std::errc::permission_denied);
    EXPECT_NE(read.message.find("the key is wrong, or the header was altered"), std::string::npos) << read.message;
  }
  const auto passphrase = encryption_key::from_passphrase("secret", 10);
  EXPECT_NE(test::unseal(original.stored, passphrase).message.find("sealed with a key"), std::string::npos);
  const std::string stored = test::sealed("text", passphrase);
  EXPECT_EQ(test::unseal(stored, encryption_key::from_passphrase("Secret", 10)).failure, std::errc::permission_denied);
  EXPECT_NE(test::unseal(stored, original.key).message.find("sealed with a passphrase"), std::string::npos);
}

TEST(sealed_damage, files_that_are_not_sealed_are_refused) {
  for (const std::string& stored : {std::string{"text"}, test::bytes_from(0, 100'000)}) {
    const auto read = test::unseal(stored, test::key_of(1));
    EXPECT_EQ(read.failure, std::errc::invalid_argument);
    EXPECT_NE(read.message.find("not sealed"), std::string::npos) << read.message;
  }
}

}  // namespace
}  // namespace freshet
