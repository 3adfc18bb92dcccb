// Compressed files that were cut or damaged: what is read is a prefix of what was written, and then an error.
#include <freshet/reader.hpp>
#include <freshet/writer.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "src/filter/zstd_format.hpp"
#include "tests/support/compressing.hpp"
#include "tests/support/soak.hpp"

namespace freshet {
namespace {

using test::compressed;
using test::decompressed;
using test::frame_size;
using test::mixed_bytes;
using test::put_file;
using test::read_all;

class compression_damage : public test::compression_test {
 protected:
  // A file with frames of these lengths; ends_ has where each ends in the file.
  void write_frames(const std::vector<std::size_t>& lengths) {
    content_ = mixed_bytes(std::accumulate(lengths.begin(), lengths.end(), std::size_t{0}), 7);
    writer out{path_, compressed()};
    std::size_t written = 0;
    for (const std::size_t length : lengths) {
      out.write(std::string_view{content_}.substr(written, length));
      out.flush();
      written += length;
      plain_ends_.push_back(written);
      // Behind the frame, the next one is begun.
      ends_.push_back(out.written_bytes() - detail::zstd_format::magic_size);
    }
    out.close();
    stored_ = test::content_of(path_);
  }

  // Plain bytes of the frames that lie in the first `length` bytes of the file.
  [[nodiscard]] std::size_t whole_frames(std::size_t length) const {
    std::size_t plain = 0;
    for (std::size_t i = 0; i < ends_.size() && ends_[i] <= length; ++i) plain = plain_ends_[i];
    return plain;
  }

  void expect_cut(std::size_t length) {
    put_file(path_, std::string_view{stored_}.substr(0, length));
    const auto [bytes, failure] = read_all(path_);
    EXPECT_EQ(failure, std::errc::bad_message) << length;
    EXPECT_EQ(bytes.size(), whole_frames(length)) << length;
    EXPECT_TRUE(content_.starts_with(bytes)) << length;
    expect_accepted(bytes);
  }

  // As all that is there of a file that its writer did not close.
  void expect_accepted(std::string_view bytes) const {
    const auto there = read_all(path_, unclosed());
    EXPECT_FALSE(there.failure) << there.failure.message();
    EXPECT_TRUE(there.bytes == bytes) << there.bytes.size();
    reader in{path_, unclosed()};
    EXPECT_EQ(in.size(), bytes.size());
    for (const std::size_t offset : {bytes.size() / 2, bytes.size(), bytes.size() + 10, std::size_t{0}}) {
      in.seek(offset);
      EXPECT_EQ(in.get(), offset < bytes.size() ? static_cast<unsigned char>(bytes[offset]) : reader::end_of_file);
    }
  }
  [[nodiscard]] static reader_options unclosed() {
    reader_options options = decompressed();
    options.accept_unclosed = true;
    return options;
  }

