#include <freshet/endian.hpp>

#include <gmock/gmock.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <initializer_list>
#include <limits>
#include <new>
#include <numeric>
#include <string>
#include <vector>

#include "tests/support/reading.hpp"
#include "tests/support/temporary_directory.hpp"

namespace {
std::atomic<std::size_t> largest_request = 0;
}  // namespace

// Records the largest allocation. Not inlined, because the compiler would then report mismatched operators.
[[gnu::noinline]] void* operator new(std::size_t size) {
  std::size_t largest = largest_request;
  while (size > largest && !largest_request.compare_exchange_weak(largest, size)) {
  }
  if (void* const memory = std::malloc(size)) return memory;
  throw std::bad_alloc{};
}
// A sanitizer's own one would not call the one above.
[[gnu::noinline]] void* operator new(std::size_t size, const std::nothrow_t& /*tag*/) noexcept {
  return std::malloc(size);
}
[[gnu::noinline]] void operator delete(void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

namespace freshet {
namespace {

using std::endian;

std::string bytes(std::initializer_list<unsigned> values) {
  std::string text;
  for (const unsigned each : values) text += static_cast<char>(each);
  return text;
}

class endian_test : public testing::Test {
 protected:
  template <typename Write>
  std::string written_by(Write write, std::size_t block = 4096) const {
    writer out{path_, {.method = "buffered", .block = block}};
    write(out);
    out.close();
    return test::content_of(path_);
  }
  [[nodiscard]] reader reader_of(std::string_view content, std::size_t block = 4096) const {
    std::ofstream{path_, std::ios::binary} << content;
    return reader{path_, {.method = "buffered", .block = block}};
  }

  // Expects that `parse` reports an error in `content` at `offset`.
  template <typename Parse>
  void expect_rejected(std::string_view content, std::uint64_t offset, std::errc why, Parse parse) const {
    auto in = reader_of(content);
    try {
      parse(in);
      ADD_FAILURE() << "accepted";
    } catch (const error& failure) {
      EXPECT_EQ(failure.code(), why) << failure.what();
      EXPECT_EQ(failure.offset(), offset) << failure.what();
      EXPECT_EQ(failure.path(), path_);
      EXPECT_THAT(failure.what(), testing::HasSubstr(path_.string()));
    }
    EXPECT_FALSE(in.last_error()) << "nothing is wrong with the reader";
  }

  test::temporary_directory directory_;
  std::filesystem::path path_ = directory_ / "file";
};

enum class color : std::uint16_t { red = 0x0102 };

TEST_F(endian_test, each_type_is_stored_in_its_bytes) {
  const auto write_all = []<endian Order>(binary_writer<Order> out) {
    out.write(true);
    out.write('a');
    out.write(std::int8_t{-2});
    out.write(std::uint16_t{0x0102});
    out.write(std::int32_t{-2});
    out.write(std::uint64_t{0x0102030405060708});
    out.write(u'\u20ac');
    out.write(color::red);
    out.write(std::byte{7});
    out.write(1.0F);
    out.write(-2.0);
  };
  const auto read_all = []<endian Order>(binary_reader<Order> in) {
    EXPECT_TRUE(in.template read<bool>());
    EXPECT_EQ(in.template read<char>(), 'a');
    EXPECT_EQ(in.template read<std::int8_t>(), -2);
    EXPECT_EQ(in.template read<std::uint16_t>(), 0x0102);
    EXPECT_EQ(in.template read<std::int32_t>(), -2);
    EXPECT_EQ(in.template read<std::uint64_t>(), 0x0102030405060708U);
    EXPECT_EQ(in.template read<char16_t>(), u'\u20ac');
    EXPECT_EQ(in.template read<color>(), color::red);
    EXPECT_EQ(in.template read<std::byte>(), std::byte{7});
    EXPECT_EQ(in.template read<float>(), 1.0F);
    EXPECT_EQ(in.template read<double>(), -2.0);
    EXPECT_EQ(in.base().peek(), reader::end_of_file);
  };
  const auto big = bytes({1,    'a',  0xFE, 1, 2, 0xFF, 0xFF, 0xFF, 0xFE, 1,    2, 3, 4, 5, 6, 7, 8,
                          0x20, 0xAC, 1,    2, 7, 0x3F, 0x80, 0,    0,    0xC0, 0, 0, 0, 0, 0, 0, 0});
  const auto little = bytes({1,    'a',  0xFE, 2, 1, 0xFE, 0xFF, 0xFF, 0xFF, 8, 7, 6, 5, 4, 3, 2, 1,
                             0xAC, 0x20, 2,    1, 7, 0,    0,    0x80, 0x3F, 0, 0, 0, 0, 0, 0, 0, 0xC0});
  EXPECT_EQ(written_by([&](writer& out) { write_all(binary_writer<endian::big>{out}); }), big);
  EXPECT_EQ(written_by([&](writer& out) { write_all(binary_writer<endian::little>{out}); }), little);
  auto from_big = reader_of(big);
  read_all(binary_reader<endian::big>{from_big});
  auto from_little = reader_of(little);
  read_all(binary_reader<endian::little>{from_little});
}

TEST_F(endian_test, every_byte_except_0_is_true) {
  auto in = reader_of(bytes({2, 0, 255, 1, 0}));
  EXPECT_TRUE((read<endian::little, bool>(in)));
  std::array<bool, 4> flags{};
  read_array<endian::big>(in, flags);
  EXPECT_THAT(flags, testing::ElementsAre(false, true, true, false));
}

TEST_F(endian_test, every_instruction_set_reverses_bytes_alike) {
  const std::string from = test::bytes_from(0, 400);
  for (int by = 0; by <= static_cast<int>(detail::widest_shuffle()); ++by) {
    for (const std::size_t width : {2U, 4U, 8U}) {
      for (std::size_t length = 0; length <= 300; length += width) {
        auto expected = from.substr(length % 7, length);
        for (std::size_t at = 0; at < length; at += width) std::reverse(&expected[at], &expected[at] + width);
        std::vector<std::byte> into(length + 1, std::byte{'!'});
        detail::copy_turned(into.data(), std::as_bytes(std::span{from}).subspan(length % 7, length), width,
                            static_cast<detail::shuffle>(by));
        EXPECT_EQ(test::text_of(into), expected + '!') << by << ", " << width << ", " << length;
      }
    }
  }
}

// Writes arrays after different numbers of bytes, so that values cross the ends of blocks in every way.
template <endian Order, typename T>
void arrays_come_back(const std::filesystem::path& path) {
  std::vector<T> values(9000);
  std::iota(values.begin(), values.end(), static_cast<T>(0x0102030405060708));
  for (unsigned before = 0; before <= sizeof(T); ++before) {
    std::string expected(before, 'x');
    {
      writer out{path, {.method = "buffered", .block = 4096}};
      out.write(expected);
      write_array<Order>(out, values);
      write_array<Order>(out, std::span<const T>{});
      out.close();
    }
    for (T each : values) {
      std::array<std::byte, sizeof(T)> one;
      store<Order>(each, one);
      EXPECT_EQ((load<Order, T>(one)), each);
      expected += test::text_of(one);
    }
    ASSERT_EQ(test::content_of(path), expected);
    reader in{path, {.method = "buffered", .block = 4096}};
    in.skip(before);
    std::vector<T> read_back(values.size());
    read_array<Order>(in, read_back);
    EXPECT_EQ(read_back, values);
    EXPECT_EQ(in.get(), reader::end_of_file);
  }
}

TEST_F(endian_test, arrays_are_read_back_in_both_orders) {
  arrays_come_back<endian::big, std::uint8_t>(path_);
  arrays_come_back<endian::big, std::int16_t>(path_);
  arrays_come_back<endian::little, std::uint32_t>(path_);
  arrays_come_back<endian::big, std::uint32_t>(path_);
  arrays_come_back<endian::big, double>(path_);
}

TEST_F(endian_test, varints_have_the_bytes_of_leb128) {
  // The examples of DWARF 4 (7.6) and the ends of the ranges.
  const auto expect = [&](auto value, std::initializer_list<unsigned> expected) {
    EXPECT_EQ(written_by([&](writer& out) { write_varint(out, value); }), bytes(expected)) << +value;
    auto in = reader_of(bytes(expected));
    EXPECT_EQ(read_varint<decltype(value)>(in), value);
  };
  expect(2U, {2});
  expect(127U, {127});
  expect(128U, {0x80, 1});
  expect(129U, {0x81, 1});
  expect(12857U, {0xB9, 0x64});
  expect(0U, {0});
  expect(2, {2});
  expect(-2, {0x7E});
  expect(127, {0xFF, 0});
  expect(-127, {0x81, 0x7F});
  expect(128, {0x80, 1});
  expect(-128, {0x80, 0x7F});
  expect(129, {0x81, 1});
  expect(-129, {0xFF, 0x7E});
  expect(std::numeric_limits<std::uint8_t>::max(), {0xFF, 1});
  expect(std::numeric_limits<std::int8_t>::min(), {0x80, 0x7F});
  expect(std::numeric_limits<std::uint32_t>::max(), {0xFF, 0xFF, 0xFF, 0xFF, 0x0F});
  expect(std::numeric_limits<std::int32_t>::min(), {0x80, 0x80, 0x80, 0x80, 0x78});
  expect(std::numeric_limits<std::uint64_t>::max(), {0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 1});
  expect(std::numeric_limits<std::int64_t>::max(), {0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0});
  expect(std::numeric_limits<std::int64_t>::min(), {0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x7F});
}

enum class flag : bool { off, on };
TEST_F(endian_test, an_enumeration_over_bool_is_true_for_every_byte_but_zero) {
  auto in = reader_of(bytes({2, 0, 0x80, 1, 0}));
  EXPECT_EQ((read<endian::little, flag>(in)), flag::on);
  EXPECT_EQ((read<endian::big, flag>(in)), flag::off);
  std::array<flag, 3> flags{};
  read_array<endian::big>(in, flags);
  EXPECT_EQ(flags, (std::array{flag::on, flag::on, flag::off}));
}

TEST_F(endian_test, varints_may_be_longer_than_necessary_but_must_fit_their_type) {
  const auto expect_too_large = [&]<typename T>(T, std::initializer_list<unsigned> content) {
    expect_rejected("x" + bytes(content), 1, std::errc::bad_message, [](reader& in) {
      in.skip(1);
      static_cast<void>(read_varint<T>(in));
    });
  };
  auto in = reader_of(bytes({0x9F, 0, 0xFE, 0xFF, 0x7F}));
  EXPECT_EQ(read_varint<std::uint32_t>(in), 0x1FU);
  EXPECT_EQ(read_varint<std::int32_t>(in), -2);
  auto longer =
      reader_of(bytes({0x81, 0x80, 0, 0xFF, 0xFF, 0x7F, 0x81, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0}));
  EXPECT_EQ(read_varint<std::uint8_t>(longer), 1U);
  EXPECT_EQ(read_varint<std::int8_t>(longer), -1);
  EXPECT_EQ(read_varint<std::uint32_t>(longer), 1U);
  EXPECT_EQ(longer.peek(), reader::end_of_file);
  // The tests of .NET's BinaryReader also reject these.
  expect_too_large(std::uint32_t{}, {0x80, 0x80, 0x80, 0x80, 0x10});
  expect_too_large(std::uint32_t{}, {0x80, 0x80, 0x80, 0x80, 0x80});
  expect_too_large(std::uint64_t{}, {0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 2});
  expect_too_large(std::uint64_t{}, {0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80});
  expect_too_large(std::uint8_t{}, {0x80, 2});
  expect_too_large(std::uint8_t{}, {0x81, 0x80, 4});
  expect_too_large(std::int8_t{}, {0xFF, 0xFF, 0});
  expect_too_large(std::uint8_t{}, {0x81, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0});
  expect_too_large(std::int8_t{}, {0x80, 1});
  expect_too_large(std::int8_t{}, {0xFF, 0x7E});
  expect_too_large(std::int16_t{}, {0x80, 0x80, 2});
  expect_too_large(std::int64_t{}, {0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 1});
}

RC_GTEST_FIXTURE_PROP(endian_test, varints_and_strings_are_read_back_across_blocks, ()) {
  const auto some = *rc::gen::container<std::vector<std::int64_t>>(rc::gen::arbitrary<std::int64_t>());
  const auto text = *rc::gen::arbitrary<std::string>();
  const auto content = written_by([&](writer& out) {
    out.write(std::string(4090, 'x'));
    for (const auto each : some) {
      write_varint(out, each);
      write_varint(out, static_cast<std::uint64_t>(each));
      write_varint(out, static_cast<std::int16_t>(each));
      write_string(out, text);
    }
  });
  auto in = reader_of(content);
  in.skip(4090);
  for (const auto each : some) {
    RC_ASSERT(read_varint<std::int64_t>(in) == each);
    RC_ASSERT(read_varint<std::uint64_t>(in) == static_cast<std::uint64_t>(each));
    RC_ASSERT(read_varint<std::int32_t>(in) == static_cast<std::int16_t>(each));
    RC_ASSERT(view_string(in) == text);
  }
  RC_ASSERT(in.peek() == reader::end_of_file);
}

// The bytes that this program of "Head First C#" (4th edition, chapter 10) writes with BinaryWriter:
//   writer.Write(48769414); writer.Write("Hello!"); writer.Write(new byte[] { 47, 129, 0, 116 });
//   writer.Write(491.695F); writer.Write('E');
TEST_F(endian_test, files_are_compatible_with_dotnet) {
  const auto content = bytes({0x86, 0x29, 0xe8, 0x02, 0x06, 0x48, 0x65, 0x6c, 0x6c, 0x6f,
                              0x21, 0x2f, 0x81, 0x00, 0x74, 0xf6, 0xd8, 0xf5, 0x43, 0x45});
  const std::array<std::uint8_t, 4> some_bytes{47, 129, 0, 116};
  EXPECT_EQ(written_by([&](writer& file) {
              const binary_writer<endian::little> out{file};
              out.write(std::int32_t{48769414});
              out.write_string("Hello!");
              out.write_array(some_bytes);
              out.write(491.695F);
              out.write('E');
            }),
            content);
  auto file = reader_of(content);
  const binary_reader<endian::little> in{file};
  EXPECT_EQ(in.read<std::int32_t>(), 48769414);
  EXPECT_EQ(in.read_string(), "Hello!");
  std::array<std::uint8_t, 4> read_back{};
  in.read_array(read_back);
  EXPECT_EQ(read_back, some_bytes);
  EXPECT_EQ(in.read<float>(), 491.695F);
  EXPECT_EQ(in.read<char>(), 'E');
}

// The length is in bytes, not characters, and has seven bits per byte.
TEST_F(endian_test, strings_store_their_length_like_dotnet) {
  const auto expect = [&](const std::string& text, std::initializer_list<unsigned> length) {
    const auto content = bytes(length) + text;
    EXPECT_EQ(written_by([&](writer& out) { write_string(out, text); }), content);
    auto in = reader_of(content);
    EXPECT_EQ(read_string(in), text);
  };
  expect("", {0});
  expect("\u00FF\u20AC\U0001F603", {9});
  expect(std::string(127, 'x'), {0x7F});
  expect(std::string(128, 'x'), {0x80, 0x01});
  expect(std::string(16'384, 'x'), {0x80, 0x80, 0x01});
}

TEST_F(endian_test, a_file_cut_off_anywhere_is_an_error_at_the_value) {
  std::vector<std::uint64_t> starts;  // of the values that are reported as a whole
  const auto content = written_by([&](writer& file) {
    const binary_writer<endian::big> out{file};
    const auto begin = [&] { starts.push_back(file.tell()); };
    const auto write = [&](auto value) { begin(), out.write(value); };
    write(std::uint8_t{1});
    write(std::uint16_t{1});
    write(std::uint32_t{1});
    write(1.0);
    begin(), out.write_varint(70'000U);
    begin(), out.write_varint(-70'000);
    for (int i = 0; i < 3; ++i) write(std::uint32_t{7});
    for (int i = 0; i < 2; ++i) begin(), freshet::write<endian::little>(file, std::uint16_t{8});
    begin(), out.write_varint(200U);
    file.write(std::string(200, 'x'));
  });
  const auto parse = [](reader& file) {
    const binary_reader<endian::big> in{file};
    EXPECT_EQ(in.read<std::uint8_t>(), 1);
    EXPECT_EQ(in.read<std::uint16_t>(), 1);
    EXPECT_EQ(in.read<std::uint32_t>(), 1U);
    EXPECT_EQ(in.read<double>(), 1.0);
    EXPECT_EQ(in.read_varint<unsigned>(), 70'000U);
    EXPECT_EQ(in.read_varint<int>(), -70'000);
    std::array<std::uint32_t, 3> numbers{};
    in.read_array(numbers);
    std::array<std::uint16_t, 2> others{};
    read_array<endian::little>(file, others);
    EXPECT_EQ(in.read_string(), std::string(200, 'x'));
  };
  auto whole = reader_of(content);
  parse(whole);
  for (std::size_t cut = 0; cut < content.size(); ++cut) {
    SCOPED_TRACE(cut);
    const auto missing = *std::prev(std::ranges::upper_bound(starts, cut));
    expect_rejected(content.substr(0, cut), missing, std::errc::bad_message, parse);
  }
}

TEST_F(endian_test, a_wrong_length_uses_no_memory) {
  const auto parse = [](reader& in) { static_cast<void>(read_string(in)); };
  largest_request = 0;
  expect_rejected(bytes({0xFF, 0xFF, 0xFF, 0xFF, 0x07}) + "abc", 0, std::errc::bad_message, parse);
  // This is -1 in .NET.
  expect_rejected(bytes({0xFF, 0xFF, 0xFF, 0xFF, 0x0F}) + "abc", 0, std::errc::message_size, parse);
  expect_rejected(bytes({0xFF, 0xFF, 0xFF, 0xFF, 0x1F}) + "abc", 0, std::errc::bad_message, parse);
  EXPECT_LT(largest_request, std::size_t{1} << 20);
}

TEST_F(endian_test, a_string_longer_than_the_limit_is_an_error) {
  auto in = reader_of("\3abc");
  EXPECT_EQ(read_string(in, 3), "abc");
  expect_rejected("\4abcd", 0, std::errc::message_size, [](reader& file) { static_cast<void>(read_string(file, 3)); });
}

TEST_F(endian_test, a_string_too_long_for_dotnet_is_not_written) {
  const std::string_view fake{"x", longest_string + 1};
  const auto content = written_by([&](writer& out) {
    out.put('a');
    std::error_code failure;
    write_string(out, fake, failure);
    EXPECT_EQ(failure, std::errc::message_size);
    EXPECT_FALSE(out.last_error());
  });
  EXPECT_EQ(content, "a");
}

TEST_F(endian_test, errors_are_also_returned_as_codes) {
  auto in = reader_of(bytes({1, 2, 0x80}));
  std::error_code failure = std::make_error_code(std::errc::io_error);
  EXPECT_EQ((read<endian::big, std::uint16_t>(in, failure)), 0x0102);
  EXPECT_FALSE(failure);
  EXPECT_EQ(read_varint<unsigned>(in, failure), 0U);
  EXPECT_EQ(failure, std::errc::bad_message);
  EXPECT_EQ((read<endian::big, std::uint16_t>(in, failure)), 0);
  EXPECT_EQ(failure, std::errc::bad_message);
  std::array<std::uint16_t, 3> numbers{};
  read_array<endian::big>(in, numbers, failure);
  EXPECT_EQ(failure, std::errc::bad_message);
  EXPECT_EQ(view_string(in, longest_string, failure), "");
  EXPECT_EQ(failure, std::errc::bad_message);
  EXPECT_EQ(read_string(in, longest_string, failure), "");
  EXPECT_EQ(failure, std::errc::bad_message);

  writer closed;
  write<endian::big>(closed, 1, failure);
  EXPECT_EQ(failure, std::errc::bad_file_descriptor);
  write_array<endian::big>(closed, numbers, failure);
  EXPECT_EQ(failure, std::errc::bad_file_descriptor);
  write_varint(closed, 1, failure);
  EXPECT_EQ(failure, std::errc::bad_file_descriptor);
}

}  // namespace
}  // namespace freshet
