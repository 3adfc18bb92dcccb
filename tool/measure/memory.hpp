// Free memory available to the page cache, and how quickly it can be faulted in.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <vector>

namespace freshet::tool {

/// Bytes that this process can still get: MemAvailable, or less if a control group allows less. 0 if the system does
/// not say.
[[nodiscard]] std::uint64_t available_memory();

/// Makes the next `bytes` of the page cache come from memory that was just freed: writes as much into a file in
/// `directory` and unlinks it before the device sees any of it. Memory that a hypervisor must bring back first is many
/// times slower at its first touch; without this call, the order of the trials would decide which is fastest. Takes
/// less than a tenth of the free memory, since above that Linux starts to write by itself. @throws freshet::error;
/// interrupted
void free_memory_at_once(const std::filesystem::path& directory, std::uint64_t bytes);

/// Times as long as memory just freed, from which new memory is slow to touch. Where the host backs all memory it takes
/// 1.0 to 2.2 times as long, and ten times where it must be brought back.
inline constexpr double slow_memory = 3;

/// Memory held in pieces of one size.
class held_pages {
 public:
  /// `piece`: bytes allocated at a time; from 2 MiB on, they come as huge pages.
  explicit held_pages(std::size_t piece) : piece_{piece} {}
  held_pages(const held_pages&) = delete;
  held_pages& operator=(const held_pages&) = delete;
  ~held_pages() { release(); }

  /// Takes more memory until it is slow to touch. False if it is not after `patience` seconds, or when `most` bytes are
  /// taken. @throws interrupted
  bool take_until_slow(double patience, std::uint64_t most);
  /// Takes `count` more pieces, or as many as there are. Returns the seconds that touching each took.
  std::vector<double> take(std::size_t count);
  void release() noexcept;
  [[nodiscard]] std::size_t piece() const noexcept { return piece_; }
  [[nodiscard]] std::uint64_t bytes() const noexcept { return pieces_.size() * piece_; }

 private:
  double take_step();

  std::size_t piece_;
  std::vector<std::byte*> pieces_;
  double fastest_ = 0;  ///< seconds of the fastest step; 0: not known
};

/// A little memory that is new to this process, touched to find out how fast that is here and now, and held as long as
/// this lives: what is measured meanwhile gets other memory.
class first_touch {
 public:
  first_touch();

  /// MB/s; empty if there was no memory.
  [[nodiscard]] std::optional<double> rate() const noexcept { return rate_; }
  /// MB/s of touching it again right after it was freed; empty if there was no memory.
  [[nodiscard]] std::optional<double> rate_again() const noexcept { return rate_again_; }
  /// Whether it took more than slow_memory times as long as touching it again right after it was freed.
  [[nodiscard]] bool is_slow() const noexcept { return slow_; }

 private:
  // Without huge pages, as the page cache has its memory.
  held_pages pieces_{std::size_t{1} << 20};
  std::optional<double> rate_;
  std::optional<double> rate_again_;
  bool slow_ = false;
};

/// Holds memory, so that others get different memory.
class memory_in_use {
 public:
  /// `patience`: seconds that all calls of take_backed_memory() together may take.
  explicit memory_in_use(double patience) : patience_{patience} {}

  /// Takes the memory that the host backs, until the next piece must be brought in first, as a program finds memory on
  /// an idle virtual machine. Holds at most an eighth of the memory that is available, and tries for two seconds at
  /// most: if that is not enough, or the patience is used up, it gives everything back and does nothing from then on.
  /// @throws interrupted
  void take_backed_memory();
  void release() noexcept;
  /// Bytes held now.
  [[nodiscard]] std::uint64_t bytes() const noexcept { return huge_.bytes() + small_.bytes(); }

 private:
  bool reach_unbacked_memory(double patience);

  // The memory of a former file is scattered in pieces of many sizes, and the next file gets those.
  held_pages huge_{std::size_t{8} << 20};
  held_pages small_{std::size_t{1} << 20};
  double patience_;
};

/// MB/s of touching memory that is new to this process, and of touching as much again right after giving it back; 0:
/// not measured.
struct touch_speeds {
  double fresh = 0;
  double reused = 0;
  [[nodiscard]] bool is_slow() const noexcept { return reused > slow_memory * fresh; }
};

/// The most that measure_first_touch() takes, in seconds.
inline constexpr double touch_time = 0.15;

/// Touches memory piece by piece, and returns the speeds of the piece whose first touch was slowest beside its second.
/// What is said of memory's first touch rests on this: by doctor, and in the environment of every run.
/// @throws interrupted
[[nodiscard]] touch_speeds measure_first_touch();

}  // namespace freshet::tool
