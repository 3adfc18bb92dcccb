#include "src/method/prior.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <functional>
#include <new>
#include <string>

#include "src/method/steady_seconds.hpp"
#include "src/os/environment.hpp"

namespace freshet::detail {
namespace {

constexpr std::uint64_t lifetime = 60;  // seconds

// A figure in one word, which other threads see whole: 24 bits of a float for the seconds for each byte, 20 for when it
// was left, in seconds, 6 for the spread in sixteenths, 6 for the bytes as a power of two, 8 for the place. 0: none.
using packed_figure = std::uint64_t;

constexpr unsigned seconds_bits = 24;
constexpr unsigned when_bits = 20;
constexpr unsigned spread_bits = 6;
constexpr unsigned bytes_bits = 6;
constexpr unsigned place_bits = 8;

std::uint64_t low_bits(std::uint64_t value, unsigned count) noexcept {
  return value & ((std::uint64_t{1} << count) - 1);
}

std::uint64_t time_of(double now) noexcept { return low_bits(static_cast<std::uint64_t>(now), when_bits); }

// Never 0, which is no place.
std::uint64_t hash_of(const file_place& place) noexcept {
  const std::uint64_t mixed = (4 * place.device + static_cast<std::uint64_t>(place.kind) + 1) * 0x9E3779B97F4A7C15U;
  return (mixed ^ (mixed >> 29U)) | 1U;
}

packed_figure pack(const way_figure& figure, std::uint64_t hash, double now) noexcept {
  const auto seconds = std::bit_cast<std::uint32_t>(static_cast<float>(figure.seconds_per_byte)) >> (32 - seconds_bits);
  const auto spread = static_cast<std::uint64_t>(std::clamp(16 * figure.spread, 0.0, 63.0));
  packed_figure packed = seconds;
  packed = packed << when_bits | time_of(now);
  packed = packed << spread_bits | spread;
  packed = packed << bytes_bits | static_cast<unsigned>(std::bit_width(figure.bytes >> 1U));
  return packed << place_bits | low_bits(hash >> 48U, place_bits);
}

// Nothing if it is too old, or of a place that was here before.
way_figure unpack(packed_figure packed, std::uint64_t hash, double now) noexcept {
  const auto take = [&](unsigned bits) {
    const std::uint64_t taken = low_bits(packed, bits);
    packed >>= bits;
    return taken;
  };
  if (packed == 0 || take(place_bits) != low_bits(hash >> 48U, place_bits)) return {};
  way_figure figure;
  figure.bytes = std::uint64_t{1} << take(bytes_bits);
  figure.spread = static_cast<double>(take(spread_bits)) / 16;
  if (low_bits(time_of(now) - take(when_bits), when_bits) > lifetime) return {};
  figure.seconds_per_byte = std::bit_cast<float>(static_cast<std::uint32_t>(packed << (32 - seconds_bits)));
  return figure;
}

struct slot {
  std::atomic<std::uint64_t> place{0};
  std::atomic<packed_figure> kept{0};
  std::atomic<packed_figure> behind{0};
  std::atomic<packed_figure> past{0};
};
constinit std::array<slot, 32> slots{};

slot* find_slot(std::uint64_t hash) noexcept {
  for (slot& each : slots)
    if (each.place.load(std::memory_order_relaxed) == hash) return &each;
  return nullptr;
}

slot& take_slot(std::uint64_t hash) noexcept {
  if (slot* const known = find_slot(hash)) return *known;
  for (slot& each : slots) {
    std::uint64_t empty = 0;
    if (each.place.compare_exchange_strong(empty, hash, std::memory_order_relaxed) || empty == hash) return each;
  }
  slot& replaced = slots.at(hash / 2 % slots.size());
  replaced.place.store(hash, std::memory_order_relaxed);
  return replaced;
}

// What the last files showed counts as much as all before.
void leave(std::atomic<packed_figure>& into, way_figure figure, std::uint64_t hash, double now) noexcept {
  if (figure.seconds_per_byte == 0) return;
  if (const way_figure before = unpack(into.load(std::memory_order_relaxed), hash, now); before.bytes > 0) {
    figure.seconds_per_byte = (before.seconds_per_byte + figure.seconds_per_byte) / 2;
    figure.spread = std::max(before.spread / 2, figure.spread);
  }
  into.store(pack(figure, hash, now), std::memory_order_relaxed);
}

bool is_measured(const way_figure& figure) noexcept { return figure.seconds_per_byte > 0; }

}  // namespace

file_place place_of(const os::file& target, std::uint64_t device, file_kind kind) noexcept try {
  if (!os::names_file_system(device)) device = std::hash<std::string>{}(os::file_system_key(target));
  return {device, kind};
} catch (const std::bad_alloc&) {
  return {device, kind};
}

measured_ways recall_ways(const file_place& place) noexcept {
  const std::uint64_t hash = hash_of(place);
  const slot* const known = find_slot(hash);
  if (known == nullptr) return {};
  const double now = steady_seconds();
  const auto figure = [&](const std::atomic<packed_figure>& from) {
    return unpack(from.load(std::memory_order_relaxed), hash, now);
  };
  return {.kept = figure(known->kept), .behind = figure(known->behind), .past = figure(known->past)};
}

void leave_ways(const file_place& place, const measured_ways& ways) noexcept {
  const std::uint64_t hash = hash_of(place);
  slot& into = take_slot(hash);
  const double now = steady_seconds();
  leave(into.kept, ways.kept, hash, now);
  leave(into.behind, ways.behind, hash, now);
  leave(into.past, ways.past, hash, now);
}

void forget_priors() noexcept {
  for (slot& each : slots)
    for (auto* const figure : {&each.kept, &each.behind, &each.past}) figure->store(0, std::memory_order_relaxed);
}

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

bool prior::is_empty() const noexcept {
  return !is_measured(ways.kept) && !is_measured(ways.behind) && !is_measured(ways.past);
}

prior find_prior(const file_place& place, const measured_ways& profiled) noexcept {
  prior found{.ways = profiled};
  const measured_ways recalled = recall_ways(place);
  const auto prefer = [&](way_figure& into, const way_figure& figure) {
    if (!is_measured(figure)) return;
    into = figure;
    found.is_of_process = true;
  };
  prefer(found.ways.kept, recalled.kept);
  prefer(found.ways.behind, recalled.behind);
  prefer(found.ways.past, recalled.past);
  return found;
}

}  // namespace freshet::detail
