// What all ranks do together, as one of them sees it: the others are acted.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tool/base/interrupt.hpp"
#include "tool/ranks/at_all_ranks.hpp"

namespace freshet::tool {
namespace {

using testing::ElementsAre;

/// One of several ranks; the others say what they are told to.
class acted_ranks final : public ranks {
 public:
  acted_ranks(unsigned number, std::vector<std::string> told, std::string verdict)
      : number_{number}, told_{std::move(told)}, verdict_{std::move(verdict)} {}
  [[nodiscard]] unsigned number() const noexcept override { return number_; }
  [[nodiscard]] unsigned count() const noexcept override { return static_cast<unsigned>(told_.size()); }
  std::string from_first(std::string_view text) override { return number_ == 0 ? std::string{text} : verdict_; }
  std::vector<std::string> to_first(std::string_view text) override {
    if (number_ != 0) return {};
    told_[0] = text;
    return told_;
  }
  void meet() override {}

 private:
  unsigned number_;
  std::vector<std::string> told_;
  std::string verdict_;
};

TEST(at_all_ranks, gives_the_first_what_each_made) {
  acted_ranks first{0, {"", "dtwo", "dthree"}, ""};
  EXPECT_THAT(at_all(first, [] { return std::string{"one"}; }), ElementsAre("one", "two", "three"));
}

TEST(at_all_ranks, names_the_rank_that_failed) {
  acted_ranks first{0, {"", "d", "fno space"}, ""};
  try {
    at_all(first, [] { return std::string{}; });
    FAIL();
  } catch (const std::runtime_error& failure) {
    EXPECT_STREQ(failure.what(), "rank 2: no space");
  }
  acted_ranks second{1, {"", "", ""}, "frank 2: no space"};
  EXPECT_THROW(at_all(second, [] { return std::string{}; }), failed_elsewhere);
}

TEST(at_all_ranks, stops_everywhere_when_one_is_to_stop) {
  acted_ranks first{0, {"", "fno space", "s15"}, ""};
  try {
    at_all(first, [] { return std::string{}; });
    FAIL();
  } catch (const interrupted& wish) {
    EXPECT_EQ(wish.signal, 15);
  }
}

TEST(at_all_ranks, leaves_a_failure_as_it_is_where_there_is_one_rank) {
  acted_ranks alone{0, {""}, ""};
  EXPECT_THROW(at_all(alone, []() -> std::string { throw std::invalid_argument{"wrong"}; }), std::invalid_argument);
  EXPECT_EQ(at_first(alone, [] { return std::string{"made"}; }), "made");
}

}  // namespace
}  // namespace freshet::tool
