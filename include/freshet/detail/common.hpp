// What the inline halves of freshet::writer and freshet::reader have in common; not for programs.
#pragma once

#include <system_error>
#include <utility>

namespace freshet::detail {

// Accesses through char may alias everything, the writer's own members included, and would have them loaded anew for
// each byte; those through a type of its own do not.
enum class octet : unsigned char {};

/// Owns what destroy() ends: std::unique_ptr without <memory>, which costs half as much as <fstream>.
template <typename T>
class owner {
 public:
  owner() = default;
  explicit owner(T* owned) noexcept : owned_{owned} {}
  owner(owner&& other) noexcept : owned_{other.release()} {}
  owner& operator=(owner&& other) noexcept {
    reset(other.release());
    return *this;
  }
  owner(const owner&) = delete;
  owner& operator=(const owner&) = delete;
  ~owner() { reset(); }

  void reset(T* owned = nullptr) noexcept {
    T* const old = std::exchange(owned_, owned);
    if (old != nullptr) destroy(old);
  }
  [[nodiscard]] T* release() noexcept { return std::exchange(owned_, nullptr); }
  [[nodiscard]] T* get() const noexcept { return owned_; }
  [[nodiscard]] T* operator->() const noexcept { return owned_; }
  [[nodiscard]] T& operator*() const noexcept { return *owned_; }
  explicit operator bool() const noexcept { return owned_ != nullptr; }

 private:
  T* owned_ = nullptr;
};

/// Returns what `operation` returns, or says in `failure` what it threw and returns nothing in particular.
template <typename Operation>
auto attempt(std::error_code& failure, Operation operation) noexcept -> decltype(operation()) {
  failure.clear();
  try {
    return operation();
  } catch (const std::system_error& caught) {
    failure = caught.code();
  } catch (...) {  // only memory for the exception itself can be missing
    failure = std::make_error_code(std::errc::not_enough_memory);
  }
  return decltype(operation())();
}

}  // namespace freshet::detail
