// Has one system call of this process fail, as sandboxes and container runtimes do: a seccomp filter, set without help
// of any library.
#pragma once

#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace freshet::test {

/// What an argument must be for a use of a system call to be meant.
struct argument_test {
  unsigned number = 0;       ///< of the argument, from 0
  std::uint32_t mask = ~0U;  ///< the bits that count, of its lower half
  std::uint32_t value = 0;   ///< what they must be
};

/// A system call, or one use of it.
struct system_call {
  long number = -1;
  std::string name;  ///< as strace prints it, with the use where it is only one: "openat(O_TMPFILE)"
  std::vector<argument_test> when = {};  ///< all must hold; empty: every use
};

namespace refused_calls {

constexpr sock_filter statement(unsigned code, std::uint32_t value) {
  return {static_cast<std::uint16_t>(code), 0, 0, value};
}

constexpr sock_filter jump(unsigned code, std::uint32_t value, std::size_t if_equal, std::size_t otherwise) {
  return {static_cast<std::uint16_t>(code), static_cast<std::uint8_t>(if_equal), static_cast<std::uint8_t>(otherwise),
          value};
}

// The processors for which the tests are built; the kernel names each in every filtered call.
constexpr std::uint32_t this_processor() { return SYS_read == 0 ? AUDIT_ARCH_X86_64 : AUDIT_ARCH_AARCH64; }

constexpr std::uint32_t offset_of_argument(unsigned number) {
  const std::size_t lower_half = std::endian::native == std::endian::little ? 0 : 4;
  return static_cast<std::uint32_t>(offsetof(seccomp_data, args) + 8 * number + lower_half);
}

// Allows the call unless it is the one that is meant. Calls of another processor's table are allowed.
[[nodiscard]] inline std::vector<sock_filter> program_for(const system_call& refused, int error) {
  constexpr unsigned load = BPF_LD | BPF_W | BPF_ABS, equal = BPF_JMP | BPF_JEQ | BPF_K, give = BPF_RET | BPF_K;
  std::vector<sock_filter> program;
  // Each test is three statements, and the last two of all are the answers.
  std::size_t left = 2 + 3 * refused.when.size();
  program.push_back(statement(load, offsetof(seccomp_data, arch)));
  program.push_back(jump(equal, this_processor(), 0, left + 1));
  program.push_back(statement(load, offsetof(seccomp_data, nr)));
  program.push_back(jump(equal, static_cast<std::uint32_t>(refused.number), 0, left - 1));
  for (const argument_test& each : refused.when) {
    left -= 3;
    program.push_back(statement(load, offset_of_argument(each.number)));
    program.push_back(statement(BPF_ALU | BPF_AND | BPF_K, each.mask));
    program.push_back(jump(equal, each.value, 0, left - 1));
  }
  program.push_back(statement(give, SECCOMP_RET_ERRNO | static_cast<std::uint32_t>(error)));
  program.push_back(statement(give, SECCOMP_RET_ALLOW));
  return program;
}

}  // namespace refused_calls

/// Has the call fail with `error` from now on, for good, in this thread and its children; others of the same name go
/// on. Returns whether the kernel took the filter.
[[nodiscard]] inline bool refuse_call(const system_call& refused, int error) {
  std::vector<sock_filter> program = refused_calls::program_for(refused, error);
  const sock_fprog filter{static_cast<unsigned short>(program.size()), program.data()};
  return ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) == 0;
}

}  // namespace freshet::test
