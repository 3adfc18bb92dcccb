#include "src/profile/profile_text.hpp"

#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <string>
#include <tuple>
#include <vector>

#include "tests/support/profile_sample.hpp"

namespace freshet {
namespace {

using namespace test;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

/// Parses a profile of one file system with `line` in its class `none`, as line 4.
profile parse_setting(const std::string& line) {
  return detail::parse_profile("format = 1\n[file_system.x.none]\nmethod = 'buffered'\n" + line + "\n", "p.toml");
}

TEST(profile_text, reads_what_the_documentation_shows) {
  const auto read = detail::parse_profile(R"(format = 1
[file_system."uuid:1-2"]
type = "ext4"
mount_options = "rw"
kernel = "6.18.0"
measured = "2026-11-20T18:04:11Z"
size = "1G"
[file_system."uuid:1-2".none]
method = "uring"
block = "4M"
depth = 2
reserve = true
[file_system."uuid:1-2".each_write]
method = "direct"
block = 65536
[file_system."uuid:1-2".cold]
method = "uring"
block = "2M"
depth = 4
[file_system."uuid:1-2".warm]
method = "buffered"
)",
                                          "p.toml");
  EXPECT_THAT(read.warnings, IsEmpty());
  ASSERT_EQ(read.file_systems.count("uuid:1-2"), 1U);
  const auto& entry = read.file_systems.at("uuid:1-2");
  EXPECT_EQ(entry.type, "ext4");
  EXPECT_EQ(entry.size, std::uint64_t{1} << 30);
  EXPECT_EQ(entry.winners[none], (write_settings{.method = "uring", .block = 4 << 20, .depth = 2}));
  EXPECT_FALSE(entry.winners[at_close]);
  EXPECT_EQ(entry.winners[each_write], (write_settings{.method = "direct", .block = 65536}));
  EXPECT_EQ(entry.cold, (read_settings{.method = "uring", .block = 2 << 20, .depth = 4}));
  EXPECT_EQ(entry.warm, read_settings{});
}

TEST(profile_text, names_the_line_of_broken_toml) {
  const auto read = detail::parse_profile("format = 1\n\n[file_system.\n", "some/p.toml");
  EXPECT_THAT(read.file_systems, IsEmpty());
  EXPECT_THAT(read.warnings, ElementsAre(AllOf(StartsWith("some/p.toml:3: "), HasSubstr("ignored"))));
}

TEST(profile_text, leaves_out_a_class_with_a_wrong_value_and_names_its_line) {
  for (const std::string line :
       {"block = 5000", "block = 2048", "block = '128M'", "block = 0", "block = -4096", "block = '12X'",
        "block = '4MM'", "block = '99999999999G'", "block = ''", "block = 4096.0", "block = true", "depth = 0",
        "depth = 65", "depth = -1", "depth = '2'"}) {
    const auto read = parse_setting(line);
    EXPECT_THAT(read.warnings, ElementsAre(AllOf(StartsWith("p.toml:4: "), HasSubstr(line.substr(0, line.find(' '))))))
        << line;
    ASSERT_EQ(read.file_systems.count("x"), 1U) << line;
    EXPECT_FALSE(read.file_systems.at("x").winners[none]) << line;
  }
}

TEST(profile_text, takes_the_smallest_and_the_largest_values) {
  for (const auto& [line, block, depth] : std::vector<std::tuple<std::string, std::size_t, unsigned>>{
           {"block = 4096", 4096, 0}, {"block = '64M'", 64 << 20, 0}, {"depth = 1", 0, 1}, {"depth = 64", 0, 64}}) {
    const auto read = parse_setting(line);
    EXPECT_THAT(read.warnings, IsEmpty()) << line;
    EXPECT_EQ(read.file_systems.at("x").winners[none],
              (write_settings{.method = "buffered", .block = block, .depth = depth}))
        << line;
  }
}

TEST(profile_text, knows_only_the_library_s_methods_that_write_files) {
  for (const std::string name : {"no-such", "null", "ofstream-naive", "", "auto"}) {
    const auto read =
        detail::parse_profile("format = 1\n[file_system.x]\n[file_system.x.at_close]\nmethod = '" + name + "'\n", "p");
    EXPECT_THAT(read.warnings, ElementsAre(AllOf(StartsWith("p:"), HasSubstr("method")))) << name;
    EXPECT_FALSE(read.file_systems.at("x").winners[at_close]) << name;
  }
}

TEST(profile_text, reads_only_by_methods_that_read_without_being_asked_for) {
  for (const std::string wrong : {"method = 'writebehind'", "method = 'null'", "method = 'mmap'", "method = 'auto'",
                                  "block = 4096", "method = 'direct'\nblock = 5000", "method = 'direct'\ndepth = 65"}) {
    const auto read = detail::parse_profile("format = 1\n[file_system.x.cold]\n" + wrong + "\n", "p");
    EXPECT_THAT(read.warnings, ElementsAre(HasSubstr("'cold' is ignored"))) << wrong;
    EXPECT_FALSE(read.file_systems.at("x").cold) << wrong;
  }
  const auto read = detail::parse_profile("format = 1\n[file_system.x.warm]\nmethod = 'direct'\nreserve = true\n", "p");
  EXPECT_THAT(read.warnings, ElementsAre(AllOf(StartsWith("p:4: "), HasSubstr("unknown key 'reserve'"))));
  EXPECT_EQ(read.file_systems.at("x").warm, (read_settings{.method = "direct"}));
}

TEST(profile_text, reports_headers_without_a_key) {
  for (const std::string header : {"[=]", "[.a]", "[a.=]", "[,]", "[]", "[[]]", "[ \n", "f0Eofr\xd1\x82"}) {
    EXPECT_THAT(detail::parse_profile("format = 1\n" + header + "\n", "p").warnings, ElementsAre(HasSubstr("ignored")))
        << header;
  }
}

TEST(profile_text, keeps_the_rest_of_an_entry_with_one_fault) {
  const auto read = detail::parse_profile(
      "format = 1\n[file_system.x]\ntype = 5\nsize = []\nkernel = '6.1'\nnone = 3\nat_close = { method = 'direct' }\n"
      "each_write = { block = 4096 }\n",
      "p");
  EXPECT_THAT(read.warnings, testing::UnorderedElementsAre(StartsWith("p:3: 'type'"), StartsWith("p:4: 'size'"),
                                                           StartsWith("p:6: 'none'"), StartsWith("p:8: 'method'")));
  const auto& entry = read.file_systems.at("x");
  EXPECT_EQ(entry.type, "");
  EXPECT_EQ(entry.kernel, "6.1");
  EXPECT_FALSE(entry.winners[none]);
  EXPECT_EQ(entry.winners[at_close], (write_settings{.method = "direct"}));
  EXPECT_FALSE(entry.winners[each_write]);
}

TEST(profile_text, warns_of_unknown_keys_and_goes_on) {
  const auto read = detail::parse_profile(
      "format = 1\ncolour = 1\n[file_system.x]\nshape = 2\n[file_system.x.none]\nmethod = 'direct'\nblcok = 4096\n",
      "p");
  EXPECT_THAT(read.warnings, testing::UnorderedElementsAre(AllOf(StartsWith("p:2: "), HasSubstr("colour")),
                                                           AllOf(StartsWith("p:4: "), HasSubstr("shape")),
                                                           AllOf(StartsWith("p:7: "), HasSubstr("blcok"))));
  EXPECT_EQ(read.file_systems.at("x").winners[none], (write_settings{.method = "direct"}));
}

TEST(profile_text, leaves_out_files_of_another_format) {
  for (const std::string text : {"format = 2\n[file_system.x]\n", "format = 0\n[file_system.x]\n",
                                 "format = '1'\n[file_system.x]\n", "[file_system.x]\n", ""}) {
    const auto read = detail::parse_profile(text, "p");
    EXPECT_THAT(read.file_systems, IsEmpty()) << text;
    EXPECT_THAT(read.warnings, ElementsAre(AllOf(StartsWith("p:1: "), HasSubstr("format")))) << text;
  }
  EXPECT_THAT(detail::parse_profile("format = 2\n", "p").warnings, ElementsAre(HasSubstr("newer")));
}

TEST(profile_text, survives_other_shapes) {
  for (const std::string text :
       {"format = 1\nfile_system = 5\n", "format = 1\nfile_system = [{}]\n", "format = 1\n[file_system]\nx = 'y'\n"}) {
    const auto read = detail::parse_profile(text, "p");
    EXPECT_THAT(read.file_systems, IsEmpty()) << text;
    EXPECT_EQ(read.warnings.size(), 1U) << text;
  }
}

TEST(profile_text, survives_bytes_that_are_no_text) {
  for (const std::string& text : {std::string(1, '\0'), std::string("format = 1\n\0\n", 13),
                                  std::string("\xff\xfe\x80"), std::string("format = 1\n[\"\xc3\x28\"]\n")}) {
    const auto read = detail::parse_profile(text, "p");
    EXPECT_THAT(read.file_systems, IsEmpty());
    EXPECT_EQ(read.warnings.size(), 1U);
  }
}

TEST(profile_text, refuses_keys_that_would_use_up_the_stack) {
  std::string key = "a";
  while (key.size() + 2 < detail::largest_profile - 20) key += ".a";
  for (const std::string& text : {key + " = 1", "[" + key + "]", "b = 'quoted # and \\'\n" + key + " = 1",
                                  "b = \"quoted \\\" \"; " + key, "x = { " + key + " = 1 }"}) {
    EXPECT_THAT(detail::parse_profile("format = 1\n" + text + "\n", "p").warnings,
                ElementsAre(HasSubstr("too deeply")));
  }
  EXPECT_THAT(detail::parse_profile("format = 1\nb = \"\"\"\n\"\"\"\n", "p").warnings,
              ElementsAre(HasSubstr("multi-line")));
}

TEST(profile_text, does_not_mind_dots_in_texts_and_comments) {
  const std::string dots(100, '.');
  const auto read = detail::parse_profile("# " + dots + "\nformat = 1 # " + dots + "\n[file_system.x]\nkernel = '" +
                                              dots + "'\ntype = \"\\\"" + dots + "\"\n",
                                          "p");
  EXPECT_THAT(read.warnings, IsEmpty());
  EXPECT_EQ(read.file_systems.at("x").kernel, dots);
}

TEST(profile_text, shows_no_control_characters) {
  const auto read = detail::parse_profile("format = 1\n\"\\u001b[2J\" = 1\n", "p");
  ASSERT_EQ(read.warnings.size(), 1U);
  EXPECT_EQ(read.warnings.front().find('\x1b'), std::string::npos);
}

/// A profile of one file system with `lines` in the table `past` of its class `none`, from line 5 on.
profile parse_past(const std::string& lines) {
  return detail::parse_profile(
      "format = 1\n[file_system.x.none]\nmethod = 'direct'\n[file_system.x.none.past]\n" + lines + "\n", "p.toml");
}

TEST(profile_text, reads_what_was_measured_of_each_way) {
  const auto read = detail::parse_profile(R"(format = 1
[file_system.x.none]
method = "uring"
fixed = true
[file_system.x.none.kept]
rate = 1600
spread = 0.03
bytes = "2G"
[file_system.x.none.behind]
rate = 1250.5
[file_system.x.none.past]
rate = 2500.0
spread = 0
bytes = 1073741824
block = "4M"
depth = 2
[file_system.x.cold]
method = "adaptive"
[file_system.x.cold.past]
rate = 1000
)",
                                          "p");
  EXPECT_THAT(read.warnings, IsEmpty());
  const auto& winner = read.file_systems.at("x").winners[none];
  ASSERT_TRUE(winner);
  EXPECT_TRUE(winner->fixed);
  EXPECT_EQ(winner->measured.kept,
            (way_figure{.seconds_per_byte = 1e-6 / 1600, .spread = 0.03, .bytes = std::uint64_t{2} << 30}));
  EXPECT_EQ(winner->measured.behind, (way_figure{.seconds_per_byte = 1e-6 / 1250.5}));
  EXPECT_EQ(winner->measured.past, (way_figure{.seconds_per_byte = 1e-6 / 2500, .bytes = 1 << 30}));
  EXPECT_EQ(winner->measured.block, std::size_t{4} << 20);
  EXPECT_EQ(winner->measured.depth, 2U);
  const auto& reading = read.file_systems.at("x").cold;
  ASSERT_TRUE(reading);
  EXPECT_EQ(reading->method, "adaptive");
  EXPECT_FALSE(reading->fixed);
  EXPECT_EQ(reading->measured.past.seconds_per_byte, 1e-6 / 1000);
}

