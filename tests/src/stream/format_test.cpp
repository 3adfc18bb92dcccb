// Tests that freshet::print writes the result of fmt::format wherever a block ends.
#include <freshet/format.hpp>

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "tests/support/fault_injection.hpp"
#include "tests/support/temporary_directory.hpp"
#include "tests/support/writing.hpp"

struct point {
  int x, y;
};
template <>
struct fmt::formatter<point> : fmt::formatter<std::string_view> {
  template <typename Context>
  auto format(const point& value, Context& context) const {
    return fmt::format_to(context.out(), "<{}, {}>", value.x, value.y);
  }
};

namespace freshet {
namespace {

class printing : public testing::Test {
 protected:
  // Calls `print_all` for each kind of target, with small blocks, and compares the result with `expected`.
  template <typename PrintAll>
  void expect_in_all(const std::string& expected, PrintAll print_all) {
    writer to_writer{directory_ / "writer", {.block = 4096}};
    print_all(to_writer);
    EXPECT_EQ(to_writer.tell(), expected.size());
    to_writer.close();
    ofstream to_stream{directory_ / "ofstream", {.block = 4096}};
    print_all(to_stream);
    EXPECT_EQ(to_stream.tellp(), static_cast<std::streamoff>(expected.size()));
    to_stream.close();
    fstream to_both{directory_ / "fstream", std::ios::in | std::ios::out | std::ios::trunc, {.block = 4096}};
    print_all(to_both);
    to_both.close();
    for (const auto* name : {"writer", "ofstream", "fstream"}) EXPECT_EQ(test::content_of(directory_ / name), expected);
  }

  test::temporary_directory directory_;
};

TEST_F(printing, writes_what_fmt_formats) {
  const std::string text = "string";
  const char array[] = "array";
  const std::string_view view = "view";
  const std::string expected =
      "no fields\n" + fmt::format("{{}}\n") + fmt::format("{}|{}|{}|{}|{}|{}\n", 1, -2L, 3ULL, 'c', true, 1.5) +
      fmt::format("{}{}{}{}{}{}\n", "literal", text, array, view, point{3, 4}, nullptr) +
      fmt::format("{:>5}{:x}{:.3f}{:^9}|{{{}}}\n", 1, 255, 1.5, text, view) + fmt::format("{1}{0}{1}\n", 1, 2);
  expect_in_all(expected, [&](auto& out) {
    print(out, "no fields\n");
    print(out, "{{}}\n");
    print(out, "{}|{}|{}|{}|{}|{}\n", 1, -2L, 3ULL, 'c', true, 1.5);
    print(out, "{}{}{}{}{}{}\n", "literal", text, array, view, point{3, 4}, nullptr);
    print(out, "{:>5}{:x}{:.3f}{:^9}|{{{}}}\n", 1, 255, 1.5, text, view);
    print(out, "{1}{0}{1}\n", 1, 2);
  });
}

TEST_F(printing, fills_blocks_to_their_ends) {
  std::string expected;
  for (int i = 0; i < 3000; ++i)
    expected += fmt::format("{} and {}: {}\n", i, std::string(static_cast<std::size_t>(i % 50), 'x'), i * 0.37);
  expect_in_all(expected, [](auto& out) {
    for (int i = 0; i < 3000; ++i)
      print(out, "{} and {}: {}\n", i, std::string(static_cast<std::size_t>(i % 50), 'x'), i * 0.37);
  });
}

TEST_F(printing, accepts_texts_longer_than_a_block) {
  const std::string large = test::bytes_from(0, 100'000);
  expect_in_all("<" + large + ">" + large + "7", [&](auto& out) {
    print(out, "<{}>", large);
    print(out, "{:s}{}", large, 7);
  });
}

TEST_F(printing, reports_write_errors) {
  test::fault_injection fault;
  fault.fail_always(detail::os::call::write, std::errc::no_space_on_device);
  fault.fail_always(detail::os::call::write_at, std::errc::no_space_on_device);
  writer to_writer{directory_ / "writer", {.block = 4096}};
  const auto fill = [](auto& out) {
    for (int i = 0; i < 10'000; ++i) print(out, "{}\n", i);
  };
  EXPECT_THROW(fill(to_writer), error);
  ofstream to_stream{directory_ / "stream", {.block = 4096}};
  fill(to_stream);
  EXPECT_TRUE(to_stream.bad());
}

TEST_F(printing, writes_to_the_buffer_that_a_stream_was_given) {
  ofstream out{directory_ / "file"};
  std::stringbuf elsewhere;
  static_cast<std::ostream&>(out).rdbuf(&elsewhere);
  print(out, "{} {}", 1, "two");
  EXPECT_EQ(elsewhere.str(), "1 two");
}

}  // namespace
}  // namespace freshet
