// The published cells of the corpora that a sweep creates.
#include <gtest/gtest.h>

#include "lab/sweep/published.hpp"

namespace freshet::tool {
namespace {

TEST(published_speed, is_that_of_the_whole_corpus) {
  // 10,000 files of 10,100 bytes in 47 s; 20 files of 100.1 MB in 1214 s.
  EXPECT_NEAR(published_speed({10'100, "streaming", 1, 0}).value(), 101.0 / 47, 1e-9);
  EXPECT_NEAR(published_speed({100'100'000, "buffering", 4, 1000}).value(), 2002.0 / 1214, 1e-9);
  EXPECT_NEAR(published_speed({10'500'000, "buffering", 2, 100}).value(), 1050.0 / 263, 1e-9);
  EXPECT_NEAR(published_speed({10'000'100, "streaming", 3, 1000}).value(), 1000.01 / 608, 1e-9);
}

TEST(published_speed, is_empty_where_nothing_was_published) {
  EXPECT_FALSE(published_speed({10'101, "streaming", 1, 0})) << "other files";
  EXPECT_FALSE(published_speed({10'100, "auto", 1, 0}));
  EXPECT_FALSE(published_speed({10'100, "streaming", 5, 0}));
  EXPECT_FALSE(published_speed({10'100, "streaming", 0, 0}));
  EXPECT_FALSE(published_speed({10'100, "streaming", 1, 200}));
}

}  // namespace
}  // namespace freshet::tool
