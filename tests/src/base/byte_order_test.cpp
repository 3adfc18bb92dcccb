// Byte orders that are chosen while the program runs, and numbers on streams.
#include <fstream>

#include <freshet/endian.hpp>
#include <freshet/stream.hpp>

#include <gmock/gmock.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <array>
#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tests/support/reading.hpp"
#include "tests/support/temporary_directory.hpp"

namespace freshet {
namespace {

using std::endian;
using namespace std::string_view_literals;

class byte_order : public testing::Test {
 protected:
  test::temporary_directory directory_;
  std::filesystem::path path_ = directory_ / "file";
};

// The beginning of a TIFF: its byte order, 42, and the offset of the first directory, which is known at the end only.
TEST_F(byte_order, is_the_one_that_a_file_names) {
  for (const auto& [order, expected] :
       {std::pair{endian::little, "II\x2A\0\x0A\0\0\0\1\2"sv}, std::pair{endian::big, "MM\0\x2A\0\0\0\x0A\1\2"sv}}) {
    writer file{path_, {.method = "buffered"}};
    const binary_writer out{file, order};
    EXPECT_EQ(out.order(), order);
    file.write(order == endian::little ? "II" : "MM");
    out.write(std::uint16_t{42});
    out.write(std::uint32_t{10});
    out.write_array(std::array<std::uint8_t, 2>{1, 2});
    file.close();
    EXPECT_EQ(test::content_of(path_), expected);

    reader again{path_};
    const endian named = again.get() == 'I' ? endian::little : endian::big;
    again.skip(1);
    const binary_reader in{again, named};
    EXPECT_EQ(in.order(), order);
    EXPECT_EQ(in.read<std::uint16_t>(), 42);
    EXPECT_EQ(in.read<std::uint32_t>(), 10U);
  }
}

// What is written with an order as argument is what is written with the same order as template argument.
template <endian Order, typename T>
void expect_as_with_a_constant(const std::filesystem::path& path, std::size_t before, const std::vector<T>& values) {
  const auto content = [&](auto write) {
    writer out{path, {.method = "buffered", .block = 4096}};
    out.write(std::string(before, 'x'));
    write(out);
    out.close();
    return test::content_of(path);
  };
  const std::string expected = content([&](writer& file) {
    const binary_writer<Order> out{file};
    out.write_array(values);
    for (const T each : values) out.write(each);
    out.write_varint(300U);
    out.write_string("text");
  });
  RC_ASSERT(expected == content([&](writer& file) {
              const binary_writer out{file, Order};
              out.write_array(values);
              for (const T each : values) out.write(each);
              out.write_varint(300U);
              out.write_string("text");
            }));

  reader file{path, {.method = "buffered", .block = 4096}};
  file.skip(before);
  const binary_reader in{file, Order};
  std::vector<T> read_back(values.size());
  in.read_array(read_back);
  RC_ASSERT(read_back == values);
  for (const T each : values) RC_ASSERT(in.template read<T>() == each);
  RC_ASSERT(in.template read_varint<unsigned>() == 300U);
  RC_ASSERT(in.read_string() == "text");
  RC_ASSERT(file.get() == reader::end_of_file);
}

RC_GTEST_FIXTURE_PROP(byte_order, as_an_argument_makes_the_same_file_as_a_constant, ()) {
  const auto before = *rc::gen::inRange<std::size_t>(0, 4200);
  const auto numbers = *rc::gen::container<std::vector<std::uint32_t>>(rc::gen::arbitrary<std::uint32_t>());
  const auto reals =
      *rc::gen::container<std::vector<double>>(rc::gen::map<std::int32_t>([](std::int32_t n) { return n / 8.0; }));
  expect_as_with_a_constant<endian::big>(path_, before, numbers);
  expect_as_with_a_constant<endian::little>(path_, before, numbers);
  expect_as_with_a_constant<endian::big>(path_, before, reals);
}

TEST_F(byte_order, of_a_number_that_is_cut_off_changes_no_error) {
  std::ofstream{path_, std::ios::binary} << "abcde";
  reader file{path_};
  const binary_reader in{file, endian::big};
  EXPECT_EQ(in.read<std::uint32_t>(), 0x61626364U);
  try {
    static_cast<void>(in.read<std::uint16_t>());
    ADD_FAILURE() << "accepted";
  } catch (const error& failure) {
    EXPECT_EQ(failure.code(), std::errc::bad_message);
    EXPECT_EQ(failure.offset(), 4U);
  }
}

// Without an order there is none to write in, and with a constant there is no second one.
static_assert(!std::constructible_from<binary_writer<>, writer&>);
static_assert(!std::constructible_from<binary_reader<>, reader&>);
static_assert(!std::constructible_from<binary_writer<endian::big>, writer&, endian>);
static_assert(!std::constructible_from<binary_reader<endian::big>, reader&, endian>);
static_assert(sizeof(binary_writer<endian::big>) == sizeof(writer*));
static_assert(sizeof(binary_reader<endian::big>) == sizeof(reader*));

// A chunk whose length stands before it and is known only behind it.
template <typename Stream>
class numbers_on_streams : public byte_order {};
struct freshets {
  using output = freshet::ofstream;
  using both = freshet::fstream;
};
struct standard {
  using output = std::ofstream;
  using both = std::fstream;
};
using kinds_of_stream = testing::Types<freshets, standard>;
TYPED_TEST_SUITE(numbers_on_streams, kinds_of_stream);

TYPED_TEST(numbers_on_streams, patch_an_earlier_length) {
  typename TypeParam::output out{this->path_};
  write<endian::big>(out, std::uint32_t{0});
  out << "a chunk";
  const auto end = out.tellp();
  out.seekp(0);
  write(out, static_cast<std::uint32_t>(end) - 4, endian::big);
  out.seekp(end);
  write<endian::little>(out, std::int16_t{-2});
  out.close();
  ASSERT_TRUE(out);
  EXPECT_EQ(test::content_of(this->path_), "\0\0\0\7a chunk\xFE\xFF"sv);
}

TYPED_TEST(numbers_on_streams, are_read_and_changed_in_place) {
  std::ofstream{this->path_, std::ios::binary} << "\0\1\0\2\0\3"sv;
  typename TypeParam::both file{this->path_};
  file.seekg(2);
  const auto second = read<endian::big, std::uint16_t>(file);
  EXPECT_EQ(second, 2);
  file.seekp(2);
  write<endian::big>(file, static_cast<std::uint16_t>(second + 5));
  file.seekg(4);
  EXPECT_EQ(read<std::uint16_t>(file, endian::little), 0x300);
  EXPECT_EQ((read<endian::big, std::uint16_t>(file)), 0) << "behind the end";
  EXPECT_TRUE(file.fail() && file.eof());
  file.clear();
  file.close();
  EXPECT_EQ(test::content_of(this->path_), "\0\1\0\7\0\3"sv);
}

TYPED_TEST(numbers_on_streams, that_cannot_be_written_set_the_streams_state) {
  typename TypeParam::output out{"/dev/full"};
  write<endian::big>(out, 1.5);
  out.close();
  EXPECT_TRUE(out.fail());
}

}  // namespace
}  // namespace freshet
