// Shared by the inline parts of freshet::writer and freshet::reader; not for programs.
#pragma once

#include <utility>

#include <freshet/detail/export.hpp>
#include <freshet/detail/failure.hpp>

namespace freshet::detail {

// Accesses through char may alias everything, including the writer's own members, so the compiler would reload these
// for each byte. Accesses through this type may not.
enum class octet : unsigned char {};

/// False, once a template is used: for a static_assert whose message says what to write instead.
template <typename...>
inline constexpr bool never = false;

/// Owns an object that destroy() ends. It replaces std::unique_ptr, because including `<memory>` takes about a third of
/// the time of `<fstream>`.
template <typename T>
class FRESHET_API owner {
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

}  // namespace freshet::detail