TEST(profile_text, leaves_out_a_way_with_a_wrong_value_and_keeps_the_winner) {
  for (const std::string line :
       {"rate = 0", "rate = 0.0009", "rate = 1000001", "rate = -1", "rate = 'fast'", "rate = nan", "rate = inf",
        "rate = true", "rate = 5\nspread = -0.1", "rate = 5\nspread = 101", "rate = 5\nspread = nan",
        "rate = 5\nspread = []", "rate = 5\nbytes = -1", "rate = 5\nbytes = '1X'", "rate = 5\nbytes = 1.5",
        "rate = 5\nblock = 5000", "rate = 5\ndepth = 65", "spread = 1"}) {
    const auto read = parse_past(line);
    EXPECT_THAT(read.warnings, ElementsAre(AllOf(StartsWith("p.toml:"), HasSubstr("; 'past' is ignored")))) << line;
    EXPECT_EQ(read.file_systems.at("x").winners[none], (write_settings{.method = "direct"})) << line;
  }
  const auto shape = parse_setting("kept = 5");
  EXPECT_THAT(shape.warnings, ElementsAre(HasSubstr("'kept' must be a table")));
  EXPECT_TRUE(shape.file_systems.at("x").winners[none]);
}

TEST(profile_text, writes_what_it_read_digit_by_digit) {
  for (const std::string line :
       {"slowest_expected = 0.12345678", "slowest_expected = 1.7e308", "slowest_expected = 12345678",
        "kept = { rate = 812.3456789, spread = 0.0312345678 }", "past = { rate = 999999.9 }"}) {
    const auto first = parse_setting(line).file_systems.at("x");
    ASSERT_TRUE(first.winners[none]) << line;
    const auto text = detail::merge_profile("", first, "p").value();
    EXPECT_EQ(detail::parse_profile(text, "p").file_systems.at("x").winners, first.winners) << line;
  }
  for (const std::string line : {"slowest_expected = inf", "slowest_expected = nan", "slowest_expected = -1"})
    EXPECT_FALSE(parse_setting(line).file_systems.at("x").winners[none]) << line;
}

