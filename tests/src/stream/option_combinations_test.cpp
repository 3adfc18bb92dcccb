// Options combine: a file that is compressed, then encrypted, written by any method and given its name at the end reads
// as the bytes of the program, and only what cannot hold together is refused, before an old file is touched.
#include <freshet/encryption.hpp>
#include <freshet/reader.hpp>
#include <freshet/stream.hpp>
#include <freshet/writer.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "src/os/file.hpp"
#include "tests/support/compressing.hpp"
#include "tests/support/sealed_bytes.hpp"
#include "tests/support/soak.hpp"
#include "tests/support/temporary_directory.hpp"
#include "tests/support/writing.hpp"

namespace freshet {
namespace {

class option_combinations : public testing::Test {
 protected:
  void SetUp() override {
    if (const auto reason = test::why_no_compression(); !reason.empty()) GTEST_SKIP() << reason;
    if (!detail::why_no_encryption().empty()) GTEST_SKIP() << detail::why_no_encryption();
  }

  [[nodiscard]] reader_options reading(const writer_options& written, const checksum& sum) const {
    return {.expected_checksum = sum,
            .key = written.key,
            .decompression =
                written.compression.format == compression_format::zstd ? decompression::zstd : decompression::none};
  }

  void expect_content(const reader_options& options) const {
    reader in{path_, options};
    std::string read(plain_.size() + 1, '\0');
    read.resize(in.read(read));
    EXPECT_TRUE(read == plain_) << read.size() << " bytes";
    ifstream stream{path_, std::ios::in, options};
    const std::string streamed{std::istreambuf_iterator<char>{stream}, {}};
    EXPECT_TRUE(streamed == plain_) << streamed.size() << " bytes by a stream";
    EXPECT_FALSE(stream.last_error());
  }

  // Some pieces of any length, flushed now and then.
  void write_all(writer& out, std::mt19937_64& random) const {
    for (std::size_t at = 0; at < plain_.size();) {
      const std::string_view piece = std::string_view{plain_}.substr(at, 1 + random() % 90'000);
      out.write(piece);
      at += piece.size();
      if (random() % 8 == 0) out.flush();
      EXPECT_EQ(out.tell(), at);
    }
    out.close();
  }

  test::temporary_directory directory_{test::disk_place()};
  std::filesystem::path path_ = directory_ / "file";
  std::string plain_ = test::mixed_bytes(700'001);
  encryption_key key_ = test::key_of(3);
};

TEST_F(option_combinations, compressed_and_encrypted_files_are_written_atomically_by_every_method) {
  std::mt19937_64 random{test::sample_seed()};
  for (const auto& way : test::working(test::all_ways(), directory_.path())) {
    if (way.method == "null") continue;
    SCOPED_TRACE(way);
    std::ofstream{path_} << "old";
    auto options = way.options();
    options.key = &key_;
    options.compression = {.format = compression_format::zstd, .level = 1, .threads = 2};
    options.checksum = checksum_algorithm::xxh3;
    options.reserve = 100'000;
    options.atomic = true;
    writer out{path_, options};
    write_all(out, random);
    EXPECT_EQ(out.written_bytes(), std::filesystem::file_size(path_));
    EXPECT_LT(out.written_bytes(), plain_.size());
    expect_content(reading(options, out.checksum()));
  }
}

TEST_F(option_combinations, any_options_make_a_round_trip_or_are_refused_and_touch_nothing) {
  std::mt19937_64 random{test::sample_seed()};
  const auto one_of = [&](const auto&... values) {
    const std::common_type_t<decltype(values)...> all[] = {values...};
    return all[random() % sizeof...(values)];
  };
  const auto sometimes = [&](unsigned in) { return random() % in == 0; };
  const auto ways = test::working(test::ordered_ways, directory_.path());
  const bool has_direct = std::ranges::any_of(ways, [](const auto& way) { return way.method == "direct"; });
  std::size_t round_trips = 0;
  const std::size_t trials = test::sample_size(3000, 60);
  for (std::size_t trial = 0; trial < trials; ++trial) {
    writer_options options;
    if (sometimes(2)) options = ways[random() % ways.size()].options(one_of(16U, 64U, 256U) << 10U);
    if (options.method == "null") options.method = "auto";
    options.rate_limit = one_of(0U, 1'000'000'000U);
    options.durability = one_of(durability::none, durability::none, durability::at_close, durability::each_write);
    options.access = one_of(access::sequential, access::random, access::once);
    options.caching = one_of(caching::automatic, caching::automatic, caching::keep, caching::drop, caching::bypass);
    options.mode = one_of(open_mode::truncate, open_mode::truncate, open_mode::truncate, open_mode::overwrite);
    options.hidden_until_closed = sometimes(4);
    options.atomic = sometimes(4);
    if (sometimes(2)) options.checksum = checksum_algorithm::xxh3;
    if (sometimes(2)) options.key = &key_;
    if (sometimes(2)) options.compression = {.format = compression_format::zstd, .level = one_of(-5, 3), .threads = 2};
    SCOPED_TRACE(testing::Message{} << "trial " << trial << ": " << options.method);
    std::ofstream{path_} << "old";
    std::error_code refused;
    writer out{path_, options, refused};
    if (refused) {
      const bool is_lacking =
          refused == std::errc::operation_not_supported &&
          (!detail::os::has_writeback_control() || (!has_direct && options.caching == caching::bypass));
      EXPECT_TRUE(refused == std::errc::invalid_argument || is_lacking) << refused.message();
      EXPECT_EQ(test::content_of(path_), "old");
      continue;
    }
    write_all(out, random);
    EXPECT_EQ(out.written_bytes(), std::filesystem::file_size(path_));
    expect_content(reading(options, out.checksum()));
    EXPECT_EQ(test::entries_in(directory_.path()), 1U);
    ++round_trips;
    if (HasFailure()) break;
  }
  EXPECT_GT(round_trips, trials / 4);
}

}  // namespace
}  // namespace freshet
