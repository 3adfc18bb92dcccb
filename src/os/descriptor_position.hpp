// A descriptor's own position, of a file that is read or written at offsets.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>

#include "src/os/file.hpp"
#include "src/os/fork.hpp"

namespace freshet::detail::os {

/// Sets the position of a descriptor, as a fork begins, to the offset that its file has come to: there the child of a
/// fork goes on.
// NOLINTNEXTLINE(cppcoreguidelines-virtual-class-destructor): it is final
class descriptor_position final : private fork_listener {
 public:
  /// @param of  lives as long as this
  explicit descriptor_position(file& of) noexcept : file_{of} {}

  /// Forks set the position to `offset` from now on.
  void follow(std::uint64_t offset) noexcept;
  /// Forks leave the position alone from now on: waits for one that is under way in another thread. Returns where they
  /// have set it; nothing if none did since follow(). The file may have come to a later offset since.
  std::optional<std::uint64_t> leave() noexcept;
  [[nodiscard]] bool is_followed() const noexcept { return subscription_.has_value(); }

  /// Whether there was a fork since the last notice_forks().
  [[nodiscard]] bool has_forked() const noexcept { return forks_ != fork_count(); }
  void notice_forks() noexcept { forks_ = fork_count(); }

 private:
  void before_fork() noexcept override;
  void after_fork_in_child() noexcept override {}

  static constexpr std::uint64_t none = ~std::uint64_t{0};

  file& file_;
  unsigned forks_ = fork_count();
  std::atomic<std::uint64_t> offset_ = 0;
  std::atomic<std::uint64_t> at_fork_ = none;
  std::optional<fork_subscription> subscription_;  // last, as it asks for
};

}  // namespace freshet::detail::os
