// Tests that `<<` accepts the same values, and writes the same text, with freshet::ofstream as with std::ofstream.
#include <freshet/stream.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <bitset>
#include <complex>
#include <fstream>
#include <iomanip>
#include <limits>
#include <locale>
#include <memory>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "tests/support/temporary_directory.hpp"
#include "tests/support/writing.hpp"

namespace {

template <typename Stream, typename T>
concept takes = requires(Stream&& stream, T&& value) {
  std::forward<Stream>(stream) << std::forward<T>(value);
};

template <typename T>
constexpr bool taken_alike = takes<freshet::ofstream&, T> == takes<std::ofstream&, T>&& takes<freshet::ofstream, T> ==
                             takes<std::ofstream, T>&& takes<freshet::fstream&, T> ==
                             takes<std::fstream&, T>&& takes<freshet::fstream, T> == takes<std::fstream, T>;

template <typename... Ts>
constexpr bool all_taken_alike = ((taken_alike<Ts> && taken_alike<Ts&> && taken_alike<const Ts> &&
                                   taken_alike<const Ts&>)&&...);

__extension__ using wide_int = __int128;
enum plain_enum { plain_value = 7 };
enum char_enum : char { char_value = 'c' };
enum class scoped_enum { value };

struct converts_to_string {
  operator std::string() const { return "string"; }
};
struct converts_to_view {
  operator std::string_view() const { return "view"; }
};
struct converts_to_both {
  operator std::string() const { return "string"; }
  operator std::string_view() const { return "view"; }
};
struct converts_to_int {
  operator int() const { return 5; }
};
struct converts_to_text {
  operator const char*() const { return "text"; }
};
struct converts_to_int_and_text {
  operator int() const { return 5; }
  operator const char*() const { return "text"; }
};
struct converts_explicitly {
  explicit operator int() const { return 5; }
};
struct derived_string : std::string {
  using std::string::string;
};
struct derived_view : std::string_view {
  using std::string_view::string_view;
};
struct unknown {};
struct with_its_own {};
std::ostream& operator<<(std::ostream& out, with_its_own) { return out << "its own"; }
struct for_any_stream {};
template <typename Stream>
Stream& operator<<(Stream& out, const for_any_stream&) {
  out << "any";
  return out;
}
struct converts_and_has_its_own {
  operator int() const { return 5; }
};
std::ostream& operator<<(std::ostream& out, const converts_and_has_its_own&) { return out << "its own"; }

static_assert(all_taken_alike<bool, char, signed char, unsigned char, short, unsigned short, int, unsigned, long,
                              unsigned long, long long, unsigned long long, float, double, long double>);
static_assert(all_taken_alike<wchar_t, char8_t, char16_t, char32_t, std::byte, std::nullptr_t, plain_enum, char_enum,
                              scoped_enum, wide_int>);
static_assert(all_taken_alike<const char*, char*, const signed char*, const unsigned char*, const wchar_t*,
                              const char8_t*, const char16_t*, const char32_t*, void*, const void*, volatile int*,
                              const volatile void*, int*, int (*)(int), int unknown::*, int (unknown::*)()>);
static_assert(all_taken_alike<char[4], int[3], unsigned char[2], wchar_t[2], char8_t[2]>);
static_assert(all_taken_alike<std::string, std::string_view, std::wstring, std::u8string, std::wstring_view,
                              derived_string, derived_view, std::filesystem::path>);
static_assert(all_taken_alike<converts_to_string, converts_to_view, converts_to_both, converts_to_int, converts_to_text,
                              converts_to_int_and_text, converts_explicitly, unknown, with_its_own, for_any_stream,
                              converts_and_has_its_own>);
static_assert(
    all_taken_alike<std::error_code, std::thread::id, std::complex<double>, std::bitset<4>,
                    std::vector<bool>::reference, std::optional<int>, std::vector<int>, std::shared_ptr<int>>);
static_assert(
    all_taken_alike<std::streambuf*, decltype(std::setw(1)), decltype(std::setfill('x')), decltype(std::quoted("x")),
                    std::ostream& (*)(std::ostream&), std::ios_base& (*)(std::ios_base&), std::ostream&>);
static_assert(taken_alike<std::unique_ptr<int>&>);

// Static members without a definition and bit-fields can be read, but references cannot bind to them.
struct only_declared {
  static const int number = 42;
  int bits : 3;
};

class expressions : public testing::Test {
 protected:
  // Calls `write` for both streams and compares the files and the streams' states.
  template <typename Write>
  void expect_same(Write write) {
    std::ofstream expected{directory_ / "std"};
    freshet::ofstream tested{directory_ / "freshet"};
    write(expected);
    write(tested);
    EXPECT_EQ(tested.rdstate(), expected.rdstate());
    EXPECT_EQ(tested.width(), expected.width());
    expected.close();
    tested.close();
    EXPECT_EQ(freshet::test::content_of(directory_ / "freshet"), freshet::test::content_of(directory_ / "std"));
  }