TEST(profile_text, takes_the_smallest_and_the_largest_figures) {
  for (const std::string line : {"rate = 0.001", "rate = 1000000", "rate = 1\nspread = 100", "rate = 1\nspread = 0"}) {
    const auto read = parse_past(line);
    EXPECT_THAT(read.warnings, IsEmpty()) << line;
    EXPECT_GT(read.file_systems.at("x").winners[none]->measured.past.seconds_per_byte, 0) << line;
  }
}

TEST(profile_text, warns_of_unknown_keys_of_a_way_and_keeps_it) {
  const auto read = parse_past("rate = 5\ncolour = 1");
  EXPECT_THAT(read.warnings, ElementsAre(AllOf(StartsWith("p.toml:6: "), HasSubstr("colour"))));
  EXPECT_EQ(read.file_systems.at("x").winners[none]->measured.past.seconds_per_byte, 1e-6 / 5);
  EXPECT_THAT(parse_setting("kept = { rate = 5, block = 4096 }").warnings, ElementsAre(HasSubstr("'block'")));
}

TEST(profile_text, leaves_out_a_winner_whose_fixed_is_neither_true_nor_false) {
  for (const std::string line : {"fixed = 1", "fixed = 'true'", "fixed = {}"}) {
    const auto read = parse_setting(line);
    EXPECT_THAT(read.warnings, ElementsAre(AllOf(StartsWith("p.toml:4: "), HasSubstr("fixed")))) << line;
    EXPECT_FALSE(read.file_systems.at("x").winners[none]) << line;
  }
  EXPECT_FALSE(parse_setting("fixed = false").file_systems.at("x").winners[none]->fixed);
}

