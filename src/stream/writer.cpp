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

std::size_t filled(const sink& out, const octet* cursor) noexcept {
  return static_cast<std::size_t>(cursor - out.front);
}

octet* limit(const sink& out) noexcept { return out.front + out.window().size(); }

// Returns the sink's window, whose first `kept` bytes are filled.
window show(sink& out, std::size_t kept) noexcept {
  out.front = reinterpret_cast<octet*>(out.window().data());
  out.front_offset = out.offset();
  return {out.front + kept, limit(out)};
}

window show_or_throw(sink& out, std::size_t kept = 0) {
  const window next = show(out, kept);
  throw_failure(out);
  return next;
}

opened show_first(std::unique_ptr<sink> file) noexcept {
  const window room = show(*file, 0);
  return {owned_file{file.release()}, room};
}

}  // namespace

void destroy(open_file* file) noexcept { delete static_cast<sink*>(file); }

opened open(const path_argument& path, const writer_options& options) {
  return show_first(open_sink(native_path{path}.get(), options));
}

opened adopt(int descriptor, bool owned, const writer_options& options) {
  return show_first(adopt_sink(descriptor, owned, options));
}

window make_room(open_file* file, octet* cursor) {
  sink& out = checked(file);
  return show_or_throw(out, out.exchange(filled(out, cursor)));
}

window write_across(open_file* file, octet* cursor, std::span<const std::byte> bytes) {
  sink& out = checked(file);
  return show_or_throw(out, out.write(filled(out, cursor), bytes));
}

window flush(open_file* file, octet* cursor) {
  sink& out = checked(file);
  out.flush(filled(out, cursor));
  return show_or_throw(out);
}

window sync(open_file* file, octet* cursor) {
  sink& out = checked(file);
  out.sync(filled(out, cursor));
  return show_or_throw(out);
}

window close(open_file* file, octet* cursor) {
  if (file == nullptr) return {};
  sink& out = sink_of(file);
  out.close(filled(out, cursor));
  return show_or_throw(out);
}

void discard(open_file* file, octet* cursor) noexcept {
  sink& out = sink_of(file);
  out.discard(filled(out, cursor));
}

void reserve(open_file* file, std::uint64_t bytes) {
  sink& out = checked(file);
  std::error_code failure;
  out.reserve(bytes, failure);
  throw_failure(out);
  if (failure) throw error{failure, "reserve space for", out.path()};
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

int native_handle(const open_file* file) noexcept { return file != nullptr ? sink_of(file).descriptor() : -1; }

}  // namespace freshet::detail
