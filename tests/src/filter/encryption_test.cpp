// Encrypted files, as programs write and read them.
#include <freshet/encryption.hpp>
#include <freshet/reader.hpp>
#include <freshet/stream.hpp>
#include <freshet/writer.hpp>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <limits>
#include <string>
#include <thread>
#include <utility>

#include "src/filter/secret.hpp"
#include "tests/support/fault_injection.hpp"
#include "tests/support/reading.hpp"
#include "tests/support/sealed_bytes.hpp"
#include "tests/support/temporary_directory.hpp"

namespace freshet {
namespace {

class encrypted : public testing::Test {
 protected:
  // All that a reader with the key gets.
  [[nodiscard]] std::string read_all(reader_options options = {}) const {
    options.key = &key_;
    reader in{path_, options};
    std::string all(in.size(), '\0');
    all.resize(in.read(all));
    EXPECT_EQ(in.get(), reader::end_of_file);
    return all;
  }
  [[nodiscard]] static std::error_code why_refused(const auto& open) {
    try {
      open();
    } catch (const error& refused) {
      std::cout << refused.what() << '\n';
      return refused.code();
    }
    return {};
  }

  test::temporary_directory directory_;
  std::filesystem::path path_ = directory_ / "file";
  encryption_key key_ = test::key_of(9);
};

TEST_F(encrypted, every_method_writes_and_reads_them) {
  const std::string plain = test::bytes_from(0, 3'000'001);
  for (const auto& each : test::working(test::all_ways(), directory_.path())) {
    SCOPED_TRACE(each);
    auto options = each.options();
    options.key = &key_;
    options.reserve = plain.size();
    writer out{path_, options};
    out.write(std::string_view{plain}.substr(0, 100));
    for (std::size_t at = 100; at < 300'000; at += 1000) out.write(std::string_view{plain}.substr(at, 1000));
    out.write(std::string_view{plain}.substr(out.tell()));
    EXPECT_EQ(out.tell(), plain.size());
    out.close();
    EXPECT_EQ(out.written_bytes(), std::filesystem::file_size(path_));
    EXPECT_NE(test::content_of(path_).find("fseal"), std::string::npos);
    EXPECT_EQ(read_all(), plain);
  }
  for (const std::string_view method : test::working(test::reading_methods, directory_.path())) {
    SCOPED_TRACE(method);
    EXPECT_EQ(read_all({.method = method, .block = 64 << 10}), plain);
  }
}

TEST_F(encrypted, the_same_bytes_never_look_the_same) {
  const std::string plain(200'000, 'a');
  test::write_closed(path_, plain, {.key = &key_});
  const std::string one = test::content_of(path_);
  test::write_closed(path_, plain, {.key = &key_});
  const std::string other = test::content_of(path_);
  EXPECT_EQ(one.size(), other.size());
  EXPECT_EQ(one.find("aaaaaaaa"), std::string::npos);
  std::size_t equal = 0;
  for (std::size_t i = detail::sealed_header::length; i < one.size(); ++i) equal += one[i] == other[i] ? 1U : 0U;
  EXPECT_LT(equal, one.size() / 128);  // by chance, one in 256
  EXPECT_EQ(read_all(), plain);
}

TEST_F(encrypted, small_ones_take_116_bytes_more) {
  for (const std::size_t size : {0U, 1U, 1000U}) {
    writer out{path_, {.key = &key_}};
    out.write(test::bytes_from(0, size));
    out.close();
    EXPECT_EQ(std::filesystem::file_size(path_), size + 116);
    EXPECT_EQ(read_all(), test::bytes_from(0, size));
  }
}

TEST_F(encrypted, streams_write_and_read_them) {
  ofstream out{path_, {.key = &key_}};
  for (int i = 0; i < 50'000; ++i) out << "line " << i << '\n';
  const auto end = out.tellp();
  out.close();
  EXPECT_TRUE(out);
  EXPECT_LT(end, static_cast<std::streamoff>(std::filesystem::file_size(path_)));
  ifstream in{path_, std::ios::in, {.key = &key_}};
  std::string line;
  for (unsigned i = 0; std::getline(in, line); ++i) ASSERT_EQ(line, "line " + std::to_string(i));
  EXPECT_TRUE(in.eof());
  in.clear();
  in.seekg(0, std::ios::end);
  EXPECT_EQ(in.tellg(), end);
  in.seekg(5);
  in >> line;
  EXPECT_EQ(line, "0");
}

TEST_F(encrypted, flush_makes_what_was_written_readable) {
  writer out{path_, {.key = &key_}};
  std::string plain;
  for (const std::size_t length : {10U, 100U, 70'000U, 1U}) {
    out.write(test::bytes_from(plain.size(), length));
    plain += test::bytes_from(plain.size(), length);
    out.flush();
    EXPECT_EQ(out.tell(), plain.size());
    reader in{path_, {.key = &key_}};
    std::string read(plain.size(), '\0');
    EXPECT_EQ(in.read(read), plain.size());
    EXPECT_EQ(read, plain);
    // The file has no end yet.
    std::error_code failure;
    EXPECT_EQ(in.read(std::span{read}, failure), 0U);
    EXPECT_EQ(failure, std::errc::bad_message);
    reader measured{path_, {.key = &key_}};
    std::ignore = measured.size(failure);
    EXPECT_EQ(failure, std::errc::bad_message);
  }
  out.close();
  EXPECT_EQ(read_all(), plain);
}

TEST_F(encrypted, durable_bytes_count_what_is_stored) {
  writer out{path_, {.key = &key_}};
  out.write("text");
  out.sync();
  EXPECT_EQ(out.durable_bytes(), 116U + 4);
  EXPECT_EQ(out.written_bytes(), 116U + 4);
  EXPECT_EQ(out.tell(), 4U);
  out.close();
  EXPECT_EQ(out.written_bytes(), 2 * 116U + 4 - detail::sealed_header::length);
}

TEST_F(encrypted, space_is_reserved_for_what_is_stored) {
  constexpr std::uint64_t length = 3'000'000;
  test::fault_injection watched;
  writer out{path_, {.reserve = length, .key = &key_}};
  writer later{directory_ / "later", {.key = &key_}};
  later.reserve(length);
  const auto calls = watched.seen(detail::os::call::preallocate);
  ASSERT_EQ(calls.size(), 2U);
  for (writer* const each : {&out, &later}) {
    each->write(test::bytes_from(0, length));
    each->close();
    EXPECT_GE(calls.front().length, each->written_bytes());
  }
  EXPECT_EQ(calls.front().length, calls.back().length);
}

TEST_F(encrypted, atomic_ones_appear_complete_or_not_at_all) {
  for (const bool atomic : {true, false}) {
    const writer_options options{.hidden_until_closed = !atomic, .atomic = atomic, .key = &key_};
    writer out{path_, options};
    out.write(test::bytes_from(0, 200'000));
    out.flush();
    EXPECT_FALSE(std::filesystem::exists(path_));
    out.discard();
    EXPECT_FALSE(std::filesystem::exists(path_));
    writer again{path_, options};
    again.write(test::bytes_from(0, 200'000));
    again.close();
    EXPECT_EQ(read_all(), test::bytes_from(0, 200'000));
    std::filesystem::remove(path_);
  }
}

TEST_F(encrypted, pipes_carry_them) {
  std::array<int, 2> ends{};
  ASSERT_EQ(::pipe(ends.data()), 0);
  const std::string plain = test::bytes_from(0, 1'000'000);
  std::thread writing{[&] {
    auto out = writer::on_descriptor(ends[1], ownership::take, {.key = &key_});
    out.write(plain);
    out.close();
  }};
  auto in = reader::on_descriptor(ends[0], ownership::take, {.key = &key_});
  EXPECT_EQ(in.size(), 0U);
  std::string read(plain.size() + 1, '\0');
  read.resize(in.read(read));
  writing.join();
  EXPECT_EQ(read, plain);
  EXPECT_EQ(why_refused([&] { in.seek(5); }), std::errc::invalid_seek);
}

// One after another in the same file: positions count from where each began.
TEST_F(encrypted, descriptors_are_read_from_their_own_position) {
  const int file = ::open(path_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  ASSERT_EQ(::write(file, "front", 5), 5);
  auto out = writer::on_descriptor(file, ownership::borrow, {.key = &key_});
  out.write(test::bytes_from(0, 300'000));
  out.close();
  ASSERT_EQ(::lseek(file, 5, SEEK_SET), 5);
  auto in = reader::on_descriptor(file, ownership::take, {.key = &key_});
  EXPECT_EQ(in.size(), 300'000U);
  in.seek(250'000);
  std::string read(60'000, '\0');
  read.resize(in.read(read));
  EXPECT_EQ(read, test::bytes_from(250'000, 50'000));
}

TEST_F(encrypted, what_cannot_be_is_refused_before_the_file_changes) {
  std::ofstream{path_} << "untouched";
  const encryption_key empty = [] {
    auto moved = test::key_of(1);
    const auto other = std::move(moved);
    return moved;
  }();
  for (const open_mode mode : {open_mode::append, open_mode::overwrite})
    EXPECT_EQ(why_refused([&] { writer{path_, {.mode = mode, .key = &key_}}; }), std::errc::invalid_argument);
  EXPECT_EQ(why_refused([&] { writer{path_, {.key = &empty}}; }), std::errc::operation_not_supported);
  EXPECT_EQ(why_refused([&] { reader{path_, {.key = &empty}}; }), std::errc::operation_not_supported);
  for (const auto mode : {std::ios::in | std::ios::out, std::ios::in | std::ios::app, std::ios::out | std::ios::app}) {
    filebuf both;
    EXPECT_EQ(both.open(path_, mode, {.key = &key_}), nullptr);
    EXPECT_EQ(both.last_error()->code(), std::errc::invalid_argument);
  }
  filebuf both;
  EXPECT_EQ(both.open(path_, std::ios::in | std::ios::out, {}, {.key = &key_}), nullptr);
  EXPECT_EQ(why_refused([&] { reader{path_, {.key = &key_}}; }), std::errc::invalid_argument);
  EXPECT_EQ(test::content_of(path_), "untouched");
}

TEST_F(encrypted, a_seek_while_writing_fails) {
  ofstream out{path_, {.key = &key_}};
  out << "some text";
  EXPECT_EQ(out.tellp(), 9);
  out.seekp(2);
  EXPECT_FALSE(out);
  ASSERT_TRUE(out.last_error());
  EXPECT_EQ(out.last_error()->code(), std::errc::operation_not_supported);
  EXPECT_NE(std::string{out.last_error()->what()}.find("from front to back"), std::string::npos);
}

TEST_F(encrypted, without_the_key_the_stored_bytes_are_read) {
  test::write_closed(path_, "text", {.key = &key_});
  reader in{path_};
  EXPECT_EQ(in.size(), 120U);
}

TEST_F(encrypted, compressed_ones_are_decompressed_when_asked) {
  const std::string plain(2'000'000, 'a');
  test::write_closed(path_, plain, {.key = &key_, .compression = {.format = compression_format::zstd}});
  EXPECT_LT(std::filesystem::file_size(path_), 10'000U);
  EXPECT_EQ(read_all({.decompression = decompression::automatic}), plain);
  EXPECT_EQ(read_all({.decompression = decompression::zstd}), plain);
  const std::string compressed = read_all();
  EXPECT_LT(compressed.size(), 10'000U);
  reader in{path_, {.key = &key_, .decompression = decompression::automatic}};
  in.seek(1'999'990);
  EXPECT_EQ(test::text_of(in.view(100)), "aaaaaaaaaa");
  // What only looks compressed stays as it was encrypted.
  test::write_closed(path_, compressed, {.key = &key_});
  EXPECT_EQ(read_all({.decompression = decompression::automatic}), compressed);
}

TEST_F(encrypted, damaged_compressed_ones_are_noticed) {
  const std::string plain = test::bytes_from(0, 500'000);
  test::write_closed(path_, plain, {.key = &key_, .compression = {.format = compression_format::zstd}});
  std::string stored = test::content_of(path_);
  stored[300'000] = static_cast<char>(stored[300'000] ^ 1);
  std::ofstream{path_, std::ios::binary} << stored;
  reader in{path_, {.key = &key_, .decompression = decompression::automatic}};
  std::string read(plain.size(), '\0');
  std::error_code failure;
  std::ignore = in.read(std::span{read}, failure);
  EXPECT_EQ(failure, std::errc::bad_message);
}

TEST_F(encrypted, passphrases_open_them) {
  const auto passphrase = encryption_key::from_passphrase("correct horse", 10);
  test::write_closed(path_, "text", {.key = &passphrase});
  const auto same = encryption_key::from_passphrase("correct horse");
  reader in{path_, {.key = &same}};
  EXPECT_EQ(test::text_of(in.view(10)), "text");
  EXPECT_EQ(why_refused([&] { reader{path_, {.key = &key_}}; }), std::errc::permission_denied);
  const auto other = encryption_key::from_passphrase("correct horsE", 10);
  EXPECT_EQ(why_refused([&] { reader{path_, {.key = &other}}; }), std::errc::permission_denied);
  EXPECT_EQ(why_refused([&] { std::ignore = encryption_key::from_passphrase(""); }), std::errc::invalid_argument);
  for (const unsigned cost : {0U, 9U, 19U, 64U})
    EXPECT_EQ(why_refused([&] { std::ignore = encryption_key::from_passphrase("x", cost); }),
              std::errc::invalid_argument);
}

TEST_F(encrypted, a_key_file_holds_exactly_32_bytes) {
  const auto file = directory_ / "key";
  const auto write_key = [&](std::size_t length) { std::ofstream{file} << std::string(length, '\x09'); };
  for (const std::size_t length : {0U, 31U, 33U, 1000U}) {
    write_key(length);
    try {
      std::ignore = encryption_key::from_file(file);
      ADD_FAILURE() << length;
    } catch (const error& refused) {
      EXPECT_EQ(refused.code(), std::errc::invalid_argument);
      EXPECT_EQ(refused.path(), file);
      EXPECT_NE(std::string{refused.what()}.find("exactly 32 bytes"), std::string::npos) << refused.what();
    }
  }
  EXPECT_EQ(why_refused([&] { std::ignore = encryption_key::from_file(directory_ / "none"); }),
            std::errc::no_such_file_or_directory);
  EXPECT_EQ(why_refused([&] { std::ignore = encryption_key::from_file(directory_.path()); }),
            std::errc::is_a_directory);
  write_key(32);
  const auto key = encryption_key::from_file(file);
  test::write_closed(path_, "text", {.key = &key});
  EXPECT_EQ(read_all(), "text");
}

TEST_F(encrypted, keys_are_wiped) {
  alignas(detail::secret) std::array<std::byte, sizeof(detail::secret)> memory{};
  auto* const key = new (memory.data()) detail::secret;
  std::ranges::fill(key->bytes(), std::byte{5});
  EXPECT_NE(memory, decltype(memory){});
  key->~secret();
  EXPECT_EQ(memory, decltype(memory){});
  encryption_key one = test::key_of(1);
  encryption_key other{std::move(one)};
  EXPECT_EQ(one.contents(), nullptr);  // NOLINT(bugprone-use-after-move): that is what is tested
  one = std::move(other);
  EXPECT_EQ(other.contents(), nullptr);  // NOLINT(bugprone-use-after-move)
  EXPECT_NE(one.contents(), nullptr);
}

}  // namespace
}  // namespace freshet
