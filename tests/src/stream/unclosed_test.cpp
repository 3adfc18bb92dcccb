// Compressed and encrypted files that their writers did not close: all of their bytes can be read, but they do not pass
// for complete.
#include <freshet/encryption.hpp>
#include <freshet/filebuf.hpp>
#include <freshet/reader.hpp>
#include <freshet/stream.hpp>
#include <freshet/writer.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fcntl.h>
#include <functional>
#include <optional>
#include <ostream>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "src/filter/crypto.hpp"
#include "src/filter/zstd_format.hpp"
#include "tests/support/compressing.hpp"
#include "tests/support/sealed_bytes.hpp"
#include "tests/support/writing.hpp"

namespace freshet {
namespace {

using test::mixed_bytes;

// Stores `content` in pieces, the last one flushed if that is asked for, and ends without a successful close().
struct unclosed_writing {
  const char* name;
  std::function<void(const std::filesystem::path&, const writer_options&, const std::string& content, bool flushes)>
      write;
};

template <typename Out>
void write_pieces(Out& out, const std::string& content, bool flushes) {
  constexpr std::size_t piece = 300'007;
  for (std::size_t at = 0; at < content.size(); at += piece) {
    const std::string_view bytes = std::string_view{content}.substr(at, piece);
    if constexpr (std::is_same_v<Out, writer>)
      out.write(bytes);
    else
      out.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  }
  if (flushes) out.flush();
}

void write_and_throw(writer out, const std::string& content, bool flushes) {
  write_pieces(out, content, flushes);
  throw std::runtime_error{"between two writes"};
}

std::vector<unclosed_writing> all_unclosed() {
  using path = std::filesystem::path;
  return {
      {"writer",
       [](const path& file, const writer_options& options, const std::string& content, bool flushes) {
         writer out{file, options};
         write_pieces(out, content, flushes);
       }},
      {"an exception",
       [](const path& file, const writer_options& options, const std::string& content, bool flushes) {
         EXPECT_THROW(write_and_throw(writer{file, options}, content, flushes), std::runtime_error);
       }},
      {"a writer that is assigned over",
       [](const path& file, const writer_options& options, const std::string& content, bool flushes) {
         writer out{file, options};
         write_pieces(out, content, flushes);
         out = writer{};
       }},
      {"writer::discard",
       [](const path& file, const writer_options& options, const std::string& content, bool flushes) {
         writer out{file, options};
         write_pieces(out, content, flushes);
         out.discard();
       }},
      {"ofstream",
       [](const path& file, const writer_options& options, const std::string& content, bool flushes) {
         ofstream out{file, options};
         write_pieces(out, content, flushes);
       }},
      {"an ofstream that is assigned over",
       [](const path& file, const writer_options& options, const std::string& content, bool flushes) {
         ofstream out{file, options};
         write_pieces(out, content, flushes);
         out = ofstream{};
       }},
      {"ofstream::discard",
       [](const path& file, const writer_options& options, const std::string& content, bool flushes) {
         ofstream out{file, options};
         write_pieces(out, content, flushes);
         out.discard();
       }},
      {"fstream",
       [](const path& file, const writer_options& options, const std::string& content, bool flushes) {
         fstream out{file, std::ios::out, options};
         write_pieces(out, content, flushes);
       }},
      {"filebuf",
       [](const path& file, const writer_options& options, const std::string& content, bool flushes) {
         filebuf buffer;
         ASSERT_NE(buffer.open(file, std::ios::out, options), nullptr);
         std::ostream out{&buffer};
         write_pieces(out, content, flushes);
       }},
      {"a descriptor", [](const path& file, const writer_options& options, const std::string& content, bool flushes) {
         test::put_file(file, "");
         const int descriptor = ::open(file.c_str(), O_WRONLY | O_CLOEXEC);
         auto out = writer::on_descriptor(descriptor, ownership::take, options);
         write_pieces(out, content, flushes);
       }}};
}

class unclosed : public testing::Test {
 protected:
  void SetUp() override {
    if (!detail::why_no_encryption().empty() || !test::why_no_compression().empty())
      GTEST_SKIP() << "this freshet was built without OpenSSL or libzstd";
  }

