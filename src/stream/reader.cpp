// The functions behind freshet::reader. Each moves the source to another window.
#include <freshet/reader.hpp>

#include <algorithm>
#include <cstring>
#include <limits>

#include "src/base/native_path.hpp"
#include "src/stream/open_sink.hpp"

namespace freshet::detail {
namespace {

source& source_of(open_source* source) noexcept { return *static_cast<detail::source*>(source); }
const source& source_of(const open_source* source) noexcept { return *static_cast<const detail::source*>(source); }

void throw_failure(const source& in) {
  if (in.failure()) throw in.failure_as_error();
}

source& checked(open_source* source) {
  if (is_open(source)) return source_of(source);
  if (source != nullptr) throw_failure(source_of(source));
  throw error{std::make_error_code(std::errc::bad_file_descriptor), "use",
              source != nullptr ? source_of(source).path() : "", error::no_offset, "the reader is closed"};
}

std::size_t used(const source& in, const octet* cursor) noexcept { return static_cast<std::size_t>(cursor - in.front); }

// Returns the source's window.
read_window show(source& in) noexcept {
  const auto bytes = in.window();
  in.front = reinterpret_cast<const octet*>(bytes.data());
  in.front_offset = in.offset();
  return {in.front, in.front + bytes.size()};
}

read_window show_or_throw(source& in) {
  const read_window next = show(in);
  throw_failure(in);
  return next;
}

// Returns the window from `offset` on, or its end if that is before `offset`.
read_window show_from(source& in, std::uint64_t offset) {
  const read_window next = show_or_throw(in);
  const auto into = std::min<std::uint64_t>(offset - in.offset(), in.window().size());
  return {next.cursor + into, next.limit};
}

owned_source show_first(std::unique_ptr<source> first) noexcept {
  show(*first);
  return owned_source{first.release()};
}

std::span<const std::byte> rest_of(const source& in, const octet* cursor) noexcept {
  return in.window().subspan(used(in, cursor));
}

}  // namespace

void destroy(open_source* source) noexcept { delete static_cast<detail::source*>(source); }

owned_source open_to_read(const path_argument& path, const reader_options& options) {
  return show_first(open_for_reading(native_path{path}.get(), options));
}

owned_source adopt_to_read(native_handle_type descriptor, bool owned, const reader_options& options) {
  return show_first(adopt_for_reading(descriptor, owned, options));
}

read_window refill(open_source* source, const octet* /*cursor*/) {
  auto& in = checked(source);
  in.next_window();
  return show_or_throw(in);
}

read_length read_across(open_source* source, const octet* cursor, std::span<std::byte> into) {
  auto& in = checked(source);
  const auto rest = rest_of(in, cursor);
  if (!rest.empty()) std::memcpy(into.data(), rest.data(), rest.size());
  const std::size_t more = in.read(into.subspan(rest.size()));
  return {show_or_throw(in), rest.size() + more};
}

read_view view_across(open_source* source, const octet* cursor, std::size_t length) {
  auto& in = checked(source);
  const auto bytes = in.join(used(in, cursor), length);
  return {show_or_throw(in), bytes};
}

read_view view_through_across(open_source* source, const octet* cursor, std::byte last, std::size_t most) {
  auto& in = checked(source);
  const auto bytes = in.join_through(used(in, cursor), last, most);
  return {show_or_throw(in), bytes};
}

read_window skip(open_source* source, const octet* cursor, std::uint64_t length) {
  auto& in = checked(source);
  const std::uint64_t position = in.offset() + used(in, cursor);
  const std::uint64_t target = position + std::min(length, std::numeric_limits<std::uint64_t>::max() - position);
  if (in.can_seek()) return seek_source(source, cursor, target);
  while (in.offset() + in.window().size() < target && in.next_window()) {
  }
  return show_from(in, target);
}

read_window seek_source(open_source* source, const octet* cursor, std::uint64_t offset) {
  auto& in = checked(source);
  // After a failure, the position is that of the next byte that would have been read.
  if (offset < in.offset() || offset - in.offset() > in.window().size()) in.take(used(in, cursor));
  in.seek(offset);
  return show_from(in, offset);
}

read_window refresh_source(open_source* source, const octet* cursor) {
  auto& in = checked(source);
  const std::uint64_t position = in.offset() + used(in, cursor);
  in.refresh(position);
  return show_from(in, position);
}

read_window close_source(open_source* source, const octet* cursor) {
  if (source == nullptr) return {};
  auto& in = source_of(source);
  in.close(used(in, cursor));
  return show_or_throw(in);
}

void discard(open_source* source, const octet* cursor) noexcept {
  auto& in = source_of(source);
  in.close(used(in, cursor));
}

std::uint64_t size(open_source* source) {
  auto& in = checked(source);
  throw_failure(in);
  std::error_code failure;
  const auto size = in.size(failure);
  if (failure) throw in.size_failure_as_error(failure);
  return size;
}

void reject(const open_source* source, std::errc why, std::uint64_t offset, std::string_view detail) {
  throw error{std::make_error_code(why), "read", source != nullptr ? source_of(source).path() : "", offset, detail};
}

std::string explain_long_line(std::size_t longest) {
  return "a line is longer than " + std::to_string(longest) + " bytes";
}

void report_content(const open_source* source, std::errc why, std::uint64_t offset, std::string_view detail) {
  reject(source, why, offset, detail);
}

bool is_open(const open_source* source) noexcept { return source != nullptr && source_of(source).is_open(); }

std::error_code last_error(const open_source* source) noexcept {
  return source != nullptr ? source_of(source).failure() : std::error_code{};
}

std::string_view method_name(const open_source* source) noexcept {
  return is_open(source) ? source_of(source).method_name() : std::string_view{};
}

void collect_statistics(const open_source* source, file_statistics& result) {
  if (source != nullptr) result = source_of(source).statistics();
}

native_handle_type native_handle(const open_source* source) noexcept {
  return source != nullptr ? source_of(source).descriptor() : no_native_handle;
}

}  // namespace freshet::detail
