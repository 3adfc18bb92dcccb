// One reading of the clock where an exchange begins, and one where it ends, whoever asks.
#include "src/method/exchange_timer.hpp"

#include <gtest/gtest.h>

#include "tests/support/simulated_clock.hpp"

namespace freshet {
namespace {

// Keeps what it is told last.
class last_exchange final : public detail::block_observer {
 public:
  last_exchange() : replaced_{detail::observe_blocks(this)} {}
  ~last_exchange() override { detail::observe_blocks(replaced_); }
  void moved(double begin, double end, std::uint64_t bytes) noexcept override {
    begin_ = begin;
    end_ = end;
    bytes_ = bytes;
  }

  double begin_ = 0;
  double end_ = 0;
  std::uint64_t bytes_ = 0;

 private:
  detail::block_observer* replaced_;
};

class exchange_timers : public testing::Test {
 protected:
  test::simulated_clock clock_;
};

TEST_F(exchange_timers, begin_when_someone_asks) {
  detail::exchange_timer timer;
  clock_.advance(1);
  EXPECT_EQ(timer.begin(), 2);
  clock_.advance(2);
  EXPECT_EQ(timer.seconds(), 2);
  clock_.advance(4);
  EXPECT_EQ(timer.end(), 4);
  EXPECT_EQ(timer.seconds(), 2);
}

TEST_F(exchange_timers, tell_the_observer_what_others_have_read) {
  const last_exchange observer;
  detail::exchange_timer timer;
  clock_.advance(1);
  EXPECT_EQ(timer.begin(), 1);
  EXPECT_EQ(timer.seconds(), 1);
  clock_.advance(1);
  timer.finish(7);
  EXPECT_EQ(observer.begin_, 1);
  EXPECT_EQ(observer.end_, 2);
  EXPECT_EQ(observer.bytes_, 7U);
}

TEST_F(exchange_timers, may_end_later_for_the_observer) {
  const last_exchange observer;
  detail::exchange_timer timer;
  EXPECT_EQ(timer.seconds(), 0);
  timer.go_on();
  clock_.advance(3);
  timer.finish(7);
  EXPECT_EQ(observer.end_, 4);
}

TEST_F(exchange_timers, may_begin_after_a_wait_for_something_else) {
  const last_exchange observer;
  detail::exchange_timer timer;
  clock_.advance(5);
  timer.restart();
  timer.finish(7);
  EXPECT_EQ(observer.begin_, 6);
}

TEST_F(exchange_timers, tell_nothing_of_no_bytes) {
  const last_exchange observer;
  detail::exchange_timer{}.finish(0);
  EXPECT_EQ(observer.bytes_, 0U);
}

}  // namespace
}  // namespace freshet
