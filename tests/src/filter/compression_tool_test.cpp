// The tool `zstd` reads what freshet writes, and freshet reads what the tool writes.
#include <freshet/reader.hpp>
#include <freshet/writer.hpp>

#include <gtest/gtest.h>

#include <string>

#include "tests/support/compressing.hpp"

namespace freshet {
namespace {

using test::compressed;
using test::decompressed;
using test::frame_size;
using test::holds;
using test::mixed_bytes;
using test::quoted;
using test::runs;

class compression_beside_the_tool : public test::compression_test {
 protected:
  void SetUp() override {
    compression_test::SetUp();
    if (const auto reason = test::why_no_zstd_tool(); !reason.empty()) GTEST_SKIP() << reason;
  }

  // Compresses plain_ by the tool.
  void compress(const std::string& options) {
    ASSERT_TRUE(runs("zstd -q -f " + options + " -o " + quoted(path_) + " " + quoted(plain_))) << options;
  }

  std::filesystem::path plain_ = directory_ / "plain";
};

TEST_F(compression_beside_the_tool, it_reads_what_is_written_here) {
  for (const std::size_t length :
       {std::size_t{0}, std::size_t{1}, std::size_t{100'000}, frame_size, 2 * frame_size + 1})
    for (const int level : {-3, 1, 3, 12}) {
      SCOPED_TRACE(testing::Message() << length << " bytes at level " << level);
      const std::string content = mixed_bytes(length);
      writer out{path_, compressed(level, 2)};
      out.write(std::string_view{content}.substr(0, length / 3));
      out.flush();
      out.write(std::string_view{content}.substr(length / 3));
      out.close();
      ASSERT_TRUE(runs("zstd -q -f -d -o " + quoted(plain_) + " " + quoted(path_)));
      EXPECT_TRUE(test::content_of(plain_) == content);
      EXPECT_TRUE(runs("zstd -q -t " + quoted(path_)));
    }
}

TEST_F(compression_beside_the_tool, files_are_hardly_larger_than_its_own) {
  std::string content;
  for (std::uint64_t i = 0; content.size() < 3 * frame_size; ++i) content += mixed_bytes(70'000, i % 40);
  test::put_file(plain_, content);
  compress("-3");
  const auto theirs = std::filesystem::file_size(path_);
  test::write_compressed(path_, content);
  EXPECT_LE(static_cast<double>(std::filesystem::file_size(path_)), 1.03 * static_cast<double>(theirs));
}

TEST_F(compression_beside_the_tool, its_files_are_read_here) {
  const std::string content = mixed_bytes(frame_size + 200'001);
  test::put_file(plain_, content);
  for (const std::string options : {"-1", "-3 --no-check", "-19 --long=27", "--fast=5", "-3 --no-content-size",
                                    "-3 -T2 -B1M", "-3 --no-content-size --no-check", "-1 --stream-size=4394305"}) {
    SCOPED_TRACE(options);
    compress(options);
    EXPECT_TRUE(holds(path_, content));
    reader in{path_, decompressed()};
    EXPECT_EQ(in.size(), content.size());
    for (const std::size_t offset : {content.size() - 5, std::size_t{7}, frame_size, std::size_t{0}}) {
      in.seek(offset);
      EXPECT_EQ(in.get(), static_cast<unsigned char>(content[offset]));
    }
    in.seek(content.size() + 1000);
    EXPECT_EQ(in.get(), reader::end_of_file);
  }
}

TEST_F(compression_beside_the_tool, several_of_its_frames_in_a_row_are_one_file) {
  const std::string content = mixed_bytes(300'000);
  test::put_file(plain_, content);
  compress("-3");
  const std::string one = test::content_of(path_);
  // A skippable frame of five bytes, and an empty frame.
  const std::string skippable{"\x50\x2A\x4D\x18\x05\0\0\0hello", 13};
  test::put_file(plain_, "");
  compress("-3");
  const std::string empty = test::content_of(path_);
  test::put_file(path_, skippable + one + skippable + empty + one + skippable);
  EXPECT_TRUE(holds(path_, content + content));
  reader in{path_, decompressed(decompression::automatic)};
  EXPECT_EQ(in.size(), 2 * content.size());
  in.seek(content.size() + 3);
  EXPECT_EQ(in.get(), static_cast<unsigned char>(content[3]));
  in.seek(3);
  EXPECT_EQ(in.get(), static_cast<unsigned char>(content[3]));
}

TEST_F(compression_beside_the_tool, files_of_both_may_be_joined) {
  const std::string content = mixed_bytes(100'000);
  test::put_file(plain_, content);
  compress("-3");
  const std::string theirs = test::content_of(path_);
  test::write_compressed(path_, content);
  const std::string ours = test::content_of(path_);
  test::put_file(path_, ours + ours);
  EXPECT_TRUE(holds(path_, content + content));
  test::put_file(path_, theirs + ours);
  EXPECT_TRUE(holds(path_, content + content));
  reader in{path_, decompressed()};
  EXPECT_EQ(in.size(), 2 * content.size()) << "the table tells only of the second file, and is not believed";
}

TEST_F(compression_beside_the_tool, its_frames_may_be_appended) {
  const std::string content = mixed_bytes(100'000);
  test::put_file(plain_, content);
  for (const std::string options : {"-3", "-3 --no-check", "-3 --no-content-size"}) {
    SCOPED_TRACE(options);
    compress(options);
    const std::string theirs = test::content_of(path_);
    test::write_compressed(path_, content);
    const std::string ours = test::content_of(path_);
    test::put_file(path_, ours + theirs + theirs + ours);
    EXPECT_TRUE(holds(path_, content + content + content + content));
    EXPECT_TRUE(runs("zstd -q -t " + quoted(path_)));
    test::put_file(path_, ours + theirs);
    EXPECT_TRUE(holds(path_, content + content));
    reader in{path_, decompressed()};
    EXPECT_EQ(in.size(), 2 * content.size());
    for (const std::size_t offset : {content.size() + 70'000, std::size_t{5}, content.size(), content.size() - 1}) {
      in.seek(offset);
      EXPECT_EQ(in.get(), static_cast<unsigned char>(content[offset % content.size()])) << offset;
    }
    // The end of our file is still proved.
    test::put_file(path_, ours.substr(0, ours.size() - 20) + theirs);
    EXPECT_EQ(test::read_all(path_).failure, std::errc::bad_message);
  }
}

TEST_F(compression_beside_the_tool, windows_beyond_the_limit_are_an_error) {
  ASSERT_TRUE(runs("head -c 300000000 /dev/zero | zstd -q -1 --long=28 -f -o " + quoted(path_)));
  EXPECT_EQ(test::read_all(path_).failure, std::errc::bad_message);
}

}  // namespace
}  // namespace freshet
