// Properties of writers and readers, drawn by a seeded generator: what Linux draws with RapidCheck.
#include <gtest/gtest.h>

#include <cstring>
#include <random>
#include <span>
#include <string>
#include <string_view>

#include <freshet/reader.hpp>
#include <freshet/stream.hpp>
#include <freshet/writer.hpp>

#include "tests/support/reading.hpp"
#include "tests/support/soak.hpp"
#include "tests/support/writing.hpp"

namespace freshet {
namespace {

class drawn_properties : public testing::Test {
 protected:
  std::size_t below(std::size_t limit) { return std::uniform_int_distribution<std::size_t>{0, limit - 1}(random_); }
  // Mostly short, sometimes longer than a block.
  std::size_t length() { return below(8) == 0 ? below(300'000) : below(3'000); }

  test::temporary_directory directory_;
  std::mt19937_64 random_{test::sample_seed()};
};

TEST_F(drawn_properties, whatever_a_writer_is_asked_the_file_holds_the_bytes) {
  const auto path = directory_ / "f";
  const std::size_t rounds = test::sample_size(40, 3);
  for (const test::way& each : test::working(test::all_ways(), directory_.path())) {
    SCOPED_TRACE(each.name());
    for (std::size_t round = 0; round < rounds; ++round) {
      auto options = each.options();
      options.mode = below(2) == 0 ? open_mode::truncate : open_mode::overwrite;
      std::filesystem::remove(path);
      writer out{path, options};
      std::uint64_t written = 0;
      for (std::size_t step = below(30); step-- > 0;) {
        const std::size_t kind = below(12);
        if (kind == 0) out.flush();
        if (kind == 1) out.sync();
        if (kind == 2) out.reserve(written + length());
        const std::string bytes = test::bytes_from(written, length());
        out.write(bytes);
        written += bytes.size();
        ASSERT_EQ(out.tell(), written);
      }
      out.close();
      test::expect_prefix(path, written);
    }
  }
}

TEST_F(drawn_properties, whatever_a_reader_is_asked_it_gives_the_bytes_of_the_place) {
  const auto path = directory_ / "f";
  const std::size_t rounds = test::sample_size(40, 3);
  for (const std::string_view method : test::working(test::reading_methods, directory_.path())) {
    SCOPED_TRACE(method);
    for (std::size_t round = 0; round < rounds; ++round) {
      const std::size_t size = below(1 << 20);
      test::make_file(path, size);
      reader in{path, {.method = method, .block = 64 << 10, .depth = 3}};
      std::uint64_t offset = 0;
      for (std::size_t step = below(40); step-- > 0;) {
        if (below(4) == 0) in.seek(offset = below(size + 10'000));
        std::string into(length(), '\0');
        const std::size_t got = in.read(std::as_writable_bytes(std::span{into}));
        ASSERT_EQ(got, offset < size ? std::min<std::size_t>(into.size(), size - offset) : 0)
            << offset << " of " << size;
        ASSERT_EQ(test::first_difference(std::string_view{into}.substr(0, got), offset), got);
        offset += got;
      }
    }
  }
}

// The stream is changed at any place, and agrees with a string that is changed in the same way.
TEST_F(drawn_properties, a_stream_that_reads_and_writes_is_like_a_string) {
  const std::size_t rounds = test::sample_size(200, 10);
  for (std::size_t round = 0; round < rounds; ++round) {
    const auto path = directory_ / "f";
    std::string model;
    fstream both{path, std::ios::in | std::ios::out | std::ios::trunc | std::ios::binary};
    ASSERT_TRUE(both.is_open());
    for (std::size_t step = below(40); step-- > 0;) {
      const std::size_t at = below(model.size() + 1);
      if (below(2) == 0) {
        const std::string bytes(length(), static_cast<char>('a' + below(26)));
        both.seekp(static_cast<std::streamoff>(at));
        both.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
        if (model.size() < at + bytes.size()) model.resize(at + bytes.size());
        model.replace(at, bytes.size(), bytes);
      } else {
        std::string into(std::min(length(), model.size() - at), '\0');
        both.seekg(static_cast<std::streamoff>(at));
        both.read(into.data(), static_cast<std::streamsize>(into.size()));
        ASSERT_EQ(into, model.substr(at, into.size()));
      }
      ASSERT_TRUE(both.good());
    }
    both.close();
    ASSERT_EQ(test::content_of(path), model);
  }
}

TEST_F(drawn_properties, text_is_split_into_its_lines) {
  const std::size_t rounds = test::sample_size(200, 20);
  for (std::size_t round = 0; round < rounds; ++round) {
    std::string text;
    std::vector<std::string> lines;
    for (std::size_t count = below(100); count-- > 0;) {
      lines.emplace_back(below(50) == 0 ? below(200'000) : below(100), static_cast<char>('a' + below(26)));
      text += lines.back() + "\n";
    }
    const auto path = directory_ / "f";
    test::write_closed(path, text, {});
    ifstream in{path};
    std::vector<std::string> got;
    for (std::string line; std::getline(in, line);) got.push_back(line);
    ASSERT_EQ(got, lines);
  }
}

}  // namespace
}  // namespace freshet
