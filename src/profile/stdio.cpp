#include <freshet/stdio.hpp>

#include <algorithm>
#include <string>

#include <freshet/detail/common.hpp>
#include <freshet/error.hpp>

#include "src/base/refusal.hpp"
#include "src/os/file.hpp"
#include "src/os/stdio.hpp"
#include "src/profile/profile_lookup.hpp"

namespace freshet {
namespace {

constexpr std::size_t usual_buffer = std::size_t{256} << 10;
// Every byte is copied through the buffer, so one that exceeds the processor's caches is slower.
constexpr std::size_t largest_buffer = std::size_t{1} << 20;

std::size_t profiled_block(const detail::os::file& target, std::uint64_t device) {
  if (!target.is_writable()) return detail::profiled_reading(target, device).warm.value_or(read_settings{}).block;
  return detail::profiled_settings(target, device, durability::none).value_or(write_settings{}).block;
}

// Returns 0 if the stream should keep its buffer.
std::size_t good_buffer(native_handle_type descriptor) {
  const detail::os::file target = detail::os::file::wrap(descriptor, false);
  std::error_code failure;
  const detail::os::file_status status = target.status(failure);
  if (failure) throw error{failure, "tune", {}, error::no_offset, detail::name_of_handle(descriptor)};
  if (status.kind == detail::os::file_kind::character_device) return 0;
  const std::size_t profiled =
      status.kind == detail::os::file_kind::regular ? profiled_block(target, status.device) : 0;
  return std::min(profiled != 0 ? profiled : usual_buffer, largest_buffer);
}

}  // namespace

std::size_t stdio_tune(std::FILE* stream) {
  const native_handle_type descriptor = detail::os::descriptor_of(stream);
  const std::size_t buffer = descriptor == no_native_handle ? 0 : good_buffer(descriptor);
  std::error_code failure;
  if (buffer != 0) detail::os::set_buffer(stream, buffer, failure);
  if (failure) throw error{failure, "set the buffer of", {}, error::no_offset, detail::name_of_handle(descriptor)};
  detail::os::leave_locking_to_caller(stream);
  return buffer;
}

std::size_t stdio_tune(std::FILE* stream, std::error_code& failure) noexcept {
  return detail::to_error_code(failure, [&] { return stdio_tune(stream); });
}

}  // namespace freshet
