// Time that passes, and the time of day.
#pragma once

#include <chrono>
#include <string>

namespace freshet::tool {

/// Runs from its making on.
class stopwatch {
 public:
  [[nodiscard]] double seconds() const {
    return std::chrono::duration<double>{std::chrono::steady_clock::now() - start_}.count();
  }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

/// Now, as "2026-03-01T12:34:56Z".
[[nodiscard]] std::string utc_now();

}  // namespace freshet::tool
