// Checksums of files: counted while they are written, compared while they are read.
#include <freshet/reader.hpp>
#include <freshet/stream.hpp>
#include <freshet/writer.hpp>

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <fstream>
#include <random>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "src/filter/running_checksum.hpp"
#include "tests/support/fault_injection.hpp"
#include "tests/support/soak.hpp"
#include "tests/support/temporary_directory.hpp"
#include "tests/support/writing.hpp"

namespace freshet {
namespace {

using detail::os::call;
using test::bytes_from;
using testing::HasSubstr;

checksum sum_of(std::string_view bytes) {
  detail::running_checksum sum;
  sum.add(std::as_bytes(std::span{bytes}));
  return sum.result();
}

class checksums : public testing::Test {
 protected:
  void SetUp() override {
    if (!detail::running_checksum::is_available()) GTEST_SKIP() << "built without libxxhash";
  }

  // Makes a file of that length and returns its checksum.
  checksum make_file(std::uint64_t length) const {
    const std::string bytes = bytes_from(0, length);
    std::ofstream{path_, std::ios_base::binary} << bytes;
    return sum_of(bytes);
  }
  // A checksum that differs in one bit.
  [[nodiscard]] static checksum damaged(checksum sum) {
    sum.value ^= 1;
    return sum;
  }
  // What the reader's first failing call reports; how many bytes it handed out before.
  struct outcome {
    std::string message;
    std::error_code code;
    std::uint64_t bytes = 0;
  };
  template <typename Read>
  [[nodiscard]] outcome read_all(const reader_options& options, Read read) const {
    outcome result;
    reader in{path_, options};
    try {
      while (const std::size_t got = read(in)) result.bytes += got;
      in.close();
    } catch (const error& caught) {
      result.message = caught.what();
      result.code = caught.code();
    }
    return result;
  }

