#include <freshet/lines.hpp>

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>
#include <unistd.h>

#include <array>
#include <fstream>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/fault_injection.hpp"
#include "tests/support/reading.hpp"
#include "tests/support/temporary_directory.hpp"

namespace freshet {
namespace {

using text_lines = std::vector<std::string>;

text_lines split(std::string_view text) {
  text_lines lines_read;
  while (!text.empty()) {
    const auto end = text.find('\n');
    auto line = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    if (end != std::string_view::npos && line.ends_with('\r')) line.remove_suffix(1);
    lines_read.emplace_back(line);
  }
  return lines_read;
}

text_lines all(auto&& range) {
  text_lines lines_read;
  for (const std::string_view line : range) lines_read.emplace_back(line);
  return lines_read;
}

class lines_test : public testing::Test {
 protected:
  [[nodiscard]] reader reader_of(std::string_view content, std::string_view method = "buffered",
                                 std::size_t block = 4096) const {
    std::ofstream{path_, std::ios::binary} << content;
    return reader{path_, {.method = method, .block = block}};
  }
  void expect_too_long(reader& in, const line_options& options, std::uint64_t offset) const {
    try {
      all(lines(in, options));
      ADD_FAILURE() << "accepted";
    } catch (const error& failure) {
      EXPECT_EQ(failure.code(), std::errc::message_size);
      EXPECT_EQ(failure.offset(), offset);
      EXPECT_EQ(failure.path(), path_);
    }
    EXPECT_FALSE(in.last_error()) << "nothing is wrong with the reader";
  }

