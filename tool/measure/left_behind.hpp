// Processes that a program started and did not wait for.
#pragma once

#include <string>
#include <vector>

namespace freshet::tool {

/// As long as it lives, a process whose parent has ended becomes a child of this process if it descends from it, also
/// one that has left its process group (prctl(2), PR_SET_CHILD_SUBREAPER). The destructor ends those.
/// Precondition: this process starts one child at a time meanwhile.
class left_behind {
 public:
  left_behind();
  left_behind(const left_behind&) = delete;
  left_behind& operator=(const left_behind&) = delete;
  ~left_behind();

  /// The names of the processes that still run of those that `child` started, which has ended and was not waited for.
  [[nodiscard]] std::vector<std::string> list(int child) const;
  /// Ends all processes that became children of this one, and those that they leave behind in turn. Precondition: the
  /// child that started them was waited for.
  void end() const noexcept;

 private:
  [[nodiscard]] std::vector<int> adopted() const;

  std::vector<int> before_;  // children of this process that have nothing to do with it
};

}  // namespace freshet::tool
