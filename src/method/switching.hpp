// When an adaptive file changes its way: the decisions alone, without a clock, a file or a device, so that tests can
// run them over recorded traces. doc/decisions/0022-adaptive.md has the reasons for every figure.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include <freshet/options.hpp>

namespace freshet::detail {

/// The two ways between which an adaptive file changes.
enum class way : std::uint8_t { cached, direct };

[[nodiscard]] constexpr way other_way(way one) noexcept { return one == way::cached ? way::direct : way::cached; }

/// How long programs waited for a device, by way.
struct way_speeds {
  struct wait {
    double seconds_per_byte = 0;
    std::uint64_t bytes = 0;  ///< that show it; 0: unknown
  };
  std::array<wait, 2> waits;

  [[nodiscard]] wait& by(way which) noexcept { return waits.at(static_cast<std::size_t>(which)); }
  [[nodiscard]] const wait& by(way which) const noexcept { return waits.at(static_cast<std::size_t>(which)); }
};

/// What the written files of one device have shown. All figures are those of all files together that write at the same
/// time.
struct device_speeds : way_speeds {
  double accepted = 0;  ///< bytes per second that the device took of what was written back to it; 0: unknown
  std::uint64_t accepted_bytes = 0;  ///< that show it
};

/// How many files write to a device at the same time, the one that asks included.
struct writers_at_once {
  unsigned all = 1;
  unsigned same_way = 1;
};

// The figures of the decisions, in bytes, seconds and shares.
inline constexpr std::uint64_t worth_exploring = std::uint64_t{16} << 20;  ///< smaller files stay as they begin
inline constexpr std::uint64_t sample_bytes = std::uint64_t{8} << 20;      ///< a factor of two shows in so many
inline constexpr std::uint64_t probe_bytes = std::uint64_t{1} << 20;    ///< between two looks at what the device took
inline constexpr std::uint64_t memory_bytes = std::uint64_t{64} << 20;  ///< that the average of a way reaches back
inline constexpr double least_gain = 1.1;          ///< times as fast as now, for a change to be worth it
inline constexpr double clear_gain = 1.65;         ///< from which bytes are written back whatever starting that costs
inline constexpr double change_share = 0.1;        ///< of the elapsed time, that any change may take
inline constexpr double regret_share = 0.05;       ///< of the elapsed time, for looks that find nothing better
inline constexpr std::uint64_t shortest_stay = 8;  ///< one part in so many of the file, before the next change
inline constexpr double usual_device = 1e9;        ///< bytes per second, of a device that nothing is known of
inline constexpr double writeback_call = 3e-10;    ///< seconds per byte that it takes to start writing back
inline constexpr double first_interval = 1;        ///< seconds from a look in vain to the next; then twice as long
inline constexpr double longest_interval = 60;     ///< seconds
inline constexpr std::uint64_t longest_trial = 4 * memory_bytes;  ///< bytes, while most files go the other way
inline constexpr unsigned many_writers = 4;                       ///< at once, from which a sample is waited for
inline constexpr unsigned free_changes = 10;                      ///< per file; later ones are a second apart
inline constexpr double least_distance = 1;                       ///< seconds

/// Returns how many times as fast the other way must look to be changed to, if `bytes` show it: twice after 8
/// MiB, 1.125 times after 64 MiB.
[[nodiscard]] double required_gain(std::uint64_t bytes) noexcept;

/// What an adaptive file should do next.
enum class step : std::uint8_t {
  go_on,
  start_writeback,  ///< have what the page cache holds written back, without waiting; then call writeback_started()
  count_written,    ///< find out how much of that is on the device; then call written_back()
  change,           ///< go on by the other way; then call changed()
};

/// Why a file goes on by the other way. Only files that are read change because of what the page cache holds.
enum class change_reason : std::uint8_t {
  faster_device,
  known_faster,
  look,
  look_failed,
  refused,
  in_cache,
  not_in_cache,
  forced,
};
[[nodiscard]] std::string_view to_string(change_reason reason) noexcept;

/// Decides when one file changes its way. Times are seconds on any steady clock.
class switching {
 public:
  struct setup {
    way first = way::cached;
    freshet::durability durability = freshet::durability::none;
    /// Bytes per second that a profile promises at least: while they are reached, nothing is tried. Infinite: a profile
    /// promises nothing and stays; 0: there is no profile.
    double expected = 0;
    double begin = 0;  ///< when the file's first byte was written
  };
  explicit switching(const setup& how) noexcept : setup_{how}, now_by_{how.first}, window_begin_{how.begin} {}

  /// Counts `bytes` that the way in use took, and the seconds that the program waited for it. Returns whether these are
  /// enough to call decide().
  [[nodiscard]] bool count(std::uint64_t bytes, double waited) noexcept;
  /// Brings `speeds` up to date by the bytes counted since the last call, and returns the next step. `may_explore`:
  /// whether no other file explores.
  [[nodiscard]] step decide(double now, device_speeds& speeds, writers_at_once writers, bool may_explore) noexcept;

