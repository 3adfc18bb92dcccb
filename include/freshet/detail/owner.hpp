// What owns the open files of writers, readers and streams; not for programs.
#pragma once

#include <utility>

#include <freshet/detail/export.hpp>

namespace freshet::detail {

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

struct FRESHET_API open_file;
/// Deletes an open_file that was closed or abandoned.
FRESHET_API void destroy(open_file* file) noexcept;
using owned_file = owner<open_file>;

struct FRESHET_API open_source;
/// Deletes an open_source.
FRESHET_API void destroy(open_source* source) noexcept;
using owned_source = owner<open_source>;

}  // namespace freshet::detail
