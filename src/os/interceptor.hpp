// Lets a test intercept the system calls of the library.
#pragma once

#include <cstddef>
#include <cstdint>
#include <system_error>

#include <freshet/detail/native_handle.hpp>

namespace freshet::detail::os {

/// Every kind of call that the seam makes. `status` is any call that only inspects a file (fstat, FIEMAP, cachestat,
/// …). `submit_write` and `submit_read` are single requests to an asynchronous queue; `submit` and `wait` are the
/// queue's own system calls (io_uring_enter, io_submit, aio_suspend, …).
enum class call : std::uint8_t {
  open,
  open_directory,
  close,
  write,
  write_at,
  write_dontcache,
  read,
  read_at,
  seek,
  preallocate,
  free_preallocation,
  set_size,
  sync_data,
  sync_file,
  sync_directory,
  start_writeback,
  wait_writeback,
  advise,
  map,
  sync_map,
  set_direct,
  set_attributes,
  status,
  link,
  rename,
  remove,
  lock,
  duplicate,
  queue_setup,
  register_buffers,
  register_file,
  submit_write,
  submit_read,
  submit,
  wait,
};

/// A call before it is made.
struct intercepted_call {
  call kind;
  native_handle_type descriptor;  ///< no_native_handle if there is none yet
  std::uint64_t offset;           ///< in bytes; 0 if the call has none
  std::size_t length;             ///< in bytes; an interceptor may reduce it for calls that transfer bytes
};

/// Can fail, shorten, delay or interrupt any call. For tests.
class interceptor {
 public:
  interceptor() = default;
  interceptor(const interceptor&) = delete;
  interceptor& operator=(const interceptor&) = delete;
  virtual ~interceptor() = default;

  /// Called before `next` is made, on the thread that makes it; may sleep. If it returns an error, the call is not made
  /// and reports that error (for `submit_…`, its completion does). Called by several threads at once.
  [[nodiscard]] virtual std::error_code before(intercepted_call& next) = 0;
};

/// Makes `replacement` (or none, if null) the interceptor of the whole process; returns the previous one.
interceptor* intercept(interceptor* replacement) noexcept;

/// Passes `next` to the interceptor, if there is one.
[[nodiscard]] std::error_code ask_interceptor(intercepted_call& next);

}  // namespace freshet::detail::os
