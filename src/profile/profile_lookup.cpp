#include "src/profile/profile_lookup.hpp"

#include <algorithm>
#include <atomic>
#include <bit>
#include <memory>
#include <utility>

#include <freshet/error.hpp>

#include "src/method/registry.hpp"
#include "src/os/environment.hpp"

namespace freshet::detail {
namespace {

/// The profiles, and the entry of each device. Entries are only added, never changed or removed, so no lock is needed:
/// a lookup passes over a handful of devices, and the child of a fork cannot inherit a held lock.
class profile_cache {
 public:
  explicit profile_cache(profile_stack stack) : stack_{std::move(stack)} {}
  profile_cache(const profile_cache&) = delete;
  profile_cache& operator=(const profile_cache&) = delete;
  ~profile_cache() {
    for (const device* next = devices_; next != nullptr;) delete std::exchange(next, next->next);
  }

  [[nodiscard]] const profile_stack& stack() const noexcept { return stack_; }

  /// If the kernel later reuses a device number for another file system, the old entry stays: at worst that is slower.
  [[nodiscard]] const file_system_profile* entry_for(const os::file& target, std::uint64_t number) {
    if (stack_.profiles.empty()) return nullptr;
    for (const device* known = devices_.load(std::memory_order_acquire); known != nullptr; known = known->next)
      if (known->number == number) return known->entry;
    const file_system_profile* entry = stack_.find(os::file_system_key(target)).entry;
    auto added = std::make_unique<device>(device{number, entry, devices_.load(std::memory_order_relaxed)});
    while (!devices_.compare_exchange_weak(added->next, added.get(), std::memory_order_acq_rel)) {
    }
    static_cast<void>(added.release());
    return entry;
  }

 private:
  struct device {
    std::uint64_t number;
    const file_system_profile* entry;
    const device* next;
  };
  const profile_stack stack_;
  std::atomic<const device*> devices_{nullptr};
};

std::atomic<profile_cache*> the_cache{nullptr};

/// Threads that open the first files of the process at the same time may each read the profiles; one result is kept.
profile_cache& cache() {
  if (profile_cache* existing = the_cache.load(std::memory_order_acquire)) return *existing;
  auto fresh = std::make_unique<profile_cache>(read_profiles());
  profile_cache* first = nullptr;
  if (the_cache.compare_exchange_strong(first, fresh.get(), std::memory_order_acq_rel)) return *fresh.release();
  return *first;
}

struct file_with_device {
  os::file file;
  std::uint64_t device = 0;
};

/// Empty where `path` cannot be opened: reading or writing it will report that.
std::optional<file_with_device> open_for_stat(const std::filesystem::path& path) {
  std::error_code error;
  file_with_device opened;
  opened.file = os::file::open_existing(path, error);
  if (!error) opened.device = opened.file.status(error).device;
  if (error) return std::nullopt;
  return opened;
}

/// The largest block with which the profiled method stays within `memory`, or 0 where the profile's own block does.
template <typename Settings>
std::size_t block_within(const std::optional<Settings>& profiled, unsigned most_depth, std::size_t memory) {
  const auto* const method = profiled ? find_method(profiled->method) : nullptr;
  if (method == nullptr) return 0;
  const std::size_t block = profiled->block != 0 ? profiled->block : method->good_block;
  const unsigned depth = profiled->depth != 0 ? profiled->depth : method->good_depth;
  const std::size_t blocks = method->asynchronous ? std::clamp(depth, 1U, most_depth) : 1;
  return block * blocks > memory ? std::bit_floor(memory / blocks) : 0;
}

}  // namespace

profile_stack::match profile_stack::find(std::string_view key) const {
  for (const profile& each : profiles) {
    const auto at = each.file_systems.find(std::string{key});
    if (at != each.file_systems.end()) return {&at->second, &each};
  }
  return {};
}

profile_stack read_profiles() {
  const bool chosen = !os::secure_environment("FRESHET_PROFILE").value_or("").empty();
  return read_profiles(profile_search_path(), chosen);
}

profile_stack read_profiles(const std::vector<std::filesystem::path>& places, bool required) {
  profile_stack stack;
  for (const auto& place : places) {
    try {
      profile one = read_profile(place);
      stack.warnings.insert(stack.warnings.end(), one.warnings.begin(), one.warnings.end());
      stack.profiles.push_back(std::move(one));
    } catch (const error& fault) {
      const bool missing = fault.code() == std::errc::no_such_file_or_directory;
      if (required || !missing) stack.warnings.emplace_back(fault.what());
    }
  }
  return stack;
}

std::optional<write_settings> profiled_settings(const os::file& target, std::uint64_t device,
                                                freshet::durability wanted) {
  const file_system_profile* entry = cache().entry_for(target, device);
  if (entry == nullptr) return {};
  return entry->winners[static_cast<std::size_t>(wanted)];
}

reading_settings profiled_reading(const os::file& target, std::uint64_t device) {
  const file_system_profile* entry = cache().entry_for(target, device);
  if (entry == nullptr) return {};
  return {entry->cold, entry->warm};
}

measured_ways known_ways(const write_settings& settings) {
  measured_ways ways = settings.measured;
  const method_entry* const method = find_method(settings.method);
  if (method == nullptr) return ways;
  const auto is_measured = [](const way_figure& figure) { return figure.seconds_per_byte > 0; };
  if (settings.slowest_expected > 0 && !is_measured(ways.kept) && !is_measured(ways.behind) &&
      !is_measured(ways.past)) {
    way_figure& named = method->direct ? ways.past : method->gives_back ? ways.behind : ways.kept;
    named = {.seconds_per_byte = 1e-6 / settings.slowest_expected, .spread = 1};
  }
  if (method->direct && ways.block == 0) {
    ways.block = settings.block;
    ways.depth = settings.depth;
  }
  return ways;
}

std::size_t reading_block_within(const std::filesystem::path& path, std::size_t memory) {
  constexpr unsigned most_depth = 64;
  const auto opened = open_for_stat(path);
  if (!opened) return 0;
  const auto profiled = profiled_reading(opened->file, opened->device);
  return std::max(block_within(profiled.cold, most_depth, memory), block_within(profiled.warm, most_depth, memory));
}

std::size_t writing_block_within(const std::filesystem::path& directory, freshet::durability wanted,
                                 unsigned most_depth, std::size_t memory) {
  const auto opened = open_for_stat(directory);
  return opened ? block_within(profiled_settings(opened->file, opened->device, wanted), most_depth, memory) : 0;
}

std::vector<std::string> profile_warnings() { return cache().stack().warnings; }

void use_profile(profile entries) {
  profile_stack stack;
  stack.profiles.push_back(std::move(entries));
  delete the_cache.exchange(new profile_cache{std::move(stack)});
}

void forget_profiles() { delete the_cache.exchange(nullptr); }

}  // namespace freshet::detail
