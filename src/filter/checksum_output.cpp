#include "src/filter/checksum_output.hpp"

#include <utility>

namespace freshet::detail {

checksum_output::checksum_output(std::unique_ptr<sink> inner)
    : inner_{std::move(inner)}, counted_{inner_->window().offset()} {
  take_window();
}

// Counts the unwritten bytes and passes them on. Some may be counted already: they stayed in the window.
void checksum_output::pass_window() noexcept {
  if (failure() || !open_) return;
  const auto unwritten = window_.unwritten();
  sum_.add(unwritten.subspan(static_cast<std::size_t>(counted_ - window_.offset())));
  counted_ = window_.position();
  inner_->fill_to(unwritten.data() + unwritten.size());
}

void checksum_output::take_window() noexcept {
  window_.follow(inner_->window());
  open_ = inner_->is_open();
  take_failure_of(*inner_);
}

void checksum_output::make_room(std::size_t least) noexcept {
  pass_window();
  inner_->next_window(least);
  take_window();
}

std::size_t checksum_output::write_large(std::span<const std::byte> bytes) noexcept {
  if (failure() || !open_) return 0;
  const std::size_t written = inner_->write_large(bytes);
  if (!inner_->failure()) sum_.add(bytes.first(written));
  take_window();
  counted_ = window_.position();
  return written;
}

void checksum_output::fail(std::string_view operation, std::error_code why, std::string_view detail) noexcept {
  record_failure(operation, why, detail, window_.position());
}

void checksum_output::share_position() noexcept {
  pass_window();
  inner_->share_position();
  take_window();
}

void checksum_output::sync_position() noexcept {
  pass_window();
  inner_->sync_position();
  take_window();
  counted_ = window_.position();
}

void checksum_output::seek(std::uint64_t /*offset*/) noexcept { flush(); }

void checksum_output::flush() noexcept {
  pass_window();
  inner_->flush();
  take_window();
}

void checksum_output::sync() noexcept {
  pass_window();
  inner_->sync();
  take_window();
}

void checksum_output::close() noexcept {
  pass_window();
  inner_->close();
  take_window();
}

void checksum_output::discard() noexcept {
  pass_window();
  inner_->discard();
  take_window();
}

void checksum_output::reserve(std::uint64_t bytes, std::error_code& failure) noexcept {
  inner_->reserve(bytes, failure);
  take_window();
}

checksum checksum_output::checksum() const noexcept { return open_ || failure() ? freshet::checksum{} : sum_.result(); }

}  // namespace freshet::detail
