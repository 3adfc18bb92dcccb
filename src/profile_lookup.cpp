#include "src/profile_lookup.hpp"

#include <atomic>
#include <memory>
#include <utility>

#include <freshet/error.hpp>

#include "src/os/environment.hpp"

namespace freshet::detail {
namespace {

/// What was read, and which entry belongs to which device. Nothing in it is ever changed or removed, only added, so
/// that it needs no lock: opens cost a walk over a handful of devices, and the child of a fork cannot inherit a held
/// lock.
class profile_cache {
 public:
  profile_cache() = default;
  profile_cache(const profile_cache&) = delete;
  profile_cache& operator=(const profile_cache&) = delete;
  ~profile_cache() {
    for (const device* next = devices_; next != nullptr;) delete std::exchange(next, next->next);
  }

  [[nodiscard]] const profile_stack& stack() const noexcept { return stack_; }

  /// A device number that the kernel gives to another file system later keeps its entry: slower at worst.
  [[nodiscard]] const file_system_profile* entry_for(const os::file& target, std::uint64_t number) {
    if (stack_.profiles.empty()) return nullptr;
    for (const device* known = devices_.load(std::memory_order_acquire); known != nullptr; known = known->next) {
      if (known->number == number) return known->entry;
    }
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
  const profile_stack stack_ = read_profiles();
  std::atomic<const device*> devices_{nullptr};
};

std::atomic<profile_cache*> the_cache{nullptr};

/// Threads that open the process's first files at the same moment may each read the profiles; one reading is kept.
profile_cache& cache() {
  if (profile_cache* there = the_cache.load(std::memory_order_acquire)) return *there;
  auto made = std::make_unique<profile_cache>();
  profile_cache* first = nullptr;
  if (the_cache.compare_exchange_strong(first, made.get(), std::memory_order_acq_rel)) return *made.release();
  return *first;
}

}  // namespace

profile_stack::found profile_stack::find(std::string_view key) const {
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
  profile_stack made;
  for (const auto& place : places) {
    try {
      profile one = read_profile(place);
      made.warnings.insert(made.warnings.end(), one.warnings.begin(), one.warnings.end());
      made.profiles.push_back(std::move(one));
    } catch (const error& fault) {
      const bool missing = fault.code() == std::errc::no_such_file_or_directory;
      if (required || !missing) made.warnings.emplace_back(fault.what());
    }
  }
  return made;
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

std::vector<std::string> profile_warnings() { return cache().stack().warnings; }

void forget_profiles() { delete the_cache.exchange(nullptr); }

}  // namespace freshet::detail
