// Screens that are held word by word, at two widths.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "tests/support/golden.hpp"
#include "tool/base/text.hpp"
#include "tool/report/screen.hpp"

namespace freshet::test {

/// The JSON with a line for each member and element down to `depth`.
[[nodiscard]] inline std::string in_lines(const nlohmann::json& json, unsigned depth = 3,
                                          const std::string& indent = {}) {
  if (depth == 0 || !json.is_structured() || json.empty()) return json.dump();
  std::string text;
  for (const auto& [key, value] : json.items()) {
    text += text.empty() ? "" : ",\n";
    text += indent + ' ' + (json.is_object() ? nlohmann::json(key).dump() + ": " : "");
    text += in_lines(value, depth - 1, indent + ' ');
  }
  return (json.is_object() ? "{\n" : "[\n") + text + '\n' + indent + (json.is_object() ? '}' : ']');
}

/// Sentences are broken at the width of the terminal that the test writes to, so tests of screens need the usual one.
class screen_test : public testing::Test {
 protected:
  void SetUp() override {
    if (tool::text_width() != tool::screen{}.width) GTEST_SKIP() << "standard output is no terminal of 80 columns";
  }

  /// Expects what `draw` draws in ASCII at 80 columns, and with more characters at 132, to be what the files say.
  static void expect_golden(const std::string& name, const std::function<std::string(const tool::screen& look)>& draw) {
    EXPECT_TRUE(is_golden("tool/report/screens/" + name + "-80.txt", draw({})));
    EXPECT_TRUE(is_golden("tool/report/screens/" + name + "-132.txt", draw({.unicode = true, .width = 132})));
  }

  /// The same of a screen with colours, whose names the file has.
  static void expect_golden_colours(const std::string& name,
                                    const std::function<std::string(const tool::screen& look)>& draw) {
    std::string text = draw({.colours = true});
    for (const auto& [code, word] : {std::pair{"\x1b[32m", "<good>"},
                                     {"\x1b[33m", "<doubtful>"},
                                     {"\x1b[31m", "<bad>"},
                                     {"\x1b[2m", "<faint>"},
                                     {"\x1b[0m", "</>"}})
      text = tool::replaced(std::move(text), code, word);
    EXPECT_TRUE(is_golden("tool/report/screens/" + name + "-colours.txt", text));
  }

  /// The same of a text that has no width.
  static void expect_golden(const std::string& name, const std::string& text) {
    EXPECT_TRUE(is_golden("tool/report/screens/" + name, text));
  }
  static void expect_golden_json(const std::string& name, const nlohmann::json& json) {
    expect_golden(name + ".json", with_nine_digits(in_lines(json)) + '\n');
  }
};

}  // namespace freshet::test
