// What holds for every source: its window, and what happens where one breaks its promise.
#include "src/source/source.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <span>

#include "src/base/contract.hpp"
#include "src/os/native_string.hpp"
#include "tests/support/sealed_bytes.hpp"
#include "tests/support/writing.hpp"

namespace freshet::detail {
namespace {

TEST(source_windows, know_their_position_without_bytes) {
  constexpr std::array<std::byte, 10> bytes{};
  source_window window;
  window.move_to(100);
  window.show(bytes);
  window.take(4);
  EXPECT_EQ(window.offset(), 104U);
  EXPECT_EQ(window.end(), 110U);
  EXPECT_FALSE(window.reaches(103));
  EXPECT_TRUE(window.reaches(104));
  EXPECT_TRUE(window.reaches(110));
  EXPECT_FALSE(window.reaches(111));
  window.clear();
  EXPECT_TRUE(window.empty());
  EXPECT_EQ(window.offset(), 104U);
}

// Shows what it is told to show, and says what it is told to say.
class broken_source final : public source {
 public:
  enum class defect { nothing_shown, something_shown };
  explicit broken_source(defect what) : source{to_native("broken")}, what_{what} {}

  void seek(std::uint64_t offset) noexcept override { window_.move_to(offset); }
  [[nodiscard]] bool can_seek() noexcept override { return true; }
  [[nodiscard]] bool has_position() const noexcept override { return true; }
  void allow_truncation() noexcept override {}
  void close(std::size_t /*used*/) noexcept override { open_ = false; }
  [[nodiscard]] std::uint64_t size(std::error_code& /*failure*/) noexcept override { return 0; }
  [[nodiscard]] std::string_view method_name() const noexcept override { return "broken"; }
  [[nodiscard]] file_statistics statistics() const override { return {}; }
  [[nodiscard]] native_handle_type descriptor() const noexcept override { return no_native_handle; }

 private:
  bool fetch() noexcept override {
    if (what_ != defect::nothing_shown) window_.show(bytes_);
    return what_ != defect::something_shown;
  }

  defect what_;
  std::array<std::byte, 10> bytes_{};
};

TEST(source_windows, that_break_their_promise_are_an_error_of_the_file) {
  using defect = broken_source::defect;
  for (const auto what : {defect::nothing_shown, defect::something_shown}) {
    broken_source in{what};
    in.seek(50);
    if constexpr (aborts_on_defects) {
      EXPECT_DEATH(in.next_window(), "");
    } else {
      EXPECT_FALSE(in.next_window());
      EXPECT_EQ(in.failure(), broken_contract);
      EXPECT_TRUE(in.window().empty());
      EXPECT_EQ(in.offset(), 50U);
    }
  }
}

TEST(source_windows, are_joined_and_stand_behind_what_was_joined) {
  const auto bytes = test::bytes_from(0, 10'000);
  test::memory_source in{bytes, 4096};
  ASSERT_TRUE(in.next_window());
  EXPECT_EQ(in.join(4090, 10).size(), 10U);
  EXPECT_EQ(in.offset(), 4100U);
  EXPECT_EQ(in.join(0, 100'000).size(), 5900U);
  EXPECT_EQ(in.offset(), 10'000U);
  EXPECT_FALSE(in.next_window());
  EXPECT_FALSE(in.failure());
  EXPECT_EQ(in.offset(), 10'000U);
}

}  // namespace
}  // namespace freshet::detail
