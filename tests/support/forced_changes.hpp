// Lets adaptive files change their way when a test wants it, instead of when the other way is faster, and counts the
// changes.
#pragma once

#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <string_view>
#include <system_error>

#include "src/method/adaptive.hpp"
#include "src/os/interceptor.hpp"
#include "tests/support/soak.hpp"

namespace freshet::test {

[[nodiscard]] inline bool at_each_block() noexcept { return true; }

/// After one block in four, by sample_seed(). May be called by several threads.
[[nodiscard]] inline bool at_random() noexcept {
  static std::atomic<std::uint64_t> calls{0};
  std::uint64_t mixed = (sample_seed() + ++calls) * 0x9E3779B97F4A7C15U;
  mixed = (mixed ^ mixed >> 30) * 0xBF58476D1CE4E5B9U;
  return (mixed >> 32) % 4 == 0;
}

/// Lets files change as `decide` says, while it exists.
class forced_changes {
 public:
  explicit forced_changes(bool (*decide)() noexcept = at_each_block)
      : replaced_{detail::force_changes.exchange(decide)} {}
  forced_changes(const forced_changes&) = delete;
  forced_changes& operator=(const forced_changes&) = delete;
  ~forced_changes() { detail::force_changes = replaced_; }

 private:
  bool (*replaced_)() noexcept;
};

/// Counts the ranges that are written behind the cursor, while it exists.
class change_count final : public detail::os::interceptor {
 public:
  change_count() : replaced_{detail::os::intercept(this)} {}
  change_count(const change_count&) = delete;
  change_count& operator=(const change_count&) = delete;
  ~change_count() override { detail::os::intercept(replaced_); }
  std::error_code before(detail::os::intercepted_call& next) override {
    if (next.kind == detail::os::call::start_writeback) ++count_;
    return {};
  }
  [[nodiscard]] unsigned count() const noexcept { return count_; }

 private:
  std::atomic<unsigned> count_{0};
  detail::os::interceptor* replaced_;
};

/// With FRESHET_TEST_CHANGES=always, adaptive files change their way after each block; with `random`, at_random().
inline const bool changes_are_forced = [] {
  const char* const set = std::getenv("FRESHET_TEST_CHANGES");
  const std::string_view wanted = set == nullptr ? "" : set;
  if (wanted == "always") detail::force_changes = at_each_block;
  if (wanted == "random") detail::force_changes = at_random;
  return detail::force_changes.load() != nullptr;
}();

}  // namespace freshet::test
