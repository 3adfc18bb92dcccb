// The place where a test stands between the library and the kernel.
#pragma once

#include <cstddef>
#include <cstdint>
#include <system_error>

namespace freshet::detail::os {

/// Every kind of call that the seam makes. `status` is whatever asks about a file without changing it (fstat, FIEMAP,
/// cachestat, …). `submit_write` and `submit_read` are one request given to an asynchronous queue; `submit` and `wait`
/// are the queue's own calls (io_uring_enter, io_submit, aio_suspend, …).
enum class call : std::uint8_t {
  open,
  close,
  write,
  write_at,
  write_dontcache,
  read,
  read_at,
  seek,
  preallocate,
  give_back,
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
  status,
  link,
  rename,
  remove,
  lock,
  queue_setup,
  register_buffers,
  register_file,
  submit_write,
  submit_read,
  submit,
  wait,
};

/// One call about to be made.
struct intercepted_call {
  call kind;
  int descriptor;        ///< -1 where there is none yet
  std::uint64_t offset;  ///< in bytes; 0 where the call has none
  std::size_t length;    ///< in bytes; an interceptor may lower it for the calls that move bytes
};

/// What a test puts between the library and the kernel; it may fail, shorten, delay or interrupt any call.
class interceptor {
 public:
  interceptor() = default;
  interceptor(const interceptor&) = delete;
  interceptor& operator=(const interceptor&) = delete;
  virtual ~interceptor() = default;

  /// Runs before `next` is made, on the thread that makes it; it may sleep. An error returned is what the call reports
  /// instead of being made (of `submit_…`: what its completion reports). Must be callable from several threads.
  [[nodiscard]] virtual std::error_code before(intercepted_call& next) = 0;
};

/// Puts `replacement` (null: none) between the library and the kernel for the whole process and returns what stood
/// there.
interceptor* intercept(interceptor* replacement) noexcept;

/// Asks the interceptor, if there is one, about `next`.
[[nodiscard]] std::error_code ask_interceptor(intercepted_call& next);

}  // namespace freshet::detail::os
