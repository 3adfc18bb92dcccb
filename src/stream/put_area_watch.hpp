// What the put area of a stream held at the moment of a fork.
#pragma once

#include <cstddef>
#include <utility>

#include <freshet/filebuf.hpp>

#include "src/os/fork.hpp"

namespace freshet::detail {

/// In the child of a fork, tells how many bytes of a stream's put area are its parent's, which alone writes them.
// NOLINTNEXTLINE(cppcoreguidelines-virtual-class-destructor): it is final
class put_area_watch final : private os::fork_listener {
 public:
  explicit put_area_watch(const filebuf& watched) : watched_{&watched}, subscription_{*this} {}

  /// The stream buffer that has the put area now.
  void follow(const filebuf& watched) noexcept { watched_ = &watched; }
  /// Returns how many bytes at the front of the put area are the parent's. They are then taken out of it.
  [[nodiscard]] std::size_t take_inherited() noexcept { return std::exchange(inherited_, 0); }

 private:
  void before_fork() noexcept override {}
  void after_fork_in_child() noexcept override {
    inherited_ = static_cast<std::size_t>(watched_->pptr() - watched_->pbase());
  }

  const filebuf* watched_;
  std::size_t inherited_ = 0;
  os::fork_subscription subscription_;
};

}  // namespace freshet::detail
