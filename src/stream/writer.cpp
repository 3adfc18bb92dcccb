// The functions behind freshet::writer. Each passes a filled window to the sink.
#include <freshet/writer.hpp>

#include "src/base/native_path.hpp"
#include "src/stream/open_sink.hpp"

namespace freshet::detail {
namespace {

sink& sink_of(open_file* file) noexcept { return *static_cast<sink*>(file); }
const sink& sink_of(const open_file* file) noexcept { return *static_cast<const sink*>(file); }

void throw_failure(const sink& out) {
  if (out.failure()) throw out.failure_as_error();
}

sink& checked(open_file* file) {
  if (is_open(file)) return sink_of(file);
  if (file != nullptr) throw_failure(sink_of(file));
  throw error{std::make_error_code(std::errc::bad_file_descriptor), "use", file != nullptr ? sink_of(file).path() : "",
              error::no_offset, "the writer is closed"};
}

// The bytes up to `cursor` are in the sink's window. A writer whose last call threw has no cursor.
sink& filled_to(octet* cursor, open_file* file) {
  sink& out = checked(file);
  out.fill_to(reinterpret_cast<std::byte*>(cursor));
  return out;
}

// Returns the sink's window, and lets the writer tell its position.
window show(sink& out) noexcept {
  const sink_window& shown = out.window();
  out.front = reinterpret_cast<octet*>(shown.memory().data());
  out.front_offset = shown.offset();
  return {reinterpret_cast<octet*>(shown.room().data()), out.front + shown.memory().size()};
}

window show_or_throw(sink& out) {
  const window next = show(out);
  throw_failure(out);
  return next;
}

opened show_first(std::unique_ptr<sink> file) noexcept {
  const window room = show(*file);
  return {owned_file{file.release()}, room};
}

}  // namespace

void destroy(open_file* file) noexcept { delete static_cast<sink*>(file); }

opened open(const path_argument& path, const writer_options& options) {
  return show_first(open_sink(native_path{path}.get(), options));
}

opened adopt(native_handle_type descriptor, bool owned, const writer_options& options) {
  return show_first(adopt_sink(descriptor, owned, options));
}

window make_room(open_file* file, octet* cursor) {
  sink& out = filled_to(cursor, file);
  out.next_window();
  return show_or_throw(out);
}

window write_across(open_file* file, octet* cursor, std::span<const std::byte> bytes) {
  sink& out = filled_to(cursor, file);
  out.write(bytes);
  return show_or_throw(out);
}

window flush(open_file* file, octet* cursor) {
  sink& out = filled_to(cursor, file);
  out.flush();
  return show_or_throw(out);
}

window sync(open_file* file, octet* cursor) {
  sink& out = filled_to(cursor, file);
  out.sync();
  return show_or_throw(out);
}

window close(open_file* file, octet* cursor) {
  if (file == nullptr) return {};
  sink& out = sink_of(file);
  out.fill_to(reinterpret_cast<std::byte*>(cursor));
  out.close();
  return show_or_throw(out);
}

void discard(open_file* file, octet* cursor) noexcept {
  sink& out = sink_of(file);
  out.fill_to(reinterpret_cast<std::byte*>(cursor));
  // The child of a fork that ends its copy of a writer must not write its parent's bytes once more.
  if (out.is_inherited()) out.drop_unwritten();
  out.discard();
}

void reserve(open_file* file, std::uint64_t bytes) {
  sink& out = checked(file);
  std::error_code failure;
  out.reserve(bytes, failure);
  throw_failure(out);
  if (failure) throw error{failure, "reserve space for", out.path()};
}

void refuse_string(std::uint64_t offset) {
  throw error{std::make_error_code(std::errc::message_size), "write a string", {}, offset};
}

bool is_open(const open_file* file) noexcept { return file != nullptr && sink_of(file).is_open(); }

std::uint64_t written_bytes(const open_file* file) noexcept { return file != nullptr ? sink_of(file).written() : 0; }

std::uint64_t durable_bytes(const open_file* file) noexcept { return file != nullptr ? sink_of(file).durable() : 0; }

std::error_code last_error(const open_file* file) noexcept {
  return file != nullptr ? sink_of(file).failure() : std::error_code{};
}

std::string_view method_name(open_file* file) noexcept {
  return is_open(file) ? sink_of(file).method_name() : std::string_view{};
}

void collect_statistics(const open_file* file, file_statistics& result) {
  if (file != nullptr) result = sink_of(file).statistics();
}

checksum checksum_of(const open_file* file) noexcept { return file != nullptr ? sink_of(file).checksum() : checksum{}; }

native_handle_type descriptor_of(const open_file* file) noexcept {
  return file != nullptr ? sink_of(file).descriptor() : no_native_handle;
}

native_handle_type native_handle(open_file* file) noexcept {
  if (file == nullptr) return no_native_handle;
  sink_of(file).share_position();
  return sink_of(file).descriptor();
}

}  // namespace freshet::detail
