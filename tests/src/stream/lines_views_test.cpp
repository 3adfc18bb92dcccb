// Tests that lines work with the standard's views.
#include <freshet/lines.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <ranges>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/temporary_directory.hpp"

namespace freshet {
namespace {

template <typename Range>
concept view_of_lines = std::ranges::input_range<Range> && std::ranges::view<Range> &&
    std::same_as<std::ranges::range_value_t<Range>, std::string_view>;
static_assert(view_of_lines<decltype(lines(std::declval<reader&>()))>);
static_assert(view_of_lines<decltype(lines(std::declval<reader>()))>);
static_assert(!std::ranges::forward_range<decltype(lines(std::declval<reader&>()))>);

class lines_views_test : public testing::Test {
 protected:
  lines_views_test() { std::ofstream{path_} << "# numbers\n1\n\n22\n333\n4444\n"; }

  test::temporary_directory directory_;
  std::filesystem::path path_ = directory_ / "file";
};

TEST_F(lines_views_test, can_be_filtered_and_transformed) {
  std::vector<std::size_t> lines_read;
  const auto is_number = [](std::string_view line) { return !line.empty() && !line.starts_with('#'); };
  const auto length = [](std::string_view line) { return line.size(); };
  for (const auto each : lines(reader{path_}) | std::views::filter(is_number) | std::views::transform(length))
    lines_read.push_back(each);
  EXPECT_EQ(lines_read, (std::vector<std::size_t>{1, 2, 3, 4}));
}

TEST_F(lines_views_test, take_reads_no_further_line) {
  reader in{path_};
  std::vector<std::string> lines_read;
  for (const auto line : lines(in) | std::views::drop(1) | std::views::take(2)) lines_read.emplace_back(line);
  EXPECT_EQ(lines_read, (std::vector<std::string>{"1", ""}));
  EXPECT_EQ(in.tell(), 13U);
  for (const auto line : lines(in) | std::views::take_while([](auto text) { return text.size() < 4; }))
    lines_read.emplace_back(line);
  EXPECT_EQ(lines_read, (std::vector<std::string>{"1", "", "22", "333"}));
  EXPECT_EQ(in.get(), reader::end_of_file) << "the line that ended it is taken, too";
}

TEST_F(lines_views_test, can_be_searched_by_algorithms) {
  reader in{path_};
  auto range = lines(in);
  const auto match = std::ranges::find(range, "22");
  EXPECT_FALSE(match == range.end());
  EXPECT_EQ(in.tell(), 16U);
  EXPECT_EQ(std::ranges::count_if(range, [](auto line) { return line.size() > 2; }), 2);
}

}  // namespace
}  // namespace freshet
