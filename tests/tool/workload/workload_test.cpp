#include "tool/workload/workload.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <freshet/error.hpp>
#include <freshet/methods.hpp>

#include "tests/support/file_content.hpp"
#include "tests/support/temporary_directory.hpp"
#include "tool/baseline/baseline.hpp"
#include "tool/trial/write_file.hpp"
#include "tool/workload/checksum.hpp"
#include "tool/workload/verify.hpp"

namespace freshet::tool {
namespace {

struct string_out {
  std::string text;
  void write(std::string_view piece) { text += piece; }
  void write(std::span<const std::byte> piece) {
    text.append(reinterpret_cast<const char*>(piece.data()), piece.size());
  }
};

std::string text_of(std::uint64_t size) {
  string_out out;
  write_text(out, size);
  return out.text;
}

std::uint64_t fnv1a(std::string_view text) {
  std::uint64_t hash = 0xCBF29CE484222325U;
  for (const char octet : text) hash = (hash ^ static_cast<unsigned char>(octet)) * 0x100000001B3U;
  return hash;
}

TEST(text_workload, writes_these_sixteen_lines_first) {
  const std::string expected =
      "\tAll work and no play makes Justin Michel a dull boy.\n"
      "\t\tAll work and no play makes Fred Flintstone a dull boy.\n"
      "\t\t\tAll work and no play makes Barney Rubble a dull boy.\n"
      "\t\t\t\tAll work and no play makes Homer J. Simpson a dull boy.\n"
      "\t\t\t\t\tAll work and no play makes John Jacob Jingleheimer Schmidt a dull boy.\n"
      "\t\t\t\t\t\tAll work and no play makes Jack a dull boy.\n"
      "\t\t\t\t\t\t\tAll work and no play makes Justin Michel a dull boy.\n"
      "All work and no play makes Fred Flintstone a dull boy.\n"
      "\tAll work and no play makes Barney Rubble a dull boy.\n"
      "\t\tAll work and no play makes Homer J. Simpson a dull boy.\n"
      "\t\t\tAll work and no play makes John Jacob Jingleheimer Schmidt a dull boy.\n"
      "\t\t\t\tAll work and no play makes Jack a dull boy.\n"
      "\t\t\t\t\tAll work and no play makes Justin Michel a dull boy.\n"
      "\t\t\t\t\t\tAll work and no play makes Fred Flintstone a dull boy.\n"
      "\t\t\t\t\t\t\tAll work and no play makes Barney Rubble a dull boy.\n"
      "All work and no play makes Homer J. Simpson a dull boy.\n";
  EXPECT_EQ(text_of(expected.size()), expected);
}

// The reference: computed line by line, without a table.
std::string plain_text(std::uint64_t size) {
  const char* const names[] = {"Jack",          "Justin Michel",    "Fred Flintstone",
                               "Barney Rubble", "Homer J. Simpson", "John Jacob Jingleheimer Schmidt"};
  std::string text;
  for (std::size_t number = 1;; ++number) {
    const std::string line =
        std::string(number % 8, '\t') + "All work and no play makes " + names[number % 6] + " a dull boy.\n";
    if (text.size() + line.size() > size) return text;
    text += line;
  }
}

RC_GTEST_PROP(text_workload, is_what_a_plain_loop_writes, ()) {
  const auto size = *rc::gen::inRange<std::uint64_t>(0, 10'000);
  RC_ASSERT(text_of(size) == plain_text(size));
}

TEST(text_workload, has_kept_its_bytes) {
  const std::string text = text_of(1 << 20);
  EXPECT_EQ(text.size(), 1'048'525U);
  EXPECT_EQ(fnv1a(text), 0x95A5DDEA0050642U);
}

TEST(text_workload, is_written_the_same_many_lines_at_a_time) {
  const std::uint64_t many = repeated_text().size();
  for (const std::uint64_t size :
       {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{1000}, many - 1, many, many + 1, 3 * many + 4321}) {
    string_out one_by_one;
    string_out at_once;
    EXPECT_EQ(write_repeated_text(at_once, size), write_text(one_by_one, size)) << size;
    EXPECT_EQ(at_once.text, one_by_one.text) << size;
  }
}

TEST(text_workload, counts_lines_and_bytes_and_stops_at_a_whole_line) {
  for (const std::uint64_t size : {0U, 1U, 52U, 53U, 54U, 1423U, 100'000U}) {
    string_out out;
    const amount written = write_text(out, size);
    EXPECT_EQ(written.bytes, out.text.size());
    EXPECT_EQ(written.lines, static_cast<std::uint64_t>(std::count(out.text.begin(), out.text.end(), '\n')));
    EXPECT_LE(written.bytes, size);
    EXPECT_GT(written.bytes + text_line_length(written.lines + 1), size);
  }
}

// The checksum of `bytes`, which are passed in pieces of the lengths in `cuts`.
std::uint64_t checksum_of(std::span<const std::byte> bytes, const std::vector<std::size_t>& cuts = {}) {
  checksum sum;
  for (const std::size_t cut : cuts) {
    const std::size_t length = std::min(cut, bytes.size());
    sum.write(bytes.first(length));
    bytes = bytes.subspan(length);
  }
  sum.write(bytes);
  return sum.value();
}

RC_GTEST_PROP(checksum, does_not_depend_on_the_pieces, ()) {
  const auto bytes =
      *rc::gen::container<std::string>(*rc::gen::inRange<std::size_t>(0, 1000), rc::gen::arbitrary<char>());
  const auto cuts = *rc::gen::container<std::vector<std::size_t>>(rc::gen::inRange<std::size_t>(0, 200));
  const auto all = std::as_bytes(std::span{bytes});
  RC_ASSERT(checksum_of(all, cuts) == checksum_of(all));
}

RC_GTEST_PROP(checksum, tells_one_other_byte_a_missing_one_and_another_order, ()) {
  auto bytes = *rc::gen::container<std::string>(*rc::gen::inRange<std::size_t>(2, 1000), rc::gen::arbitrary<char>());
  const std::uint64_t before = checksum_of(std::as_bytes(std::span{bytes}));
  RC_ASSERT(checksum_of(std::as_bytes(std::span{bytes}.first(bytes.size() - 1))) != before);
  const auto one = *rc::gen::inRange<std::size_t>(0, bytes.size());
  const auto other = *rc::gen::inRange<std::size_t>(0, bytes.size());
  std::swap(bytes[one], bytes[other]);
  RC_ASSERT((checksum_of(std::as_bytes(std::span{bytes})) == before) == (bytes[one] == bytes[other]));
  std::swap(bytes[one], bytes[other]);
  bytes[one] = static_cast<char>(bytes[one] + 1);
  RC_ASSERT(checksum_of(std::as_bytes(std::span{bytes})) != before);
}

TEST(block_data, is_the_same_for_a_seed_and_another_for_another) {
  const block_data one{1};
  const block_data again{1};
  const block_data other{2};
  EXPECT_TRUE(std::equal(one.bytes().begin(), one.bytes().end(), again.bytes().begin()));
  EXPECT_FALSE(std::equal(one.bytes().begin(), one.bytes().end(), other.bytes().begin()));
  const auto first = one.bytes().first(1 << 20);
  EXPECT_EQ(fnv1a({reinterpret_cast<const char*>(first.data()), first.size()}), 0xA03CE1424E4ACE14U);
}

TEST(block_data, has_every_byte_equally_often) {
  const block_data data{7};
  std::array<double, 256> counts = {};
  for (const std::byte octet : data.bytes()) ++counts[std::to_integer<std::size_t>(octet)];
  const double expected = static_cast<double>(block_data::length) / 256;
  // Seven standard deviations: the seed is fixed, so this either always holds or never.
  for (const double count : counts) EXPECT_NEAR(count, expected, 7 * std::sqrt(expected));
}

TEST(blocks_workload, writes_the_size_asked_for_whatever_the_block) {
  const block_data data{1};
  string_out whole;
  EXPECT_EQ(write_blocks(whole, data, 300'001, 1 << 20).bytes, 300'001U);
  for (const std::size_t block : {1000U, 4096U, 65536U}) {
    string_out out;
    EXPECT_EQ(write_blocks(out, data, 300'001, block).bytes, 300'001U);
    EXPECT_EQ(out.text, whole.text);
  }
}

TEST(blocks_workload, repeats_its_data) {
  struct counter {
    const block_data& data;
    std::uint64_t at = 0;
    bool same = true;
    void write(std::span<const std::byte> piece) {
      same = same && piece.data() == data.bytes().data() + at % block_data::length;
      at += piece.size();
    }
  };
  const block_data data{1};
  counter out{data};
  // If the length of the data is no multiple of the block, the block at its end is shorter.
  EXPECT_EQ(write_blocks(out, data, 2 * block_data::length + 5, 3 << 20).bytes, 2 * block_data::length + 5);
  EXPECT_TRUE(out.same);
  EXPECT_EQ(out.at, 2 * block_data::length + 5);
}

class file_comparer_test : public testing::Test {
 protected:
  bool compare(std::string_view in_file, std::string_view expected) {
    const auto path = directory_.path() / "file";
    std::ofstream{path, std::ios::binary} << in_file;
    file_comparer comparer{path};
    comparer.write(expected.substr(0, expected.size() / 2));
    comparer.write(expected.substr(expected.size() / 2));
    return comparer.same_to_the_end();
  }
  test::temporary_directory directory_;
};

TEST_F(file_comparer_test, finds_only_the_same_bytes_the_same) {
  const std::string text(9'000'000, 'x');
  EXPECT_TRUE(compare(text, text));
  EXPECT_TRUE(compare("", ""));
  EXPECT_FALSE(compare(text, text + "x"));
  EXPECT_FALSE(compare(text + "x", text));
  EXPECT_FALSE(compare("", "x"));
  EXPECT_FALSE(compare("x", ""));
  for (const std::size_t at : {std::size_t{0}, std::size_t{4} << 20, text.size() - 1}) {
    std::string changed = text;
    changed[at] = 'y';
    EXPECT_FALSE(compare(changed, text)) << at;
  }
}

TEST_F(file_comparer_test, sees_the_ends_and_a_sample_of_the_rest) {
  constexpr std::size_t block = std::size_t{4} << 20;
  const std::string text(16 * block + 1, 'x');
  std::size_t seen = 0;
  for (const std::size_t changed : {std::size_t{0}, text.size() - 1, 5 * block}) {
    std::string in_file = text;
    in_file[changed] = 'y';
    std::ofstream{directory_.path() / "file", std::ios::binary} << in_file;
    for (std::uint64_t seed = 0; seed < 40; ++seed) {
      file_comparer comparer{directory_.path() / "file", {4, seed}};
      comparer.write(text);
      const bool same = comparer.same_to_the_end();
      EXPECT_TRUE(changed == 5 * block || !same) << changed;
      seen += changed == 5 * block && !same ? 1U : 0U;
    }
  }
  EXPECT_GT(seen, 0U);
  EXPECT_LT(seen, 30U);
}

// Every way to write a file, with each option that may change its content.
class every_way : public testing::Test {
 protected:
  void expect_same_bytes(const std::string& method, bool ordered) {
    constexpr std::uint64_t size = 1'234'567;
    int compared = 0;
    for (const auto workload : {workload_kind::text, workload_kind::blocks})
      for (const auto target : {target_kind::fresh, target_kind::overwrite})
        for (const bool reserve : {false, true}) {
          const trial_plan plan{.method = method,
                                .block = 65536,
                                .depth = 2,
                                .reserve = reserve,
                                .ordered = ordered,
                                .workload = workload,
                                .target = target,
                                .size = size};
          if (!why_impossible(plan).empty()) continue;
          ++compared;
          const auto path = directory_.path() / "file";
          std::filesystem::remove(path);
          if (target == target_kind::overwrite) std::ofstream{path} << std::string(size + 100'000, 'o');
          const written_file file = write_file(plan, path, &data_);
          EXPECT_EQ(file.method, method);
          EXPECT_EQ(file.written.bytes, std::filesystem::file_size(path)) << describe(plan);
          EXPECT_EQ(test::content_of(path), workload == workload_kind::text ? text_of(size) : blocks_of(size))
              << describe(plan);
        }
    EXPECT_GT(compared, 0) << method;
  }

  std::string blocks_of(std::uint64_t size) const {
    string_out out;
    write_blocks(out, data_, size, 1 << 20);
    return out.text;
  }

  test::temporary_directory directory_;
  block_data data_{3};
};

TEST_F(every_way, of_the_library_writes_the_same_bytes) {
  int here = 0;
  for (const method_info& method : methods(directory_.path()))
    if (method.available() && method.name != "null") {
      expect_same_bytes(method.name, method.keeps_order);
      ++here;
    }
  EXPECT_GT(here, 0) << "no method works";
}

TEST_F(every_way, of_the_baselines_writes_the_same_bytes) {
  for (const baseline& way : baselines()) expect_same_bytes(std::string{way.name}, true);
}

TEST_F(every_way, of_the_baselines_says_when_the_disk_is_full) {
  if (!std::filesystem::exists("/dev/full")) GTEST_SKIP() << "there is no /dev/full";
  for (const baseline& way : baselines()) {
    const trial_plan plan{.method = std::string{way.name}, .size = 10'000'000};
    try {
      static_cast<void>(write_file(plan, "/dev/full", nullptr));
      ADD_FAILURE() << way.name << " took a full disk for an empty one";
    } catch (const error& failure) {
      EXPECT_EQ(failure.code(), std::errc::no_space_on_device) << way.name;
    }
  }
}

}  // namespace
}  // namespace freshet::tool