  struct kind {
    bool compresses, encrypts;
  };
  [[nodiscard]] static std::vector<kind> kinds() { return {{true, false}, {false, true}, {true, true}}; }
  [[nodiscard]] writer_options writing(kind how) const {
    writer_options options = how.compresses ? test::compressed() : writer_options{};
    if (how.encrypts) options.key = &key_;
    return options;
  }
  [[nodiscard]] reader_options reading(kind how, bool accepts_unclosed = false) const {
    reader_options options;
    if (how.compresses) options.decompression = decompression::zstd;
    if (how.encrypts) options.key = &key_;
    options.accept_unclosed = accepts_unclosed;
    return options;
  }

  void expect_unclosed(kind how, const std::string& content) const {
    const auto refused = test::read_all(path_, reading(how));
    EXPECT_TRUE(refused.bytes == content) << refused.bytes.size() << " of " << content.size();
    EXPECT_EQ(refused.failure, std::errc::bad_message);
    const auto accepted = test::read_all(path_, reading(how, true));
    EXPECT_TRUE(accepted.bytes == content) << accepted.bytes.size() << " of " << content.size();
    EXPECT_FALSE(accepted.failure) << accepted.failure.message();
    expect_no_size(how);
    reader in{path_, reading(how, true)};
    EXPECT_EQ(in.size(), content.size());
    for (std::size_t offset = content.size(); offset > 0; offset /= 3) {
      in.seek(offset - 1);
      EXPECT_EQ(in.get(), static_cast<unsigned char>(content[offset - 1])) << offset;
    }
    expect_refused_by_the_tool(how);
  }
  void expect_no_size(kind how) const try {
    ADD_FAILURE() << reader{path_, reading(how)}.size();
  } catch (const error& failure) {
    EXPECT_THAT(failure.what(), testing::HasSubstr(path_.native() + " was not closed by its writer"));
  }
  void expect_refused_by_the_tool(kind how) const { EXPECT_FALSE(is_accepted_by_the_tool(how).value_or(false)); }
  void expect_accepted_by_the_tool(kind how) const { EXPECT_TRUE(is_accepted_by_the_tool(how).value_or(true)); }
  // Nothing if it cannot tell.
  [[nodiscard]] std::optional<bool> is_accepted_by_the_tool(kind how) const {
    if (how.encrypts || !test::why_no_zstd_tool().empty()) return {};
    return test::runs("zstd -q -t " + test::quoted(path_) + " 2>" + test::quoted(directory_ / "error"));
  }

