// statx(2), with the fields that the headers of some supported distributions lack.
#pragma once

#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>

namespace freshet::detail::os {

inline constexpr unsigned statx_mount_id = 0x1000;          // STATX_MNT_ID, Linux 5.8
inline constexpr unsigned statx_direct_alignment = 0x2000;  // STATX_DIOALIGN, Linux 6.1

/// The kernel's struct statx. Only the fields that are used have names.
struct statx_answer {
  std::uint32_t mask;  ///< which of the requested fields are filled in
  std::byte unread_start[0x8c];
  std::uint64_t mount_id;
  std::uint32_t direct_memory_alignment;
  std::uint32_t direct_offset_alignment;
  std::byte unread_end[0x60];
};
static_assert(offsetof(statx_answer, mount_id) == 0x90 && sizeof(statx_answer) == 0x100);

/// Requests the fields `wanted` of the open `descriptor`; the result's mask is 0 on failure.
[[nodiscard]] inline statx_answer ask_statx(int descriptor, unsigned wanted) noexcept {
  statx_answer answer{};
  if (::syscall(SYS_statx, descriptor, "", AT_EMPTY_PATH, wanted, &answer) < 0) answer.mask = 0;
  return answer;
}

}  // namespace freshet::detail::os