  /// The most bytes to have written back: a sample while the answer is open, and all that a change would wait for once
  /// it is known.
  [[nodiscard]] std::uint64_t most_to_write_back() const noexcept { return is_sure_ ? memory_bytes : worth_exploring; }
  /// `left`: bytes in the page cache that are neither started nor written. `begin`: when the call that started it was
  /// made; `now`: when it returned.
  void writeback_started(std::uint64_t bytes, std::uint64_t left, double begin, double now) noexcept;
  /// `bytes`: of those that writeback_started() named, that are on the device.
  [[nodiscard]] step written_back(std::uint64_t bytes, double now, device_speeds& speeds,
                                  writers_at_once writers) noexcept;
  /// The change, for which the program waited since `asked`, is done.
  void changed(double asked, double now) noexcept;
  /// The change that a test asks for.
  [[nodiscard]] step force_change() noexcept {
    reason_ = change_reason::forced;
    return step::change;
  }
  /// The other way does not work here: nothing is tried from now on.
  void give_up() noexcept { gave_up_ = true; }
  /// The way in use turned out not to work here: the change from it is the last one.
  void leave_refused() noexcept {
    give_up();
    reason_ = change_reason::refused;
  }

  [[nodiscard]] way now_by() const noexcept { return now_by_; }
  [[nodiscard]] change_reason reason() const noexcept { return reason_; }
  [[nodiscard]] unsigned changes() const noexcept { return changes_; }
  /// Whether the other way looks so much faster that a change is likely to follow.
  [[nodiscard]] bool is_change_likely() const noexcept { return is_change_likely_; }
  /// Whether a look is under way, which only one file of a device may have.
  [[nodiscard]] bool is_exploring() const noexcept { return phase_ != phase::settled; }

 private:
  enum class phase : std::uint8_t { settled, probing, trying };

  void close_window(double now, device_speeds& speeds, writers_at_once writers) noexcept;
  [[nodiscard]] step judge_trial(double now, const device_speeds& speeds, writers_at_once writers) noexcept;
  [[nodiscard]] step consider_direct(double now, const device_speeds& speeds, writers_at_once writers,
                                     bool may_explore) noexcept;
  [[nodiscard]] step consider_cached(double now, const device_speeds& speeds, writers_at_once writers,
                                     bool may_explore) noexcept;
  [[nodiscard]] step ask(change_reason why, double now) noexcept;
  void put_off(double now) noexcept;
  [[nodiscard]] bool shows_its_way(writers_at_once writers) const noexcept;
  [[nodiscard]] double expected_wait(way which, const device_speeds& speeds, writers_at_once writers) const noexcept;
  [[nodiscard]] double expected_gain(const device_speeds& speeds, writers_at_once writers) const noexcept;
  [[nodiscard]] bool pays(const device_speeds& speeds, writers_at_once writers) const noexcept;
  [[nodiscard]] double switching_cost(const device_speeds& speeds) const noexcept;
  [[nodiscard]] bool is_worth_writing_back(double gain, double now) const noexcept;
  [[nodiscard]] double writeback_cost() const noexcept;
  [[nodiscard]] bool can_afford(double cost, double now) const noexcept;
  [[nodiscard]] bool is_time_to_look(double cost, double now) const noexcept;
  [[nodiscard]] bool is_as_promised(double now) const noexcept;

  setup setup_;
  way now_by_;
  phase phase_ = phase::settled;
  change_reason reason_ = change_reason::look;
  bool gave_up_ = false;
  unsigned changes_ = 0;
  double last_change_ = 0;

  std::uint64_t bytes_ = 0;  // in all
  double regret_ = 0;        // seconds that looks in vain cost
  double next_look_ = 0;
  double interval_ = first_interval;

  // Since the last change: bytes, and the average wait and time between the waits per byte of the last memory_bytes.
  std::uint64_t stayed_ = 0;
  double wait_ = 0;
  double own_time_ = 0;
  double usual_wait_ = 0;  // over the whole stay
  double missed_ = 0;      // seconds that the other way would have saved since it became the faster one
  bool is_sure_ = false;   // that the other way is faster
  bool is_change_likely_ = false;
  // Since the last decision.
  std::uint64_t window_ = 0;
  double window_waited_ = 0;
  double window_begin_;

  std::uint64_t dirty_ = 0;        // bytes in the page cache that nobody has started to write back
  std::uint64_t probed_ = 0;       // that are being written back
  std::uint64_t probed_done_ = 0;  // of these, the ones that the device had when it was last asked
  double probed_since_ = 0;
};

}  // namespace freshet::detail
