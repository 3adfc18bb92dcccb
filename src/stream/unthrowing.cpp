// What the headers call in programs that are compiled without exceptions: see freshet/detail/failure.hpp.
#include <freshet/detail/failure.hpp>

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <utility>

#include <freshet/detail/open_file.hpp>
#include <freshet/detail/open_source.hpp>

#include "src/stream/unthrowing.hpp"

namespace freshet::detail::unthrowing {
namespace {

constinit thread_local std::error_code* recorded = nullptr;

}  // namespace

error_recording::error_recording(std::error_code& failure) noexcept : before_{std::exchange(recorded, &failure)} {
  failure.clear();
}

error_recording::~error_recording() { recorded = before_; }

void end_program(const char* why) noexcept {
  std::fprintf(stderr, "freshet: %s\n", why);
  std::abort();
}

void report(const std::error_code& code, const char* why) noexcept {
  if (recorded == nullptr) end_program(why);
  if (!*recorded) *recorded = code;
}

opened open(const path_argument& path, const writer_options& options) noexcept {
  return attempt([&] { return detail::open(path, options); });
}

opened adopt(native_handle_type descriptor, bool owned, const writer_options& options) noexcept {
  return attempt([&] { return detail::adopt(descriptor, owned, options); });
}

window make_room(open_file* file, octet* cursor) noexcept {
  return attempt([=] { return detail::make_room(file, cursor); });
}

window write_across(open_file* file, octet* cursor, std::span<const std::byte> bytes) noexcept {
  return attempt([=] { return detail::write_across(file, cursor, bytes); });
}

window flush(open_file* file, octet* cursor) noexcept {
  return attempt([=] { return detail::flush(file, cursor); });
}

window sync(open_file* file, octet* cursor) noexcept {
  return attempt([=] { return detail::sync(file, cursor); });
}

window close(open_file* file, octet* cursor) noexcept {
  return attempt([=] { return detail::close(file, cursor); });
}

void reserve(open_file* file, std::uint64_t bytes) noexcept {
  attempt([=] { detail::reserve(file, bytes); });
}

void refuse_string(std::uint64_t offset) noexcept {
  attempt([=] { detail::refuse_string(offset); });
}

void collect_statistics(const open_file* file, file_statistics& result) noexcept {
  attempt([&] { detail::collect_statistics(file, result); });
}

owned_source open_to_read(const path_argument& path, const reader_options& options) noexcept {
  return attempt([&] { return detail::open_to_read(path, options); });
}

owned_source adopt_to_read(native_handle_type descriptor, bool owned, const reader_options& options) noexcept {
  return attempt([&] { return detail::adopt_to_read(descriptor, owned, options); });
}

read_window refill(open_source* source, const octet* cursor) noexcept {
  return attempt([=] { return detail::refill(source, cursor); });
}

read_length read_across(open_source* source, const octet* cursor, std::span<std::byte> into) noexcept {
  return attempt([=] { return detail::read_across(source, cursor, into); });
}

read_view view_across(open_source* source, const octet* cursor, std::size_t length) noexcept {
  return attempt([=] { return detail::view_across(source, cursor, length); });
}

read_view view_through_across(open_source* source, const octet* cursor, std::byte last, std::size_t most) noexcept {
  return attempt([=] { return detail::view_through_across(source, cursor, last, most); });
}

read_window skip(open_source* source, const octet* cursor, std::uint64_t length) noexcept {
  return attempt([=] { return detail::skip(source, cursor, length); });
}

read_window seek_source(open_source* source, const octet* cursor, std::uint64_t offset) noexcept {
  return attempt([=] { return detail::seek_source(source, cursor, offset); });
}

read_window refresh_source(open_source* source, const octet* cursor) noexcept {
  return attempt([=] { return detail::refresh_source(source, cursor); });
}

read_window close_source(open_source* source, const octet* cursor) noexcept {
  return attempt([=] { return detail::close_source(source, cursor); });
}

std::uint64_t size(open_source* source) noexcept {
  return attempt([=] { return detail::size(source); });
}

void reject(const open_source* source, std::errc why, std::uint64_t offset, std::string_view detail) noexcept {
  recorded = nullptr;  // the caller does not expect it to return
  attempt([&] { detail::reject(source, why, offset, detail); });
  std::abort();
}

void report_content(const open_source* source, std::errc why, std::uint64_t offset, std::string_view detail) noexcept {
  attempt([&] { detail::reject(source, why, offset, detail); });
}

void collect_statistics(const open_source* source, file_statistics& result) noexcept {
  attempt([&] { detail::collect_statistics(source, result); });
}

}  // namespace freshet::detail::unthrowing
