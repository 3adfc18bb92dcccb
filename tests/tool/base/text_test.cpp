#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <stdexcept>
#include <string>

#include "tool/base/text.hpp"

namespace freshet::tool {
namespace {

TEST(parse_size, takes_bytes_and_powers_of_two) {
  EXPECT_EQ(parse_size("0"), 0U);
  EXPECT_EQ(parse_size("12"), 12U);
  EXPECT_EQ(parse_size("64K"), 65536U);
  EXPECT_EQ(parse_size("1m"), 1048576U);
  EXPECT_EQ(parse_size("4G"), std::uint64_t{4} << 30);
  EXPECT_EQ(parse_size("2T"), std::uint64_t{2} << 40);
}

TEST(parse_size, takes_as_much_as_a_file_can_have) {
  EXPECT_EQ(parse_size("9223372036854775807"), 0x7FFF'FFFF'FFFF'FFFFU);
  EXPECT_EQ(parse_size("8388607T"), std::uint64_t{8388607} << 40);
}

// The message for a size that is refused.
std::string complaint(const std::string& text) {
  try {
    return "taken as " + std::to_string(parse_size(text));
  } catch (const std::invalid_argument& fault) {
    return fault.what();
  }
}

TEST(parse_size, names_what_is_wrong) {
  EXPECT_EQ(complaint("-1"), "\"-1\" is not a size: it must not be negative");
  for (const std::string text : {"99999999999G", "9223372036854775808", "8388608T", "99999999999999999999"})
    EXPECT_EQ(complaint(text), '"' + text + "\" is not a size: it is too large");
  for (const std::string text : {"12X", "", "K", "1KB", "1.5G", " 1", "1 ", "+1", "0x10", "1K2"})
    EXPECT_EQ(complaint(text), '"' + text +
                                   "\" is not a size: expected a whole number, with K, M, G or T after it for powers "
                                   "of two, such as 64K");
}

TEST(parse_sizes, takes_a_list) {
  EXPECT_EQ(parse_sizes("4K,1M,7"), (std::vector<std::uint64_t>{4096, 1048576, 7}));
  EXPECT_THROW(static_cast<void>(parse_sizes("4K,,7")), std::invalid_argument);
  EXPECT_THROW(static_cast<void>(parse_sizes("4K,")), std::invalid_argument);
}

RC_GTEST_PROP(parse_size, reads_back_any_number_of_any_unit, ()) {
  const auto power = *rc::gen::inRange<std::size_t>(0, 5);
  const auto number = *rc::gen::inRange<std::uint64_t>(0, std::uint64_t{1} << 23);
  const std::string text = std::to_string(number) + std::string{"\0KMGT"[power]}.substr(0, power == 0 ? 0 : 1);
  RC_ASSERT(parse_size(text) == number << (10 * power));
}

TEST(format_size, names_whole_units_and_three_digits_of_others) {
  EXPECT_EQ(format_size(0), "0 bytes");
  EXPECT_EQ(format_size(1023), "1023 bytes");
  EXPECT_EQ(format_size(65536), "64 KiB");
  EXPECT_EQ(format_size(std::uint64_t{1} << 30), "1 GiB");
  EXPECT_EQ(format_size(std::uint64_t{3} << 19), "1.50 MiB");
  EXPECT_EQ(format_size(std::uint64_t{5000} << 40), "5000 TiB");
}

TEST(format_figure, keeps_three_digits) {
  EXPECT_EQ(format_figure(0), "0");
  EXPECT_EQ(format_figure(3123.4), "3120");
  EXPECT_EQ(format_figure(312.34), "312");
  EXPECT_EQ(format_figure(31.234), "31.2");
  EXPECT_EQ(format_figure(3.1234), "3.12");
  EXPECT_EQ(format_figure(0.31234), "0.312");
  EXPECT_EQ(format_figure(9.996), "10.0");
  EXPECT_EQ(format_figure(999.6), "1000");
  EXPECT_EQ(format_figure(1.0 / 0.0), "-");
}

TEST(edit_distance, counts_letters) {
  EXPECT_EQ(edit_distance("tune", "tune"), 0U);
  EXPECT_EQ(edit_distance("tun", "tune"), 1U);
  EXPECT_EQ(edit_distance("tine", "tune"), 1U);
  EXPECT_EQ(edit_distance("", "tune"), 4U);
}

TEST(reject, says_what_was_expected) {
  try {
    reject("tine", "a command", "expected tune or text");
    ADD_FAILURE() << "it was accepted";
  } catch (const std::invalid_argument& refusal) {
    EXPECT_STREQ(refusal.what(), "\"tine\" is not a command: expected tune or text");
  }
}

TEST(format_duration, names_two_units_at_most) {
  EXPECT_EQ(format_duration(0.2), "0 s");
  EXPECT_EQ(format_duration(12.4), "12 s");
  EXPECT_EQ(format_duration(200), "3 min 20 s");
  EXPECT_EQ(format_duration(3900), "1 h 5 min");
}

TEST(printable, has_no_commands_of_terminals_and_nothing_but_utf8) {
  EXPECT_EQ(tool::printable("Größe \xF0\x9F\x8C\x8A \xE2\x82\xAC"), "Größe \xF0\x9F\x8C\x8A \xE2\x82\xAC");
  EXPECT_EQ(tool::printable("a\x1b[31mb\nc\td\x7f"), "a?[31mb?c?d?");
  EXPECT_EQ(tool::printable("\xC2\x9B"
                            "31m\xC2\xA0"),
            "?31m\xC2\xA0")
      << "U+009B is a command, U+00A0 a space";
  EXPECT_EQ(tool::printable("\xFF\xFE"), "??");
  EXPECT_EQ(tool::printable("\xC0\x80"), "??") << "an overlong form";
  EXPECT_EQ(tool::printable("\xED\xA0\x80"), "???") << "a surrogate";
  EXPECT_EQ(tool::printable("\xF4\x90\x80\x80"), "????") << "beyond U+10FFFF";
  EXPECT_EQ(tool::printable("a\xE2\x82"), "a??") << "the text ends within a character";
  EXPECT_EQ(tool::printable(""), "");
  EXPECT_EQ(tool::replace_controls("a\nb\rc"), "a\nb?c");
}

}  // namespace
}  // namespace freshet::tool
