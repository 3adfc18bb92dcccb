// Small records and many flushes, with default sizes: what closed without an error reads back.
#include <freshet/reader.hpp>
#include <freshet/stream.hpp>
#include <freshet/writer.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <sstream>
#include <string>

#include "tests/support/filters.hpp"
#include "tests/support/temporary_directory.hpp"
#include "tests/support/writing.hpp"

namespace freshet {
namespace {

constexpr std::array all_filters{test::filters{},
                                 test::filters{.checksum = true},
                                 test::filters{.compression = true},
                                 test::filters{.encryption = true},
                                 test::filters{.compression = true, .encryption = true},
                                 test::filters{.checksum = true, .compression = true, .encryption = true}};

class filtered_records : public testing::TestWithParam<test::filters> {
 protected:
  [[nodiscard]] writer_options options() const { return GetParam().apply(writer_options{}); }
  void expect_content(const std::string& plain, const checksum& sum = {}) const {
    EXPECT_EQ(GetParam().content_of(path_, sum), plain);
  }

  test::temporary_directory directory_;
  std::filesystem::path path_ = directory_ / "file";
};

// The flushes leave less and less of a segment, until the next record crosses its end.
TEST_P(filtered_records, put_and_flush) {
  for (const std::size_t record : {7U, 64U, 100U, 200U, 1000U, 4000U}) {
    SCOPED_TRACE(record);
    const std::string plain = test::bytes_from(0, record * std::max<std::size_t>(140'000 / record, 40));
    writer out{path_, options()};
    for (std::size_t i = 0; i < plain.size(); ++i) {
      out.put(plain[i]);
      if ((i + 1) % record == 0) out.flush();
    }
    out.close();
    expect_content(plain, out.checksum());
  }
}

TEST_P(filtered_records, write_and_flush_then_put) {
  const std::string plain = test::bytes_from(0, 511 * 100 + 300'000);
  writer out{path_, options()};
  for (std::size_t i = 0; i < 511; ++i) {
    out.write(std::string_view{plain}.substr(100 * i, 100));
    out.flush();
  }
  for (std::size_t i = 51'100; i < plain.size(); ++i) out.put(plain[i]);
  out.close();
  expect_content(plain, out.checksum());
}

// At each distance of the position from a segment's end: one piece that crosses it.
TEST_P(filtered_records, pieces_that_cross_a_segment) {
  const std::string plain = test::bytes_from(0, 400'000);
  for (std::size_t left = 0; left < 140; left += 7) {
    SCOPED_TRACE(left);
    writer out{path_, options()};
    out.write(std::string_view{plain}.substr(0, 65'536 - 64 - left));
    out.flush();
    for (int i = 0; i < 13; ++i) out.put(plain[static_cast<std::size_t>(out.tell())]);
    out.write(std::string_view{plain}.substr(static_cast<std::size_t>(out.tell())));
    out.close();
    expect_content(plain, out.checksum());
  }
}

TEST_P(filtered_records, room_is_never_empty) {
  const std::string plain = test::bytes_from(0, 250'000);
  writer out{path_, options()};
  for (std::size_t i = 0; out.tell() < plain.size(); ++i) {
    const auto room = out.room();
    ASSERT_FALSE(room.empty()) << out.tell();
    const auto at = static_cast<std::size_t>(out.tell());
    const std::size_t length = std::min({room.size(), plain.size() - at, 1 + i * 37 % 997});
    std::memcpy(room.data(), plain.data() + at, length);
    out.advance(length);
    if (i % 3 == 0) out.flush();
  }
  out.close();
  expect_content(plain, out.checksum());
}

TEST_P(filtered_records, lines_of_a_stream) {
  std::string plain;
  ofstream out{path_, options()};
  for (int i = 0; i < 20'000; ++i) {
    out << "line " << i << '\n';
    plain += "line " + std::to_string(i) + '\n';
    if (i % 7 == 0) out.flush();
    if (i % 1000 == 0) {
      const std::string large = test::bytes_from(plain.size(), 100'000);
      out.write(large.data(), static_cast<std::streamsize>(large.size()));
      plain += large;
    }
    ASSERT_EQ(static_cast<std::size_t>(out.tellp()), plain.size());
  }
  out.close();
  ASSERT_TRUE(out);
  expect_content(plain, out.checksum());
}

// Positions and the error's offset count the program's bytes, also after a failure.
TEST_P(filtered_records, positions_after_a_full_disk) {
  writer out{"/dev/full", options()};
  const std::string piece = test::bytes_from(0, 1000);
  std::uint64_t accepted = 0;
  std::error_code failure;
  while (!failure && accepted < 10'000'000) {
    out.write(piece, failure);
    if (!failure) accepted += piece.size();
    if (!failure && accepted % 512'000 == 0) out.flush(failure);
  }
  ASSERT_EQ(failure, std::errc::no_space_on_device);
  EXPECT_GE(out.tell(), accepted);
  EXPECT_LE(out.tell(), accepted + piece.size());
  EXPECT_EQ(out.size(), out.tell());
  try {
    out.flush();
    ADD_FAILURE() << "the error was forgotten";
  } catch (const error& kept) {
    EXPECT_EQ(kept.code(), failure);
    EXPECT_LE(kept.offset(), out.tell());
  }
  const std::uint64_t position = out.tell();
  EXPECT_LE(position, accepted + piece.size());
  out.close(failure);
  EXPECT_EQ(out.tell(), position);
}

INSTANTIATE_TEST_SUITE_P(all, filtered_records, testing::ValuesIn(all_filters), [](const auto& which) {
  std::ostringstream name;
  name << which.param;
  std::string text = name.str();
  std::ranges::replace(text, ' ', '_');
  return text.empty() ? "plain" : text;
});

}  // namespace
}  // namespace freshet
