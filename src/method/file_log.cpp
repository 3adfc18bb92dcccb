#include "src/method/file_log.hpp"

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <new>

#include "src/os/environment.hpp"
#include "src/os/native_string.hpp"

namespace freshet::detail {

void file_history::add(std::string_view method, std::uint64_t bytes, double waited) noexcept {
  auto* share = std::ranges::find(shares_, method, &method_share::method);
  if (share == shares_.end()) share = std::ranges::find(shares_, std::string_view{}, &method_share::method);
  if (share == shares_.end()) return;
  share->method = method;
  share->bytes += bytes;
  share->seconds_waited += waited;
}

file_statistics file_history::statistics(std::uint64_t bytes, const change_log* running) const {
  const change_log& changes = running != nullptr ? *running : changes_;
  file_statistics result{.bytes = bytes, .changes = changes.first, .all_changes = changes.all};
  for (const method_share& share : shares_)
    if (!share.method.empty()) result.methods.push_back(share);
  return result;
}

void file_history::end(const change_log* changes) noexcept {
  if (changes == nullptr || changes->all == 0) return;
  try {
    changes_ = *changes;
  } catch (const std::bad_alloc&) {
    changes_.all = changes->all;
  }
}

void add_statistics(const file_statistics& more, file_statistics& result) {
  result.bytes += more.bytes;
  for (const method_share& each : more.methods) {
    const auto same = std::ranges::find(result.methods, each.method, &method_share::method);
    if (same == result.methods.end()) {
      result.methods.push_back(each);
    } else {
      same->bytes += each.bytes;
      same->seconds_waited += each.seconds_waited;
    }
  }
  result.changes.insert(result.changes.end(), more.changes.begin(), more.changes.end());
  result.all_changes += more.all_changes;
}

// Remembered without a lock, which the child of a fork could inherit.
bool is_log_wanted() noexcept try {
  enum class answer : std::uint8_t { unknown, no, yes };
  static constinit std::atomic<answer> known{answer::unknown};
  if (known == answer::unknown)
    known = os::secure_environment("FRESHET_LOG").value_or("") == "1" ? answer::yes : answer::no;
  return known == answer::yes;
} catch (const std::bad_alloc&) {
  return false;
}

void print_log(std::string_view verb, const native_string& path, const file_statistics& statistics) {
  const std::string line = "freshet: " + std::string{verb} + ' ' + to_utf8(path) + ": " + describe(statistics) + '\n';
  std::fputs(line.c_str(), stderr);
}

}  // namespace freshet::detail