  std::string content_;
  std::string stored_;
  std::vector<std::size_t> ends_;
  std::vector<std::size_t> plain_ends_;
};

TEST_F(compression_damage, every_cut_of_a_small_file_leaves_its_whole_frames_and_an_error) {
  write_frames({700, 1, 1500, 300});
  for (std::size_t length = 0; length < stored_.size(); ++length) expect_cut(length);
}

TEST_F(compression_damage, cuts_of_a_large_file_leave_its_whole_frames_and_an_error) {
  write_frames({frame_size, frame_size, 100'000});
  for (const std::size_t end : ends_)
    for (const std::size_t length : {end - 1, end, end + 1, end + 10}) expect_cut(length);
  std::mt19937_64 random{test::sample_seed()};
  for (int i = 0; i < 20; ++i) expect_cut(random() % stored_.size());
  expect_cut(stored_.size() - 1);
}

TEST_F(compression_damage, a_cut_file_is_an_error_after_a_seek_too) {
  write_frames({frame_size, frame_size, 100'000});
  put_file(path_, std::string_view{stored_}.substr(0, ends_[1] + 20));
  reader in{path_, decompressed()};
  in.seek(frame_size + 5);
  EXPECT_EQ(in.get(), static_cast<unsigned char>(content_[frame_size + 5]));
  std::error_code failure;
  in.seek(2 * frame_size + 1);
  EXPECT_EQ(in.get(failure), reader::end_of_file);
  EXPECT_EQ(failure, std::errc::bad_message);
}

TEST_F(compression_damage, a_cut_file_is_called_by_its_name) {
  write_frames({1000, 2000});
  for (const std::size_t length : {std::size_t{0}, std::size_t{3}, ends_[0], ends_[1] + 5}) {
    put_file(path_, std::string_view{stored_}.substr(0, length));
    try {
      reader in{path_, decompressed()};
      std::string all(5000, '\0');
      std::ignore = in.read(all);
      ADD_FAILURE() << length;
    } catch (const error& caught) {
      EXPECT_THAT(caught.what(), testing::HasSubstr(path_.native() + " was not closed by its writer"));
    }
  }
}

// Reads from the front, and at some places in random order.
void expect_prefix_or_error(const std::filesystem::path& path, const std::string& content, std::mt19937_64& random) {
  const auto [bytes, failure] = read_all(path);
  ASSERT_TRUE(content.starts_with(bytes)) << bytes.size();
  ASSERT_TRUE(failure || bytes.size() == content.size());
  std::error_code any;
  reader in{path, decompressed(), any};
  for (int i = 0; i < 4 && !any; ++i) {
    const std::size_t offset = random() % content.size();
    std::string piece(100, '\0');
    in.seek(offset, any);
    piece.resize(any ? 0 : in.read(piece, any));
    ASSERT_TRUE(any || piece == std::string_view{content}.substr(offset, 100)) << offset;
  }
}

TEST_F(compression_damage, random_changes_are_errors_or_change_nothing) {
  write_frames({20'000, 1, 70'000, 9'000, 30'000});
  std::mt19937_64 random{test::sample_seed()};
  const std::size_t rounds = test::sample_size(100'000, 3'000);
  for (std::size_t round = 0; round < rounds; ++round) {
    SCOPED_TRACE(round);
    std::string damaged = stored_;
    // Headers and the tables at the end are small, and changed as often as the rest.
    const std::size_t from = random() % 2 == 0 ? 0 : stored_.size() - 150;
    for (std::size_t changes = 1 + random() % 3; changes-- > 0;) {
      auto& byte = damaged[from + random() % (stored_.size() - from)];
      byte = static_cast<char>(random() % 2 == 0 ? static_cast<unsigned char>(byte) ^ 1U << random() % 8 : random());
    }
    put_file(path_, damaged);
    expect_prefix_or_error(path_, content_, random);
    if (HasFatalFailure()) return;
  }
}

TEST_F(compression_damage, dropped_and_repeated_pieces_are_errors_or_change_nothing) {
  write_frames({20'000, 5'000, 70'000});
  std::mt19937_64 random{test::sample_seed()};
  for (int round = 0; round < 500; ++round) {
    SCOPED_TRACE(round);
    std::string damaged = stored_;
    const std::size_t from = 20 + random() % (stored_.size() - 20);
    const std::size_t length = 1 + random() % 500;
    if (random() % 2 == 0)
      damaged.erase(from, length);
    else
      damaged.insert(from, mixed_bytes(length, random()));
    put_file(path_, damaged);
    expect_prefix_or_error(path_, content_, random);
    if (HasFatalFailure()) return;
  }
}

TEST_F(compression_damage, a_table_that_lies_is_not_believed) {
  write_frames({3'000'000, 2'000'000, 2'500'000});
  namespace format = detail::zstd_format;
  const std::size_t table = stored_.size() - format::footer_size - 4 * format::entry_size;
  for (const std::size_t entry : {0U, 1U, 2U, 3U})
    for (const std::size_t field : {0U, 4U}) {
      SCOPED_TRACE(testing::Message() << entry << '.' << field);
      std::string lying = stored_;
      ++lying[table + entry * format::entry_size + field];
      // The sum stays right.
      if (entry < 3) --lying[table + (entry + 1) % 3 * format::entry_size + field];
      put_file(path_, lying);
      reader in{path_, decompressed()};
      EXPECT_EQ(in.size(), content_.size());
      in.seek(6'000'000);
      EXPECT_EQ(in.get(), static_cast<unsigned char>(content_[6'000'000]));
    }
}

TEST_F(compression_damage, a_table_that_claims_too_much_takes_no_memory) {
  write_frames({1000});
  for (const std::string_view count :
       {std::string_view{"\xFF\xFF\xFF\xFF", 4}, std::string_view{"\0\0\0\x08", 4}, std::string_view{"\0\0\0\0", 4}}) {
    std::string lying = stored_;
    lying.replace(lying.size() - detail::zstd_format::footer_size, 4, count);
    put_file(path_, lying);
    reader in{path_, decompressed()};
    EXPECT_EQ(in.size(), 1000U);
  }
}

}  // namespace
}  // namespace freshet