  test::temporary_directory directory_{test::memory_place()};
  std::filesystem::path path_ = directory_ / "file";
  writer_options options_{.checksum = checksum_algorithm::xxh3};
};

TEST_F(checksums, are_known_when_the_file_is_closed) {
  writer out{path_, options_};
  out.write("some ");
  out.flush();
  out.write("bytes");
  EXPECT_EQ(out.checksum(), checksum{});
  out.close();
  EXPECT_EQ(out.checksum(), sum_of("some bytes"));
  writer empty{path_, options_};
  empty.close();
  EXPECT_EQ(empty.checksum(), sum_of(""));
  writer without{path_};
  without.close();
  EXPECT_EQ(without.checksum(), checksum{});
  EXPECT_EQ(writer{}.checksum(), checksum{});
}

// The first is given in xxHash's own tests, both are what its command prints.
TEST_F(checksums, are_xxh3_with_64_bits) {
  EXPECT_EQ(sum_of(""), (checksum{checksum_algorithm::xxh3, 0x2d06800538d394c2}));
  EXPECT_EQ(sum_of("Freshet\n"), (checksum{checksum_algorithm::xxh3, 0xc5f8669195f28723}));
}

// Every way that bytes can take: small pieces, pieces across blocks, large ones without a copy, room(), flushes.
TEST_F(checksums, count_each_byte_once_by_every_method) {
  std::mt19937_64 random{test::sample_seed()};
  for (const auto& way : test::all_ways()) {
    if (!test::why_not(way.method, directory_.path()).empty()) continue;
    SCOPED_TRACE(way);
    for (std::size_t round = 0; round < test::sample_size(20, 4); ++round) {
      writer_options options = way.options(std::size_t{4096} << random() % 6);
      options.checksum = checksum_algorithm::xxh3;
      writer out{path_, options};
      while (out.tell() < 2'000'000) {
        constexpr std::array<std::size_t, 5> longest{10, 5000, 70'000, 300'000, 900'000};
        const std::size_t length = 1 + random() % longest[random() % longest.size()];
        if (random() % 4 == 0) {
          auto room = out.room();
          room = room.first(std::min(room.size(), length));
          const std::string bytes = bytes_from(out.tell(), room.size());
          std::ranges::copy(std::as_bytes(std::span{bytes}), room.begin());
          out.advance(room.size());
        } else {
          out.write(bytes_from(out.tell(), length));
        }
        if (random() % 8 == 0) out.flush();
        if (random() % 16 == 0) out.sync();
      }
      out.close();
      EXPECT_EQ(out.checksum(), sum_of(bytes_from(0, out.tell())));
      if (way.method != "null") test::expect_prefix(path_, out.tell());
    }
  }
}

TEST_F(checksums, of_streams_too) {
  ofstream out{path_, options_};
  for (int i = 0; i < 100'000; ++i) out << i << '\n';
  EXPECT_EQ(out.checksum(), checksum{});
  EXPECT_EQ(out.tellp(), std::streamoff(588'890));
  EXPECT_FALSE(out.seekp(0).good()) << "what is written over cannot be taken out";
  out.clear();
  out.close();
  EXPECT_EQ(out.checksum(), sum_of(test::content_of(path_)));

  ifstream in{path_, {.expected_checksum = out.checksum()}};
  std::string line;
  while (std::getline(in, line)) {
  }
  EXPECT_TRUE(in.eof());
  EXPECT_FALSE(in.bad());
  ifstream wrong{path_, {.expected_checksum = damaged(out.checksum())}};
  while (std::getline(wrong, line)) {
  }
  EXPECT_TRUE(wrong.bad());
  ASSERT_TRUE(wrong.last_error());
  EXPECT_EQ(wrong.last_error()->code(), std::errc::bad_message);
}

TEST_F(checksums, are_not_known_after_an_error) {
  test::fault_injection faults;
  faults.fail(call::write_at, 2, std::errc::no_space_on_device);
  writer_options options = options_;
  options.method = "buffered";
  options.block = 4096;
  writer out{path_, options};
  std::error_code failure;
  out.write(bytes_from(0, 4096), failure);
  out.write(bytes_from(4096, 4096 * 100), failure);
  out.close(failure);
  EXPECT_EQ(failure, std::errc::no_space_on_device);
  EXPECT_EQ(out.last_error(), failure);
  EXPECT_EQ(out.checksum(), checksum{});
}

TEST_F(checksums, of_hidden_files_that_are_given_up_are_not_known) {
  options_.atomic = true;
  writer out{path_, options_};
  out.write("bytes");
  out.discard();
  EXPECT_FALSE(std::filesystem::exists(path_));
  {
    writer dropped{path_, options_};
    dropped.write("bytes");
  }
  EXPECT_FALSE(std::filesystem::exists(path_));
  writer kept{path_, options_};
  kept.write("bytes");
  kept.close();
  EXPECT_EQ(kept.checksum(), sum_of("bytes"));
  EXPECT_EQ(test::content_of(path_), "bytes");
}

TEST_F(checksums, are_compared_at_the_end_by_every_way_to_read) {
  std::vector<std::byte> memory(300'000);
  const auto by_get = [](reader& in) { return in.get() == reader::end_of_file ? 0UL : 1UL; };
  const auto by_view = [](reader& in) { return in.view(1000).size(); };
  const auto by_large_view = [](reader& in) { return in.view(200'000).size(); };
  const auto by_read = [&](reader& in) { return in.read(std::span{memory}.first(777)); };
  const auto by_large_read = [&](reader& in) { return in.read(memory); };
  const auto by_through = [](reader& in) { return in.view_through(std::byte{'\n'}, 100'000).size(); };
  for (const std::uint64_t length : {0UL, 1UL, 65'536UL, 65'537UL, 1'234'567UL}) {
    SCOPED_TRACE(length);
    const checksum sum = make_file(length);
    const auto expect_verdict = [&](auto read) {
      for (const std::size_t block : {0UL, 4096UL}) {
        const outcome good = read_all({.block = block, .expected_checksum = sum}, read);
        EXPECT_EQ(good.message, "");
        EXPECT_EQ(good.bytes, length);
        const outcome bad = read_all({.block = block, .expected_checksum = damaged(sum)}, read);
        EXPECT_EQ(bad.code, std::errc::bad_message);
        EXPECT_THAT(bad.message, testing::AllOf(HasSubstr(path_.native()), HasSubstr("checksum"), HasSubstr("verify")));
      }
    };
    expect_verdict(by_get);
    expect_verdict(by_view);
    expect_verdict(by_large_view);
    expect_verdict(by_read);
    expect_verdict(by_large_read);
    expect_verdict(by_through);
  }
}

TEST_F(checksums, find_every_flipped_bit_of_a_small_file) {
  const std::string bytes = bytes_from(0, 100);
  const checksum sum = sum_of(bytes);
  for (std::size_t bit = 0; bit < bytes.size() * 8; ++bit) {
    std::string flipped = bytes;
    flipped[bit / 8] = static_cast<char>(flipped[bit / 8] ^ (1 << bit % 8));
    std::ofstream{path_, std::ios_base::binary} << flipped;
    EXPECT_EQ(read_all({.expected_checksum = sum}, [](reader& in) { return in.view(64).size(); }).code,
              std::errc::bad_message);
  }
}

TEST_F(checksums, are_compared_by_close_if_all_bytes_were_taken) {
  const checksum sum = make_file(100'000);
  for (const bool is_damaged : {false, true}) {
    reader in{path_, {.expected_checksum = is_damaged ? damaged(sum) : sum}};
    EXPECT_EQ(in.view(100'000).size(), 100'000U);
    std::error_code failure;
    in.close(failure);
    EXPECT_EQ(failure == std::errc::bad_message, is_damaged) << failure.message();
  }
}

TEST_F(checksums, are_not_compared_if_the_program_stops_earlier) {
  const checksum sum = make_file(100'000);
  for (const std::size_t length : {0UL, 5UL, 99'999UL}) {
    reader in{path_, {.expected_checksum = damaged(sum)}};
    EXPECT_EQ(in.view(length).size(), length);
    EXPECT_NO_THROW(in.close());
  }
}

TEST_F(checksums, need_all_bytes_so_skip_reads_and_seek_is_refused) {
  const checksum sum = make_file(1'000'000);
  reader in{path_, {.expected_checksum = sum}};
  in.skip(900'000);
  EXPECT_EQ(in.view(100'000).size(), 100'000U);
  EXPECT_EQ(in.get(), reader::end_of_file);
  EXPECT_THROW(in.seek(0), error);
  reader damaged_file{path_, {.expected_checksum = damaged(sum)}};
  damaged_file.skip(1'000'000);
  EXPECT_THROW(damaged_file.get(), error);
  ifstream stream{path_, {.expected_checksum = sum}};
  stream.get();
  EXPECT_FALSE(stream.seekg(500'000).good());
}

TEST_F(checksums, of_pipes_and_borrowed_descriptors) {
  std::array<int, 2> ends{};
  ASSERT_EQ(::pipe2(ends.data(), O_CLOEXEC), 0);
  writer out = writer::on_descriptor(ends[1], ownership::take, options_);
  out.write("through a pipe");
  out.close();
  EXPECT_EQ(out.checksum(), sum_of("through a pipe"));
  reader in = reader::on_descriptor(ends[0], ownership::take, {.expected_checksum = out.checksum()});
  EXPECT_EQ(in.view(100).size(), 14U);
  EXPECT_NO_THROW(in.close());

  make_file(100'000);
  const int descriptor = ::open(path_.c_str(), O_RDONLY | O_CLOEXEC);
  ASSERT_EQ(::lseek(descriptor, 10, SEEK_SET), 10);
  const checksum rest = sum_of(bytes_from(10, 99'990));
  reader part = reader::on_descriptor(descriptor, ownership::borrow, {.expected_checksum = rest});
  EXPECT_EQ(part.view(40).size(), 40U);
  part.close();
  EXPECT_EQ(::lseek(descriptor, 0, SEEK_CUR), 50) << "where reading ended";
  ::lseek(descriptor, 10, SEEK_SET);
  reader all = reader::on_descriptor(descriptor, ownership::borrow, {.expected_checksum = rest});
  EXPECT_EQ(all.view(200'000).size(), 99'990U);
  all.close();
  EXPECT_EQ(::lseek(descriptor, 0, SEEK_CUR), 100'000);
  ::close(descriptor);
}

TEST_F(checksums, of_compressed_files_are_those_of_the_plain_bytes) {
  options_.compression = {.format = compression_format::zstd};
  std::error_code failure;
  writer out{path_, options_, failure};
  if (failure == std::errc::function_not_supported) GTEST_SKIP() << "built without libzstd";
  ASSERT_FALSE(failure) << failure.message();
  for (int i = 0; i < 100; ++i) {
    out.write(bytes_from(out.tell(), 12'345));
    if (i % 10 == 0) out.flush();
  }
  out.close();
  EXPECT_EQ(out.checksum(), sum_of(bytes_from(0, 1'234'500)));
  for (const bool is_damaged : {false, true}) {
    const checksum expected = is_damaged ? damaged(out.checksum()) : out.checksum();
    const outcome read = read_all({.expected_checksum = expected, .decompression = decompression::zstd},
                                  [](reader& in) { return in.view(100'000).size(); });
    EXPECT_EQ(read.code == std::errc::bad_message, is_damaged) << read.message;
    EXPECT_EQ(read.bytes, is_damaged ? 1'200'000U : 1'234'500U);
  }
}

TEST_F(checksums, copy_nothing_and_cost_no_call_of_the_system) {
  const std::string bytes = bytes_from(0, 8 << 20);
  const auto calls = [&](const writer_options& options) {
    test::fault_injection watch;
    writer out{path_, options};
    out.write(bytes);
    for (int i = 0; i < 10'000; ++i) out.write("small");
    out.close();
    return std::pair{watch.count(call::write_at), watch.count(call::write)};
  };
  EXPECT_EQ(calls({.method = "buffered", .checksum = checksum_algorithm::xxh3}), calls({.method = "buffered"}));
}

}  // namespace
}  // namespace freshet