  freshet::test::temporary_directory directory_;
};

TEST_F(expressions, of_all_types_write_the_same) {
  expect_same([](auto& out) {
    only_declared bits{.bits = 2};
    char array[8] = "array";
    const unsigned char bytes[] = "bytes";
    std::string text = "string";
    std::atomic<int> atomic{4};
    std::vector<bool> flags{true};
    out << 3u << ' ' << 'a' << ' ' << true << ' ' << -1 << ' ' << 5L << ' ' << 6ULL << ' ' << short{-2} << ' ';
    out << "literal" << array << bytes << text << std::string_view{"view"} << std::string_view{} << std::string{}
        << ' ';
    out << 1.5f << ' ' << 2.25 << ' ' << 3.125L << ' ' << only_declared::number << ' ' << bits.bits << ' ';
    out << plain_value << ' ' << char_value << ' ' << static_cast<signed char>('s') << static_cast<unsigned char>('u');
    out << converts_to_int{} << ' ' << converts_to_text{} << ' ' << with_its_own{} << ' ' << converts_and_has_its_own{};
    out << for_any_stream{};
    out << ' ' << atomic << ' ' << flags[0] << ' ' << nullptr << ' ' << std::bitset<4>{5} << ' '
        << derived_view{"derived"};
    out << static_cast<const volatile void*>(nullptr) << static_cast<void*>(nullptr) << std::filesystem::path{"path"};
    out << (+[] { return 1; }) << std::error_code{} << std::complex<double>{1, 2};
  });
}

TEST_F(expressions, with_manipulators_write_the_same) {
  expect_same([](auto& out) {
    out << std::setw(6) << 1 << std::setw(6) << "ab" << std::setw(6) << 'c' << std::setw(9) << 2.5 << std::endl;
    out << std::left << std::setfill('*') << std::setw(5) << 12 << std::right << std::setw(5) << 12 << std::internal;
    out << std::setw(5) << -12 << std::hex << 255 << std::showbase << 255 << std::uppercase << 255 << std::oct << 8;
    out << std::dec << std::showpos << 5 << 5.0 << 5u << std::noshowpos << std::boolalpha << true << std::flush;
    out << std::fixed << 1.0 / 3 << std::scientific << 1.0 / 3 << std::hexfloat << 1.5 << std::defaultfloat << 1.0 / 3;
    out << std::setprecision(0) << 12.5 << std::setprecision(20) << 0.1 << std::showpoint << 1.0 << std::noshowpoint;
    out << std::setprecision(-1) << 1.0 / 3 << std::setbase(16) << 17 << std::setbase(7) << 17 << std::ends;
    out << std::quoted("a \"b\"") << std::unitbuf << 'u' << 1 << "text" << std::nounitbuf;
  });
}

TEST_F(expressions, of_numbers_at_their_limits_write_the_same) {
  expect_same([](auto& out) {
    const auto limits_of = [&]<typename T>(T) {
      using limits = std::numeric_limits<T>;
      out << limits::min() << ' ' << limits::max() << ' ' << limits::lowest() << ' ';
    };
    limits_of(short{}), limits_of(0), limits_of(0U), limits_of(0L), limits_of(0UL), limits_of(0LL), limits_of(0ULL);
    for (const auto format : {std::ios::fmtflags{}, std::ios::fixed, std::ios::scientific}) {
      out.setf(format, std::ios::floatfield);
      limits_of(0.0F), limits_of(0.0);
      for (const double each : {0.0, -0.0, 1e-5, 1e-4, 123456.0, 999999.5, 1e6, 9.9999995, 0.5, 1.5, 2.5, 1e22, 1e300})
        out << each << ' ' << -each << ' ' << static_cast<float>(each) << ' ';
      using limits = std::numeric_limits<double>;
      out << limits::infinity() << -limits::infinity() << limits::quiet_NaN() << -limits::quiet_NaN();
      out << limits::denorm_min() << std::numeric_limits<float>::denorm_min();
    }
  });
}

TEST_F(expressions, of_null_pointers_fail_alike) {
  expect_same([](auto& out) { out << static_cast<const char*>(nullptr) << "not written"; });
}

TEST_F(expressions, on_rvalues_write_the_same) {
  std::ofstream{directory_ / "std"} << 1 << "two" << 'c' << std::string{"four"} << 5.5 << std::endl << 6;
  freshet::ofstream{directory_ / "freshet"} << 1 << "two" << 'c' << std::string{"four"} << 5.5 << std::endl << 6;
  EXPECT_EQ(freshet::test::content_of(directory_ / "freshet"), freshet::test::content_of(directory_ / "std"));
}

// A program's own stream type with its own inserters.
template <typename Base>
struct counting : Base {
  using Base::Base;
  int lines = 0;
};
template <typename Base>
counting<Base>& operator<<(counting<Base>& out, with_its_own) {
  ++out.lines;
  return out;
}

TEST_F(expressions, on_derived_streams_choose_the_same_overload) {
  const auto use = [](auto& out) {
    out << with_its_own{};
    out << 1 << 'a' << "text";
    out << with_its_own{} << with_its_own{};
    return out.lines;
  };
  counting<std::ofstream> expected{directory_ / "std"};
  counting<freshet::ofstream> tested{directory_ / "freshet"};
  EXPECT_EQ(use(tested), use(expected));
  expected.close();
  tested.close();
  EXPECT_EQ(freshet::test::content_of(directory_ / "freshet"), freshet::test::content_of(directory_ / "std"));
}

struct grouped : std::numpunct<char> {
  char do_thousands_sep() const override { return '\''; }
  char do_decimal_point() const override { return ','; }
  std::string do_grouping() const override { return "\3"; }
  std::string do_truename() const override { return "yes"; }
};

TEST_F(expressions, follow_every_change_of_the_locale) {
  const std::locale with_groups{std::locale::classic(), new grouped};
  expect_same([&](auto& out) {
    std::ostringstream other;
    other.imbue(with_groups);
    out << 1234567 << ' ' << 1234.5 << '\n';
    out.imbue(with_groups);
    out << 1234567 << ' ' << 1234.5 << std::boolalpha << true << '\n';
    out.imbue(std::locale::classic());
    out << 1234567 << ' ' << 1234.5 << '\n';
    static_cast<std::ios_base&>(out).imbue(with_groups);
    out << 1234567 << ' ' << 1234.5 << '\n';
    out.copyfmt(std::ostringstream{});
    out << 1234567 << ' ' << 1234.5 << '\n';
    out.copyfmt(other);
    out << 1234567 << ' ' << 1234.5 << '\n';
    std::ios saved{nullptr};
    saved.copyfmt(out);
    out.imbue(std::locale::classic());
    out << std::hex << 1234567 << '\n';
    out.copyfmt(saved);
    out << 1234567 << ' ' << 1234.5 << '\n';
  });
  const std::locale before = std::locale::global(with_groups);
  expect_same([](auto& out) { out << 1234567 << ' ' << 1234.5 << '\n'; });
  std::locale::global(before);
}

// A stream that another stream's format was copied to must not refer to that stream afterwards.
TEST_F(expressions, a_copied_format_outlives_the_stream) {
  const std::locale with_groups{std::locale::classic(), new grouped};
  std::ostringstream copy;
  {
    freshet::ofstream out{directory_ / "file"};
    copy.copyfmt(out);
  }
  copy.imbue(with_groups);
  copy << 1234567;
  EXPECT_EQ(copy.str(), "1'234'567");
}

}  // namespace
