// What an open file knows of its passing by the page cache.
#pragma once

#include <type_traits>

#include <freshet/detail/native_handle.hpp>

namespace freshet::detail::os {

/// The handle by which a Windows file passes by its cache: there, that cannot be changed for an open handle.
class direct_handle {
 public:
  direct_handle() noexcept = default;
  direct_handle(direct_handle&& other) noexcept;
  direct_handle& operator=(direct_handle&& other) noexcept;
  direct_handle(const direct_handle&) = delete;
  direct_handle& operator=(const direct_handle&) = delete;
  ~direct_handle() { close(); }

  /// Whether transfers use it.
  explicit operator bool() const noexcept { return in_use_; }
  [[nodiscard]] native_handle_type get() const noexcept { return handle_; }
  /// Takes over `opened`.
  void set(native_handle_type opened) noexcept { handle_ = opened; }
  void use(bool on) noexcept { in_use_ = on; }
  void close() noexcept;

 private:
  native_handle_type handle_ = no_native_handle;
  bool in_use_ = false;
};

/// What an open file knows of its passing by the page cache: a flag of the descriptor, or that handle.
using direct_state = std::conditional_t<std::is_pointer_v<native_handle_type>, direct_handle, bool>;

}  // namespace freshet::detail::os
