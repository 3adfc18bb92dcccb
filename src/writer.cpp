#include <freshet/writer.hpp>

#include <algorithm>
#include <utility>

#include "output.hpp"

namespace freshet {
namespace {

template <typename Operation>
void attempt(std::error_code& failure, Operation operation) noexcept {
  failure.clear();
  try {
    operation();
  } catch (const std::system_error& caught) {
    failure = caught.code();
  } catch (...) {  // only memory for the exception itself can be missing
    failure = std::make_error_code(std::errc::not_enough_memory);
  }
}

}  // namespace

writer::writer() noexcept = default;

writer::writer(std::unique_ptr<output> opened) noexcept : output_{std::move(opened)} { take_window(0); }

writer::writer(const std::filesystem::path& path, const writer_options& options)
    : writer{output::open(path, options)} {}

writer::writer(const std::filesystem::path& path, const writer_options& options, std::error_code& failure) {
  attempt(failure, [&] { *this = writer{path, options}; });
}

writer writer::on_descriptor(int descriptor, ownership whose, const writer_options& options) {
  return writer{output::adopt(descriptor, whose == ownership::take, options)};
}

writer writer::standard_output(const writer_options& options) { return on_descriptor(1, ownership::borrow, options); }

writer::writer(writer&& other) noexcept
    : cursor_{std::exchange(other.cursor_, nullptr)},
      limit_{std::exchange(other.limit_, nullptr)},
      begin_{std::exchange(other.begin_, nullptr)},
      start_{std::exchange(other.start_, 0)},
      output_{std::move(other.output_)} {}

writer& writer::operator=(writer&& other) noexcept {
  if (this == &other) return *this;
  abandon();
  cursor_ = std::exchange(other.cursor_, nullptr);
  limit_ = std::exchange(other.limit_, nullptr);
  begin_ = std::exchange(other.begin_, nullptr);
  start_ = std::exchange(other.start_, 0);
  output_ = std::move(other.output_);
  return *this;
}

writer::~writer() { abandon(); }

void writer::abandon() noexcept {
  if (output_) output_->abandon(filled());
  output_.reset();
}

bool writer::is_open() const noexcept { return output_ && output_->is_open(); }

output& writer::opened() const {
  if (is_open()) return *output_;
  if (output_) throw_failure();
  throw error{std::make_error_code(std::errc::bad_file_descriptor), "use", output_ ? output_->path() : "",
              error::no_offset, "the writer is closed"};
}

void writer::throw_failure() const {
  if (output_->failure()) throw output_->failure_as_error();
}

void writer::take_window(std::size_t kept) noexcept {
  const auto window = output_->window();
  begin_ = reinterpret_cast<detail::octet*>(window.data());
  cursor_ = begin_ + kept;
  limit_ = begin_ + window.size();
  start_ = output_->offset();
}

void writer::make_room() {
  take_window(opened().exchange(filled()));
  throw_failure();
}

void writer::write_across(std::span<const std::byte> bytes) {
  static_cast<void>(opened());
  while (!bytes.empty() && !output_->failure()) {
    if (cursor_ == begin_) {
      bytes = bytes.subspan(output_->pass(bytes));
      take_window(0);
    }
    const auto piece = bytes.first(std::min(bytes.size(), room()));
    copy(piece.data(), piece.size());
    bytes = bytes.subspan(piece.size());
    if (!bytes.empty()) take_window(output_->exchange(filled()));
  }
  throw_failure();
}

void writer::put(char character, std::error_code& failure) noexcept {
  attempt(failure, [&] { put(character); });
}

void writer::write(std::span<const std::byte> bytes, std::error_code& failure) noexcept {
  attempt(failure, [&] { write(bytes); });
}

void writer::flush() {
  opened().flush(filled());
  take_window(0);
  throw_failure();
}

void writer::flush(std::error_code& failure) noexcept {
  attempt(failure, [&] { flush(); });
}

void writer::sync() {
  opened().sync(filled());
  take_window(0);
  throw_failure();
}

void writer::sync(std::error_code& failure) noexcept {
  attempt(failure, [&] { sync(); });
}

void writer::reserve(std::uint64_t bytes) {
  std::error_code failure;
  opened().reserve(bytes, failure);
  throw_failure();
  if (failure) throw error{failure, "reserve space for", output_->path()};
}

void writer::reserve(std::uint64_t bytes, std::error_code& failure) noexcept {
  attempt(failure, [&] { reserve(bytes); });
}

void writer::close() {
  if (!output_) return;
  output_->close(filled());
  take_window(0);
  throw_failure();
}

void writer::close(std::error_code& failure) noexcept {
  attempt(failure, [&] { close(); });
}

std::uint64_t writer::written_bytes() const noexcept { return output_ ? output_->written() : 0; }

std::uint64_t writer::durable_bytes() const noexcept { return output_ ? output_->durable() : 0; }

std::error_code writer::last_error() const noexcept { return output_ ? output_->failure() : std::error_code{}; }

std::string_view writer::method() const noexcept { return is_open() ? output_->method_name() : std::string_view{}; }

int writer::native_handle() const noexcept { return output_ ? output_->descriptor() : -1; }

}  // namespace freshet
