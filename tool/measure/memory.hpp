// The memory that the page cache takes its pages from, and how fast the machine has it at hand.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <vector>

namespace freshet::tool {

/// Bytes that this process can still have: MemAvailable, or less where its control group allows less. 0 where the
/// system does not say.
[[nodiscard]] std::uint64_t available_memory();

/// Has the next `bytes` of the page cache come from memory that the machine has at hand: writes as much into a file in
/// `directory` and unlinks it before the device sees any of it. Memory that a hypervisor must bring back first is many
/// times slower at its first touch, so that otherwise the order of the trials decided who wins. Stays below a tenth of
/// what is free, from where on Linux starts to write by itself. @throws freshet::error; interrupted
void free_memory_at_once(const std::filesystem::path& directory, std::uint64_t bytes);

/// Memory held in pages of one size.
class held_pages {
 public:
  /// Bytes that are asked for at a time: from 2 MiB on, they come as huge pages.
  explicit held_pages(std::size_t piece) : piece_{piece} {}
  held_pages(const held_pages&) = delete;
  held_pages& operator=(const held_pages&) = delete;
  ~held_pages() { release(); }

  /// Takes more until it is slow to come; false where neither `patience` seconds nor half of what is available do.
  /// @throws interrupted
  bool take_until_slow(double patience);
  void release() noexcept;
  [[nodiscard]] std::uint64_t bytes() const noexcept { return pieces_.size() * piece_; }

 private:
  double take_some();

  std::size_t piece_;
  std::vector<std::byte*> pieces_;
  double fastest_ = 0;  ///< seconds that some took; 0: not known
};

/// Memory in use, so that whoever asks for some gets other.
class memory_in_use {
 public:
  memory_in_use();

  /// Takes all memory that the machine has at hand, until what it gets next must be brought in first: memory at rest,
  /// as a program finds it on an idle machine. When it holds half of all, it lets go, and waits until that is at
  /// rest again. Where two seconds (or half of what is available) show none such, and no hypervisor is told what
  /// memory is free, all memory is alike: gives back what it took, and does nothing from then on. @throws interrupted
  void take_what_is_at_hand();
  void release() noexcept;

 private:
  bool reach_memory_at_rest();

  // What was a file's memory lies about in pages of many sizes, and the next file gets those.
  held_pages huge_{std::size_t{8} << 20};
  held_pages small_{std::size_t{1} << 20};
  bool comes_to_rest_;
  bool all_alike_ = false;
};

/// MB/s of touching memory new to this process, and of touching as much again right after giving it back.
struct touch_speeds {
  double fresh = 0;
  double reused = 0;
};
[[nodiscard]] touch_speeds measure_first_touch();

}  // namespace freshet::tool
