// Which system calls a thread makes: a thread beside it sees each one before the kernel goes on with it.
#pragma once

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <functional>
#include <thread>

#include "tests/support/refused_call.hpp"

namespace freshet::test {

/// Whether this is the use of the call that `wanted` means.
[[nodiscard]] inline bool is_use_of(const seccomp_data& call, const system_call& wanted) {
  if (call.nr != wanted.number) return false;
  for (const argument_test& each : wanted.when)
    if ((static_cast<std::uint32_t>(call.args[each.number]) & each.mask) != each.value) return false;
  return true;
}

/// Calls `see` with each system call that this thread, and those that it starts, make from now on, until the process
/// ends. Returns whether the kernel lets it.
[[nodiscard]] inline bool watch_calls(std::function<void(const seccomp_data&)> see) {
  static std::atomic<int> listener{-1};
  // The thread cannot be woken by a call: that is what it has to let pass.
  std::thread{[see] {
    while (listener.load() < 0) std::this_thread::yield();
    seccomp_notif call{};
    while (::ioctl(listener, SECCOMP_IOCTL_NOTIF_RECV, &call) == 0 || errno == EINTR || errno == ENOENT) {
      see(call.data);
      seccomp_notif_resp answer{call.id, 0, 0, SECCOMP_USER_NOTIF_FLAG_CONTINUE};
      ::ioctl(listener, SECCOMP_IOCTL_NOTIF_SEND, &answer);
      call = {};
    }
  }}.detach();
  sock_filter all = refused_calls::statement(BPF_RET | BPF_K, SECCOMP_RET_USER_NOTIF);
  const sock_fprog filter{1, &all};
  if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return false;
  listener =
      static_cast<int>(::syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_NEW_LISTENER, &filter));
  return listener >= 0;
}

}  // namespace freshet::test