  test::temporary_directory directory_;
  std::filesystem::path path_ = directory_ / "file";
  encryption_key key_ = test::key_of(3);
};

TEST_F(unclosed, is_told_from_a_closed_file) {
  for (const kind how : kinds())
    for (const std::size_t length : {std::size_t{0}, std::size_t{1000}, test::frame_size + 70'000}) {
      const std::string content = mixed_bytes(length);
      for (const bool flushes : {false, true})
        for (const unclosed_writing& each : all_unclosed()) {
          SCOPED_TRACE(testing::Message{} << each.name << (how.compresses ? ", compressed" : "")
                                          << (how.encrypts ? ", encrypted" : "") << ", " << length << " bytes"
                                          << (flushes ? ", flushed" : ""));
          each.write(path_, writing(how), content, flushes);
          expect_unclosed(how, content);
          std::filesystem::remove(path_);
        }
      test::write_closed(path_, content, writing(how));
      EXPECT_FALSE(test::read_all(path_, reading(how)).failure);
      expect_accepted_by_the_tool(how);
    }
}

TEST_F(unclosed, goes_on_after_a_flush_until_it_is_closed) {
  for (const kind how : kinds()) {
    SCOPED_TRACE(testing::Message{} << how.compresses << how.encrypts);
    const std::string content = mixed_bytes(20'000);
    writer out{path_, writing(how)};
    out.flush();
    for (std::size_t at = 0; at < content.size(); at += 1000) {
      out.write(std::string_view{content}.substr(at, 1000));
      out.flush();
      out.flush();
      expect_unclosed(how, content.substr(0, at + 1000));
    }
    out.close();
    const auto read = test::read_all(path_, reading(how));
    EXPECT_FALSE(read.failure) << read.failure.message();
    EXPECT_TRUE(read.bytes == content);
    reader in{path_, reading(how)};
    EXPECT_EQ(in.size(), content.size());
    for (const std::size_t offset : {std::size_t{15'000}, std::size_t{999}, std::size_t{1000}}) {
      in.seek(offset);
      EXPECT_EQ(in.get(), static_cast<unsigned char>(content[offset]));
    }
    expect_accepted_by_the_tool(how);
  }
}

TEST_F(unclosed, is_what_a_killed_program_leaves) {
  const std::string content = mixed_bytes(3 * test::frame_size);
  for (const kind how : kinds())
    for (const bool flushes : {false, true}) {
      SCOPED_TRACE(testing::Message{} << how.compresses << how.encrypts << flushes);
      const pid_t child = ::fork();
      if (child == 0) {
        writer out{path_, writing(how)};
        write_pieces(out, content, flushes);
        ::kill(::getpid(), SIGKILL);
      }
      int status = 0;
      ASSERT_EQ(::waitpid(child, &status, 0), child);
      EXPECT_TRUE(WIFSIGNALED(status)) << status;
      const auto refused = test::read_all(path_, reading(how));
      EXPECT_TRUE(content.starts_with(refused.bytes)) << refused.bytes.size();
      EXPECT_TRUE(!flushes || refused.bytes.size() == content.size()) << refused.bytes.size();
      expect_unclosed(how, refused.bytes);
    }
}

// A killed program leaves them where a method, such as mmap, had set the file's size ahead.
TEST_F(unclosed, may_have_zeros_behind_it) {
  const std::string content = mixed_bytes(test::frame_size + 70'000);
  for (const kind how : kinds()) {
    test::write_closed(path_, content, writing(how));
    const std::string stored = test::content_of(path_);
    for (std::size_t length = 200; length < stored.size() - 100; length += stored.size() / 8) {
      SCOPED_TRACE(testing::Message{} << how.compresses << how.encrypts << ", cut at " << length);
      std::filesystem::resize_file(path_, length);
      std::filesystem::resize_file(path_, length + 1'000'000);
      const auto refused = test::read_all(path_, reading(how));
      EXPECT_TRUE(content.starts_with(refused.bytes));
      expect_unclosed(how, refused.bytes);
      test::put_file(path_, stored);
    }
  }
}

// A hidden file that was not closed is given up, as before.
TEST_F(unclosed, is_no_hidden_file) {
  for (const kind how : kinds()) {
    writer_options options = writing(how);
    options.hidden_until_closed = true;
    { writer{path_, options}.write("text"); }
    EXPECT_FALSE(std::filesystem::exists(path_));
  }
}

// A block that reaches the disk may be the last one before a kill, and blocks end where sectors do.
TEST_F(unclosed, ends_in_no_block_as_if_it_were_complete) {
  constexpr std::size_t sector = 512;
  std::size_t longer = 0;
  for (std::size_t length = sector - 30; length < sector; ++length) {
    std::string content(length, '\0');
    std::mt19937_64 random{length};
    for (char& each : content) each = static_cast<char>(random());  // which are stored as they are
    test::write_closed(path_, content, test::compressed());
    const std::string stored = test::content_of(path_);
    EXPECT_TRUE(test::holds(path_, content));
    const std::span<const std::byte> bytes = std::as_bytes(std::span{stored});
    detail::zstd_format::header header;
    ASSERT_EQ(detail::zstd_format::parse(bytes, header), detail::zstd_format::parse_result::ok);
    EXPECT_TRUE(header.is_marked);
    // The marks of the others are a byte shorter.
    longer += (std::to_integer<unsigned>(bytes[4]) & 3U) == 2 ? 1U : 0U;
    expect_accepted_by_the_tool({true, false});
    test::put_file(path_, std::string_view{stored}.substr(0, sector));
    EXPECT_EQ(test::read_all(path_).failure, std::errc::bad_message);
    expect_refused_by_the_tool({true, false});
  }
  EXPECT_EQ(longer, 1U);
}

}  // namespace
}  // namespace freshet