  test::temporary_directory directory_;
  std::filesystem::path path_ = directory_ / "file";
};

TEST_F(lines_test, end_with_a_line_feed_and_an_optional_carriage_return) {
  using namespace std::string_literals;
  const auto expect = [&](const std::string& text, const text_lines& expected) {
    auto in = reader_of(text);
    EXPECT_EQ(all(lines(in)), expected) << testing::PrintToString(text);
    EXPECT_EQ(in.tell(), text.size());
  };
  expect("", {});
  expect("\n", {""});
  expect("\r\n", {""});
  expect("\n\r\n\n", {"", "", ""});
  expect("a", {"a"});
  expect("a\n", {"a"});
  expect("a\r\nb", {"a", "b"});
  expect("a\r\r\n", {"a\r"});
  expect("a\rb\n\r", {"a\rb", "\r"});
  expect("a\r", {"a\r"});
  expect("a\0b\n\0\n"s, {"a\0b"s, "\0"s});
}

TEST_F(lines_test, may_end_at_any_distance_from_the_end_of_a_block) {
  for (std::size_t length = 4090; length < 4100; ++length) {
    for (const std::string_view end : {"\n", "\r\n"}) {
      auto text = std::string(length, 'x').append(end);
      for (const std::string_view rest : {"", "y", "y\n"}) {
        text += rest;
        auto in = reader_of(text);
        EXPECT_EQ(all(lines(in)), split(text)) << length;
      }
    }
  }
}

RC_GTEST_FIXTURE_PROP(lines_test, equal_those_of_a_simple_split, ()) {
  const auto part = rc::gen::weightedOneOf<std::string>(
      {{3, rc::gen::container<std::string>(rc::gen::element('a', '\0', '\r', '\xff'))},
       {2, rc::gen::just(std::string{"\n"})},
       {2, rc::gen::just(std::string{"\r\n"})},
       {2, rc::gen::map(rc::gen::inRange<std::size_t>(0, 9000), [](auto n) { return std::string(n, 'x'); })}});
  std::string text;
  for (const auto& each : *rc::gen::container<std::vector<std::string>>(part)) text += each;
  const auto method = *rc::gen::elementOf(test::reading_methods);
  RC_PRE(test::why_not(method, directory_.path()).empty());
  RC_ASSERT(all(lines(reader_of(text, method))) == split(text));
}

TEST_F(lines_test, of_a_file_need_no_reader) {
  std::ofstream{path_} << "one\ntwo";
  EXPECT_EQ(all(lines{path_}), (text_lines{"one", "two"}));
  EXPECT_EQ(all(lines{path_.string()}), (text_lines{"one", "two"}));
  EXPECT_EQ(all(lines{path_.c_str()}), (text_lines{"one", "two"}));
  EXPECT_THROW(lines{"missing"}, error);
}

TEST_F(lines_test, are_not_copied) {
  auto in = reader_of("one\ntwo\n" + std::string(5000, 'x') + "\nthree");
  const auto* next = reinterpret_cast<const char*>(in.available().data());
  for (const auto line : lines(in)) {
    if (line.size() == 5000) break;
    EXPECT_EQ(line.data(), next);
    next += line.size() + 1;
  }
  EXPECT_EQ(all(lines(in)), text_lines{"three"});
}

TEST_F(lines_test, leave_the_reader_directly_after_the_last_line_read) {
  auto in = reader_of("one\ntwo\r\nthree\nfour");
  auto range = lines(in);
  EXPECT_EQ(in.tell(), 0U) << "nothing is taken before it is asked for";
  for (const auto line : range) {
    EXPECT_EQ(line, "one");
    EXPECT_EQ(in.tell(), 4U);
    break;
  }
  auto next = range.begin();
  EXPECT_EQ(in.tell(), 4U);
  EXPECT_EQ(*next, "two");
  EXPECT_EQ(*next, "two");
  EXPECT_EQ(in.tell(), 9U);
  ++next;
  EXPECT_EQ(in.tell(), 9U);
  EXPECT_EQ(in.get(), 't') << "the reader may be used between lines";
  EXPECT_EQ(*next, "hree");
  EXPECT_EQ(in.tell(), 15U);
  ++next;
  ++next;
  EXPECT_EQ(in.tell(), 19U) << "moved past without a look";
  EXPECT_TRUE(next == range.end());
  EXPECT_TRUE(range.begin() == range.end());
}

TEST_F(lines_test, can_own_their_reader) {
  auto in = reader_of("one\ntwo\n");
  text_lines lines_read;
  for (const auto line : lines(std::move(in))) lines_read.emplace_back(line);
  EXPECT_EQ(lines_read, (text_lines{"one", "two"}));
  EXPECT_EQ(all(lines(reader{path_})), lines_read);
}

TEST_F(lines_test, can_be_read_from_a_pipe) {
  std::array<int, 2> ends{};
  ASSERT_EQ(::pipe(ends.data()), 0);
  ASSERT_EQ(::write(ends[1], "one\ntwo", 7), 7);
  ::close(ends[1]);
  EXPECT_EQ(all(lines(reader::on_descriptor(ends[0], ownership::take))), (text_lines{"one", "two"}));
}

TEST_F(lines_test, may_be_longer_than_a_block_but_not_than_the_limit) {
  for (const std::size_t longest : {1U, 100U, 4095U, 4096U, 4097U, 20'000U}) {
    SCOPED_TRACE(longest);
    const auto line = std::string(longest, 'x');
    for (const std::string_view end : {"", "\n", "\ny"}) {
      auto in = reader_of("a\n" + line + std::string{end});
      EXPECT_EQ(all(lines(in, {.longest = longest}))[1], line);
      in = reader_of("a\nx" + line + std::string{end});
      expect_too_long(in, {.longest = longest}, 2);
    }
    auto in = reader_of("a\nx" + line + std::string(9000, 'y') + "\n");
    expect_too_long(in, {.longest = longest}, 2);
  }
  auto in = reader_of("\n\nx");
  EXPECT_EQ(all(lines(in, {.longest = std::numeric_limits<std::size_t>::max()})), (text_lines{"", "", "x"}));
  in = reader_of("\nx");
  expect_too_long(in, {.longest = 0}, 1);
}

TEST_F(lines_test, end_after_an_error) {
  auto in = reader_of(std::string(3000, 'x') + "\n" + std::string(3000, 'y') + "\n");
  auto range = lines(in);
  auto next = range.begin();
  EXPECT_EQ((*next).size(), 3000U);
  test::fault_injection faults;
  faults.fail_always(detail::os::call::read_at, std::errc::io_error);
  ++next;
  for (int i = 0; i < 2; ++i) {
    try {
      static_cast<void>(*next);
      ADD_FAILURE() << "found a line";
    } catch (const error& failure) {
      EXPECT_EQ(failure.code(), std::errc::io_error);
      EXPECT_EQ(failure.offset(), 4096U);
    }
  }
}

// The function that lines() uses.
TEST_F(lines_test, view_through_ends_at_the_byte_or_at_the_limit) {
  const auto text = "ab;" + std::string(5000, 'x') + ";y";
  auto in = reader_of(text);
  const auto next = [&](std::size_t most) { return test::text_of(in.view_through(std::byte{';'}, most)); };
  EXPECT_EQ(next(0), "");
  EXPECT_EQ(next(2), "ab");
  EXPECT_EQ(next(1), ";");
  EXPECT_EQ(next(10), std::string(10, 'x'));
  EXPECT_EQ(next(4990), std::string(4990, 'x'));
  EXPECT_EQ(next(100), ";");
  EXPECT_EQ(in.tell(), text.size() - 1);
  EXPECT_EQ(next(100), "y");
  EXPECT_EQ(next(100), "");
  in.seek(3);
  EXPECT_EQ(next(5001), std::string(5000, 'x') + ";");
  std::error_code failure;
  EXPECT_TRUE(reader{}.view_through(std::byte{';'}, 1, failure).empty());
  EXPECT_EQ(failure, std::errc::bad_file_descriptor);
}

}  // namespace
}  // namespace freshet
