#include "src/method/prior.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <functional>
#include <new>
#include <string>

#include "src/method/steady_seconds.hpp"
#include "src/method/way.hpp"
#include "src/os/environment.hpp"

namespace freshet::detail {
namespace {

constexpr std::uint32_t lifetime = 60;                         // seconds
constexpr std::uint64_t least_bytes = std::uint64_t{8} << 20;  // that a figure is of
constexpr std::uint32_t time_mask = (1U << 20U) - 1;

// A figure in one word, which other threads see whole. Unless it is aligned like one, clang calls libatomic.
struct alignas(std::uint64_t) figure_word {
  float seconds_per_byte;    // 0: none
  std::uint32_t when : 20;   // seconds
  std::uint32_t spread : 6;  // sixteenths
  std::uint32_t bytes : 6;   // as a power of two
};
static_assert(std::atomic<figure_word>::is_always_lock_free);

struct slot {
  std::atomic<std::uint64_t> id{0};  // 0: free
  std::atomic<figure_word> kept{figure_word{}};
  std::atomic<figure_word> behind{figure_word{}};
  std::atomic<figure_word> past{figure_word{}};
};
constinit std::array<slot, 32> slots{};

std::uint64_t id_of(const file_place& place) noexcept {
  return (place.device << 2U) + static_cast<std::uint64_t>(place.kind) + 1;
}

std::uint32_t whole_seconds() noexcept { return static_cast<std::uint32_t>(steady_seconds()) & time_mask; }

void forget(slot& of) noexcept {
  for (const way each : all_ways) figure_of(of, each).store({}, std::memory_order_relaxed);
}

// Null if nothing is known of it, and `takes_free` is false.
slot* find_slot(std::uint64_t id, bool takes_free) noexcept {
  for (slot& each : slots) {
    std::uint64_t found = each.id.load(std::memory_order_relaxed);
    if (found == 0 && takes_free && each.id.compare_exchange_strong(found, id, std::memory_order_relaxed)) found = id;
    if (found == id) return &each;
  }
  return nullptr;
}

slot& take_slot(std::uint64_t id) noexcept {
  if (slot* const found = find_slot(id, true)) return *found;
  slot& replaced = slots.at(id % slots.size());
  forget(replaced);
  replaced.id.store(id, std::memory_order_relaxed);
  return replaced;
}

way_figure load(const std::atomic<figure_word>& from, std::uint32_t now) noexcept {
  const figure_word word = from.load(std::memory_order_relaxed);
  if (word.seconds_per_byte == 0 || ((now - word.when) & time_mask) > lifetime) return {};
  return {word.seconds_per_byte, word.spread / 16.0, std::uint64_t{1} << word.bytes};
}

// What the last file showed counts as much as all before.
void leave(std::atomic<figure_word>& into, way_figure figure, std::uint32_t now) noexcept {
  if (const way_figure before = load(into, now); before.bytes > 0) {
    figure.seconds_per_byte = (before.seconds_per_byte + figure.seconds_per_byte) / 2;
    figure.spread = std::max(before.spread / 2, figure.spread);
  }
  figure_word word{};
  word.seconds_per_byte = static_cast<float>(figure.seconds_per_byte);
  word.when = now & time_mask;
  word.spread = static_cast<std::uint32_t>(std::clamp(16 * figure.spread, 0.0, 63.0)) & 63U;
  word.bytes = static_cast<std::uint32_t>(std::bit_width(figure.bytes >> 1U)) & 63U;
  into.store(word, std::memory_order_relaxed);
}

std::uint64_t device_of(const os::file& target, std::uint64_t device) noexcept try {
  return os::names_file_system(device) ? device : std::hash<std::string>{}(os::file_system_key(target));
} catch (const std::bad_alloc&) {
  return device;
}

}  // namespace

measured_ways recall_ways(const file_place& place) noexcept {
  measured_ways ways;
  const slot* const known = find_slot(id_of(place), false);
  if (known == nullptr) return ways;
  const std::uint32_t now = whole_seconds();
  for (const way each : all_ways) figure_of(ways, each) = load(figure_of(*known, each), now);
  return ways;
}

void leave_ways(const file_place& place, const measured_ways& ways) noexcept {
  const auto is_told = [&](way one) { return figure_of(ways, one).bytes >= least_bytes; };
  if (std::ranges::none_of(all_ways, is_told)) return;
  slot& into = take_slot(id_of(place));
  const std::uint32_t now = whole_seconds();
  for (const way each : all_ways)
    if (is_told(each)) leave(figure_of(into, each), figure_of(ways, each), now);
}

void forget_priors() noexcept { std::ranges::for_each(slots, forget); }

// Remembered without a lock, which the child of a fork could inherit.
bool are_priors_wanted() noexcept try {
  enum class answer : std::uint8_t { unknown, no, yes };
  static constinit std::atomic<answer> known{answer::unknown};
  if (known == answer::unknown)
    known = os::secure_environment("FRESHET_PRIOR").value_or("") == "none" ? answer::no : answer::yes;
  return known == answer::yes;
} catch (const std::bad_alloc&) {
  return false;
}

prior find_prior(const os::file& target, const prior_setup& setup, file_kind kind) noexcept {
  if (!setup.is_wanted || os::is_in_memory(target) || !os::is_local(target)) return {};
  prior found{.place = file_place{device_of(target, setup.device), kind}, .ways = setup.profiled};
  const measured_ways recalled = recall_ways(*found.place);
  for (const way each : all_ways) {
    if (figure_of(recalled, each).bytes == 0) continue;
    figure_of(found.ways, each) = figure_of(recalled, each);
    found.source = change_reason::process;
  }
  return found;
}

}  // namespace freshet::detail
