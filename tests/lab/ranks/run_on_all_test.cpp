// Steps that every rank takes part in, seen from one rank; the other ranks are simulated.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "lab/ranks/run_on_all.hpp"
#include "tool/base/interrupt.hpp"

namespace freshet::tool {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

/// One of several ranks. The messages of the others are given.
class simulated_ranks final : public ranks {
 public:
  simulated_ranks(unsigned number, std::vector<std::string> messages, std::string verdict)
      : number_{number}, messages_{std::move(messages)}, verdict_{std::move(verdict)} {}
  [[nodiscard]] unsigned number() const noexcept override { return number_; }
  [[nodiscard]] unsigned count() const noexcept override { return static_cast<unsigned>(messages_.size()); }
  std::string broadcast(std::string_view text) override { return number_ == 0 ? std::string{text} : verdict_; }
  std::vector<std::string> gather(std::string_view text) override {
    if (number_ != 0) return {};
    messages_[0] = text;
    return messages_;
  }
  void barrier() override {}

 private:
  unsigned number_;
  std::vector<std::string> messages_;
  std::string verdict_;
};

TEST(run_on_all, returns_the_results_of_all_ranks_at_the_root) {
  simulated_ranks root{0, {"", "dtwo", "dthree"}, ""};
  EXPECT_THAT(run_on_all(root, [] { return std::string{"one"}; }), ElementsAre("one", "two", "three"));
  simulated_ranks of_numbers{0, {"", "d2", "d3"}, ""};
  EXPECT_THAT(run_on_all(of_numbers, [] { return 1U; }), ElementsAre(1, 2, 3));
  simulated_ranks second{1, {"", "", ""}, "d"};
  EXPECT_THAT(run_on_all(second, [] { return 2U; }), IsEmpty());
}

TEST(run_on_all, names_the_rank_that_failed) {
  simulated_ranks root{0, {"", "d", "fno space"}, ""};
  EXPECT_THAT([&] { run_on_all(root, [] {}); }, testing::ThrowsMessage<std::runtime_error>("rank 2: no space"));
  simulated_ranks second{1, {"", "", ""}, "frank 2: no space"};
  EXPECT_THROW(run_on_all(second, [] {}), failed_elsewhere);
}

TEST(run_on_all, interrupts_every_rank_when_one_is_interrupted) {
  simulated_ranks root{0, {"", "fno space", "s15"}, ""};
  try {
    run_on_all(root, [] {});
    FAIL();
  } catch (const interrupted& interruption) {
    EXPECT_EQ(interruption.signal, 15);
  }
}

/// A single rank that must not communicate.
class silent_rank final : public ranks {
 public:
  std::string broadcast(std::string_view /*text*/) override { throw std::logic_error{"broadcast"}; }
  std::vector<std::string> gather(std::string_view /*text*/) override { throw std::logic_error{"gather"}; }
  void barrier() override { throw std::logic_error{"barrier"}; }
};

TEST(run_on_all, only_calls_the_step_if_there_is_one_rank) {
  silent_rank alone;
  const std::string not_utf8 = "\xff";
  EXPECT_EQ(run_on_root(alone, [&] { return not_utf8; }), not_utf8);
  EXPECT_THAT(run_on_all(alone, [] { return 0.1; }), ElementsAre(0.1));
  run_on_all(alone, [] {});
  run_on_root(alone, [] {});
  EXPECT_THROW(run_on_all(alone, [] { throw std::invalid_argument{"wrong"}; }), std::invalid_argument);
}

TEST(run_on_root, gives_the_roots_result_to_every_rank) {
  simulated_ranks root{0, {"", "d"}, ""};
  EXPECT_EQ(run_on_root(root, [] { return 0.1; }), 0.1);
  simulated_ranks second{1, {"", ""}, "d"};
  EXPECT_EQ(run_on_root(second, [] { return std::string{"not called"}; }), "d");
}

}  // namespace
}  // namespace freshet::tool
