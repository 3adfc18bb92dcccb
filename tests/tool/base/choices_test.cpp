// What a user may name: accepted, offered and refused words.
#include "tool/base/choices.hpp"

#include <gmock/gmock.h>

#include <stdexcept>
#include <string>
#include <vector>

#include "tool/trial/series.hpp"
#include "tool/trial/trial.hpp"

namespace freshet::tool {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::ThrowsMessage;

const choices<io_class> classes = make_choices("a class", all_classes);

TEST(choices_of_words, offer_the_names_of_all_values) {
  EXPECT_THAT(make_choices<trial_order>("an order").names, ElementsAre("cycle", "sequential", "random"));
  EXPECT_EQ(classes.name_of(io_class::at_close), "at_close");
  EXPECT_EQ(make_choices("a durability", writing_classes).name_of(io_class::cold), "") << "none that can be chosen";
}

TEST(choices_of_words, accept_dashes_for_underscores) {
  EXPECT_EQ(classes.parse("at_close"), io_class::at_close);
  EXPECT_EQ(classes.parse("at-close"), io_class::at_close);
  EXPECT_THAT(classes.parse_list("warm,each-write"), ElementsAre(io_class::warm, io_class::each_write));
}

TEST(choices_of_words, refuse_others_and_name_all) {
  EXPECT_THAT([] { static_cast<void>(make_choices<trial_order>("an order").parse("0")); },
              ThrowsMessage<std::invalid_argument>("\"0\" is not an order: expected cycle, sequential or random"));
  for (const char* const text : {"", "warm,", ",warm", "warm,,cold"})
    EXPECT_THAT([&] { static_cast<void>(classes.parse_list(text)); },
                ThrowsMessage<std::invalid_argument>(HasSubstr(*text == '\0' ? "must not be empty" : "a comma")));
}

}  // namespace
}  // namespace freshet::tool