TEST(profile_text, writes_no_figure_that_it_would_not_read) {
  auto entry = sample("uuid:1");
  entry.winners[none]->measured = {
      .kept = {1, 0, 1}, .behind = {.seconds_per_byte = 1e-13}, .past = {.seconds_per_byte = -1}, .block = 4096};
  const auto text = detail::merge_profile("", entry, "p").value();
  EXPECT_THAT(text, testing::Not(testing::AnyOf(HasSubstr("kept"), HasSubstr("behind"), HasSubstr("past"))));
  EXPECT_THAT(text, testing::Not(HasSubstr("fixed")));
}

RC_GTEST_PROP(profile_text, never_throws_on_any_text, (const std::string& text)) {
  static_cast<void>(detail::parse_profile(text, "p"));
}

way_figure drawn_figure() {
  const auto count = [](std::int64_t below) { return static_cast<double>(*rc::gen::inRange<std::int64_t>(1, below)); };
  if (*rc::gen::arbitrary<bool>()) return {};
  return {.seconds_per_byte = 1 / (1000 * count(1'000'000'000)),
          .spread = count(100'000) / 1000,
          .bytes = *rc::gen::inRange<std::uint64_t>(0, std::uint64_t{1} << 62)};
}

measured_ways drawn_ways() {
  return {.kept = drawn_figure(),
          .behind = drawn_figure(),
          .past = drawn_figure(),
          .block = std::size_t{1} << *rc::gen::inRange(12, 27),
          .depth = *rc::gen::inRange(1U, 65U)};
}

// What measuring finds has more digits than people read; what was read comes back to the last one.
RC_GTEST_PROP(profile_text, keeps_any_figures, ()) {
  auto entry = sample("uuid:1");
  entry.winners[none]->measured = drawn_ways();
  entry.winners[none]->fixed = *rc::gen::arbitrary<bool>();
  entry.cold->measured = drawn_ways();
  entry.cold->fixed = *rc::gen::arbitrary<bool>();
  const auto first = detail::parse_profile(detail::merge_profile("", entry, "p").value(), "p");
  RC_ASSERT(first.warnings.empty());
  const auto& read = first.file_systems.at(entry.key);
  const auto expect_near = [](const way_figure& left, const way_figure& right) {
    RC_ASSERT(std::abs(left.seconds_per_byte - right.seconds_per_byte) <= 1e-5 * right.seconds_per_byte);
    RC_ASSERT(std::abs(left.spread - right.spread) <= 1e-5 * right.spread);
    RC_ASSERT(left.bytes == right.bytes);
  };
  expect_near(read.winners[none]->measured.kept, entry.winners[none]->measured.kept);
  expect_near(read.winners[none]->measured.behind, entry.winners[none]->measured.behind);
  expect_near(read.cold->measured.past, entry.cold->measured.past);
  RC_ASSERT(read.winners[none]->fixed == entry.winners[none]->fixed);

  const auto second = detail::parse_profile(detail::merge_profile("", read, "p").value(), "p");
  RC_ASSERT(second.warnings.empty());
  RC_ASSERT(second.file_systems.at(entry.key).winners == read.winners);
  RC_ASSERT(second.file_systems.at(entry.key).cold == read.cold);
}

RC_GTEST_PROP(profile_text, keeps_any_entry, ()) {
  const auto printable = rc::gen::string<std::string>();
  auto entry = sample("uuid:" + *rc::gen::container<std::string>(rc::gen::inRange<char>(' ', '\x7f')));
  entry.mount_options = *rc::gen::container<std::string>(rc::gen::inRange<char>('\x01', '\x7f'));
  entry.size = *rc::gen::inRange<std::uint64_t>(0, std::uint64_t{1} << 62);
  entry.winners[each_write] = {
      .method = "libaio", .block = std::size_t{1} << *rc::gen::inRange(12, 27), .depth = *rc::gen::inRange(1U, 65U)};
  entry.warm = {.method = *rc::gen::element<std::string>("buffered", "direct", "uring"),
                .block = std::size_t{1} << *rc::gen::inRange(12, 27),
                .depth = *rc::gen::inRange(1U, 65U)};
  const auto text = detail::merge_profile("", entry, "p");
  RC_ASSERT(text.has_value());
  const auto read = detail::parse_profile(*text, "p");
  RC_ASSERT(read.warnings.empty());
  RC_ASSERT(read.file_systems.size() == 1U);
  const auto& back = read.file_systems.at(entry.key);
  RC_ASSERT(back.mount_options == entry.mount_options);
  RC_ASSERT(back.size == entry.size);
  RC_ASSERT(back.winners == entry.winners);
  RC_ASSERT(back.cold == entry.cold);
  RC_ASSERT(back.warm == entry.warm);
}

TEST(profile_text, keeps_an_entry_whose_mount_options_are_no_utf_8) {
  auto entry = sample("uuid:1");
  entry.mount_options = "rw,lowerdir=/\xff\xc3";
  const auto read = detail::parse_profile(detail::merge_profile("", entry, "p").value(), "p");
  EXPECT_THAT(read.warnings, IsEmpty());
  EXPECT_EQ(read.file_systems.at("uuid:1").winners, entry.winners);
}

}  // namespace
}  // namespace freshet
