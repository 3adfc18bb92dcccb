// Files that are compressed while they are written, and decompressed while they are read.
#include <freshet/encryption.hpp>
#include <freshet/reader.hpp>
#include <freshet/statistics.hpp>
#include <freshet/stream.hpp>
#include <freshet/writer.hpp>

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <string>
#include <thread>
#include <vector>

#include "src/base/pool.hpp"
#include "src/filter/zstd_format.hpp"
#include "tests/support/compressing.hpp"

namespace freshet {
namespace {

using test::compressed;
using test::decompressed;
using test::frame_size;
using test::holds;
using test::mixed_bytes;
using test::read_all;
using test::write_compressed;

class compression_of_files : public test::compression_test {};

TEST_F(compression_of_files, frames_have_the_size_that_the_tests_assume) {
  EXPECT_EQ(frame_size, detail::zstd_format::frame_size);
}

TEST_F(compression_of_files, all_lengths_around_frames_come_back) {
  const std::string all = mixed_bytes(2 * frame_size + 70'000);
  for (const std::size_t length : {std::size_t{0}, std::size_t{1}, std::size_t{3}, std::size_t{8191}, std::size_t{8192},
                                   std::size_t{8193}, std::size_t{65'536}, frame_size - 1, frame_size, frame_size + 1,
                                   2 * frame_size, 2 * frame_size + 1, all.size()})
    for (const unsigned threads : {1U, 2U, 4U}) {
      SCOPED_TRACE(testing::Message() << length << " bytes by " << threads << " threads");
      const auto content = std::string_view{all}.substr(0, length);
      write_compressed(path_, content, compressed(3, threads));
      EXPECT_TRUE(holds(path_, content));
      EXPECT_EQ((reader{path_, decompressed()}.size()), length);
    }
}

TEST_F(compression_of_files, all_levels_come_back) {
  const std::string content = mixed_bytes(300'000);
  std::uintmax_t fastest = 0;
  for (const int level : {-100'000, -7, -1, 0, 1, 3, 9, 19, 22}) {
    SCOPED_TRACE(level);
    write_compressed(path_, content, compressed(level, 2));
    EXPECT_TRUE(holds(path_, content));
    if (fastest == 0) fastest = std::filesystem::file_size(path_);
  }
  EXPECT_LT(std::filesystem::file_size(path_), fastest);
}

TEST_F(compression_of_files, methods_do_not_matter) {
  const std::string content = mixed_bytes(3 * frame_size + 5);
  for (const auto& entry : detail::method_entries()) {
    if (entry.name == "null" || !test::why_not(entry.name, directory_.path()).empty()) continue;
    SCOPED_TRACE(entry.name);
    auto options = compressed(1, 2);
    options.method = entry.name;
    options.ordered = entry.keeps_order;
    write_compressed(path_, content, options);
    EXPECT_TRUE(holds(path_, content));
  }
}

TEST_F(compression_of_files, small_pieces_and_single_bytes_make_the_same_file) {
  const std::string content = mixed_bytes(frame_size + 1000);
  write_compressed(path_, content);
  const auto other = directory_ / "other";
  writer out{other, compressed()};
  for (std::size_t i = 0; i < content.size();) {
    if (i % 3 == 0) {
      out.put(content[i++]);
      continue;
    }
    const auto piece = std::string_view{content}.substr(i, i % 997 + 1);
    out.write(piece);
    i += piece.size();
  }
  out.close();
  EXPECT_TRUE(test::content_of(other) == test::content_of(path_));
}

TEST_F(compression_of_files, a_flushed_byte_can_be_read) {
  const std::string content = mixed_bytes(frame_size + 3000);
  writer out{path_, compressed()};
  std::size_t written = 0;
  for (const std::size_t length : {std::size_t{1}, std::size_t{1999}, std::size_t{0}, frame_size, std::size_t{7}}) {
    out.write(std::string_view{content}.substr(written, length));
    written += length;
    out.flush();
    EXPECT_EQ(out.written_bytes(), std::filesystem::file_size(path_));
    const auto [bytes, failure] = read_all(path_);
    EXPECT_TRUE(bytes == content.substr(0, written)) << bytes.size();
    EXPECT_EQ(failure, std::errc::bad_message) << "the file may have been cut, for all that a reader knows";
  }
  out.close();
  EXPECT_TRUE(holds(path_, std::string_view{content}.substr(0, written)));
}

TEST_F(compression_of_files, offsets_count_the_programs_bytes_and_the_rest_those_of_the_file) {
  writer out{path_, compressed()};
  out.write(std::string(3 * frame_size, 'x'));
  EXPECT_EQ(out.tell(), 3 * frame_size);
  EXPECT_EQ(out.size(), 3 * frame_size);
  out.sync();
  EXPECT_EQ(out.written_bytes(), std::filesystem::file_size(path_));
  EXPECT_EQ(out.durable_bytes(), out.written_bytes());
  EXPECT_LT(out.written_bytes(), 10'000U);
  out.close();
  EXPECT_EQ(out.statistics().bytes, std::filesystem::file_size(path_));
}

TEST_F(compression_of_files, hidden_files_appear_whole_or_not_at_all) {
  const std::string content = mixed_bytes(2 * frame_size);
  auto options = compressed();
  options.atomic = true;
  writer out{path_, options};
  out.write(content);
  out.flush();
  EXPECT_FALSE(std::filesystem::exists(path_));
  out.close();
  EXPECT_TRUE(holds(path_, content));
  writer given_up{path_, options};
  given_up.write(mixed_bytes(3 * frame_size, 2));
  given_up.discard();
  EXPECT_TRUE(holds(path_, content));
  EXPECT_EQ(test::entries_in(directory_.path()), 1U);
}

TEST_F(compression_of_files, a_destructor_ends_the_file) {
  const std::string content = mixed_bytes(frame_size + 1);
  test::write_closed(path_, content, compressed());
  EXPECT_TRUE(holds(path_, content));
}

TEST_F(compression_of_files, streams_compress_and_decompress) {
  const std::string content = mixed_bytes(frame_size + 12'345);
  ofstream out{path_, std::ios::out, compressed()};
  out << std::string_view{content};
  EXPECT_EQ(out.tellp(), static_cast<std::streamoff>(content.size()));
  out.close();
  ASSERT_TRUE(out);
  ifstream in{path_, std::ios::in, decompressed()};
  std::string back(content.size() + 1, '\0');
  in.read(back.data(), static_cast<std::streamsize>(back.size()));
  back.resize(static_cast<std::size_t>(in.gcount()));
  EXPECT_TRUE(back == content);
  in.clear();
  in.seekg(0, std::ios::end);
  EXPECT_EQ(in.tellg(), static_cast<std::streamoff>(content.size()));
  in.seekg(frame_size + 100);
  EXPECT_EQ(in.get(), static_cast<unsigned char>(content[frame_size + 100]));
}

TEST_F(compression_of_files, a_seek_while_writing_is_refused_with_the_reason) {
  ofstream out{path_, std::ios::out, compressed()};
  out << "abc";
  EXPECT_FALSE(out.seekp(0));
  ASSERT_TRUE(out.rdbuf()->last_error());
  EXPECT_EQ(out.rdbuf()->last_error()->code(), std::errc::operation_not_supported);
  EXPECT_NE(std::string{out.rdbuf()->last_error()->what()}.find("from front to back"), std::string::npos);
  out.clear();
  out << "def";
  out.close();
  EXPECT_TRUE(holds(path_, "abcdef"));
}

TEST_F(compression_of_files, pipes_take_and_give_compressed_bytes) {
  const std::string content = mixed_bytes(frame_size + 9);
  std::array<int, 2> ends;
  ASSERT_EQ(::pipe(ends.data()), 0);
  std::thread writing{[&] {
    auto out = writer::on_descriptor(ends[1], ownership::take, compressed());
    out.write(content);
    out.close();
  }};
  auto in = reader::on_descriptor(ends[0], ownership::take, decompressed());
  std::string back(content.size() + 1, '\0');
  back.resize(in.read(back));
  writing.join();
  EXPECT_TRUE(back == content);
  EXPECT_THROW(in.seek(0), error);
}

// The first four bytes come one by one.
TEST_F(compression_of_files, a_slow_pipe_is_recognised_too) {
  const auto through_pipe = [](std::string_view stored) {
    std::array<int, 2> ends;
    EXPECT_EQ(::pipe(ends.data()), 0);
    std::thread writing{[&] {
      for (std::size_t i = 0; i < stored.size(); ++i) {
        EXPECT_EQ(::write(ends[1], stored.data() + i, 1), 1);
        std::this_thread::sleep_for(std::chrono::milliseconds{i < 5 ? 5 : 0});
      }
      ::close(ends[1]);
    }};
    auto in = reader::on_descriptor(ends[0], ownership::take, decompressed(decompression::automatic));
    std::string back(10'000, '\0');
    back.resize(in.read(back));
    writing.join();
    return back;
  };
  write_compressed(path_, "some text");
  EXPECT_EQ(through_pipe(test::content_of(path_)), "some text");
  EXPECT_EQ(through_pipe("plain text"), "plain text");
  EXPECT_EQ(through_pipe("("), "(");
}

TEST_F(compression_of_files, plain_files_are_read_as_they_are_if_that_is_wanted) {
  for (const std::size_t length : {0U, 1U, 3U, 4U, 5U, 100'000U, 20'000'000U}) {
    SCOPED_TRACE(length);
    test::put_file(path_, mixed_bytes(length, 3));
    const std::string content = test::content_of(path_);
    const auto [bytes, failure] = read_all(path_, decompressed(decompression::automatic));
    EXPECT_FALSE(failure) << failure.message();
    EXPECT_TRUE(bytes == content);
    reader in{path_, decompressed(decompression::automatic)};
    EXPECT_EQ(in.size(), length);
    std::string back(length, '\0');
    EXPECT_EQ(in.read(back), length);
    EXPECT_TRUE(back == content);
    in.seek(length / 2);
    EXPECT_EQ(in.tell(), length / 2);
    EXPECT_EQ(in.read(back), length - length / 2);
    EXPECT_TRUE(back.substr(0, length - length / 2) == content.substr(length / 2));
    EXPECT_EQ(read_all(path_).failure, std::errc::bad_message) << "required, and not there";
  }
}

TEST_F(compression_of_files, stored_bytes_can_be_read_as_they_are) {
  write_compressed(path_, mixed_bytes(100'000));
  EXPECT_TRUE(read_all(path_, {}).bytes == test::content_of(path_));
  test::put_file(path_, "\x28\xB5\x2F\xFD and no frame of zstd");
  EXPECT_EQ(read_all(path_, {}).bytes, "\x28\xB5\x2F\xFD and no frame of zstd");
  EXPECT_EQ(read_all(path_, decompressed(decompression::automatic)).failure, std::errc::bad_message);
}

template <typename Open>
void expect_refused(std::errc why, std::string_view words, Open open) {
  try {
    open();
    ADD_FAILURE() << "not refused: " << words;
  } catch (const error& refused) {
    EXPECT_EQ(refused.code(), why);
    EXPECT_NE(std::string_view{refused.what()}.find(words), std::string_view::npos) << refused.what();
  }
}

TEST_F(compression_of_files, what_cannot_be_kept_is_refused_before_the_file_is_touched) {
  test::put_file(path_, "old");
  for (const auto mode : {open_mode::append, open_mode::overwrite}) {
    auto options = compressed();
    options.mode = mode;
    expect_refused(std::errc::invalid_argument, "open_mode::truncate", [&] { writer{path_, options}; });
  }
  for (const int level : {-200'000, 23})
    expect_refused(std::errc::invalid_argument, "level", [&] { writer{path_, compressed(level)}; });
  expect_refused(std::errc::invalid_argument, "64 threads", [&] { writer{path_, compressed(3, 65)}; });
  fstream both{path_, std::ios::in | std::ios::out, compressed()};
  EXPECT_FALSE(both.is_open());
  ASSERT_TRUE(both.rdbuf()->last_error());
  EXPECT_NE(std::string{both.rdbuf()->last_error()->what()}.find("reading and writing at once"), std::string::npos);
  ofstream appending{path_, std::ios::app, compressed()};
  EXPECT_FALSE(appending.is_open());
  EXPECT_EQ(test::content_of(path_), "old");
}

TEST_F(compression_of_files, a_reader_may_be_moved_and_closed_at_any_place) {
  write_compressed(path_, mixed_bytes(frame_size * 2));
  reader in{path_, decompressed()};
  static_cast<void>(in.view(frame_size - 1));
  reader other = std::move(in);
  EXPECT_EQ(other.tell(), frame_size - 1);
  other.close();
  EXPECT_EQ(test::descriptors_in(directory_.path()), 0U);
  reader never_read{path_, decompressed()};
  EXPECT_EQ(never_read.size(), 2 * frame_size);
}

TEST_F(compression_of_files, compressed_bytes_may_be_encrypted) {
  const std::string content = mixed_bytes(2 * frame_size + 77);
  const std::array<std::byte, 32> secret{std::byte{1}, std::byte{2}};
  const encryption_key key{secret};
  auto writing = compressed(3, 2);
  writing.key = &key;
  writing.atomic = true;
  std::error_code failure;
  writer out{path_, writing, failure};
  if (failure == std::errc::operation_not_supported) GTEST_SKIP() << "this freshet was built without OpenSSL";
  out.write(content);
  out.close();
  EXPECT_LT(std::filesystem::file_size(path_), content.size()) << "compressed before it was encrypted";
  auto reading = decompressed();
  reading.key = &key;
  reader in{path_, reading};
  EXPECT_EQ(in.size(), content.size());
  in.seek(frame_size + 3);
  EXPECT_EQ(in.get(), static_cast<unsigned char>(content[frame_size + 3]));
  EXPECT_TRUE(read_all(path_, reading).bytes == content);
  EXPECT_TRUE(read_all(path_).failure) << "without the key";
}

TEST_F(compression_of_files, many_open_files_share_the_memory) {
  const std::string content = mixed_bytes(frame_size + 1000);
  std::vector<writer> files;
  for (int i = 0; i < 70; ++i) files.emplace_back(directory_ / std::to_string(i), compressed(-5, 2));
  for (auto& each : files) each.write(content);
  EXPECT_LE(detail::pool::in_use(), detail::pool::cap());
  for (auto& each : files) each.close();
  EXPECT_TRUE(holds(directory_ / "0", content));
  EXPECT_TRUE(holds(directory_ / "69", content));
}

}  // namespace
}  // namespace freshet
