#include "src/filter/checksum_output.hpp"

#include <utility>

namespace freshet::detail {

checksum_output::checksum_output(std::unique_ptr<sink> inner) : inner_{std::move(inner)}, counted_{inner_->offset()} {
  follow();
}

// A window may come back with bytes that are counted already.
void checksum_output::count(std::size_t filled) noexcept {
  if (failure_ || !open_) return;
  const auto before = static_cast<std::size_t>(counted_ - offset_);
  sum_.add(window().first(filled).subspan(before));
  counted_ = offset_ + filled;
}

void checksum_output::follow() noexcept {
  offset_ = inner_->offset();
  failure_ = inner_->failure();
  open_ = inner_->is_open();
}

std::size_t checksum_output::exchange(std::size_t filled) noexcept {
  count(filled);
  const std::size_t kept = inner_->exchange(filled);
  follow();
  return kept;
}

std::size_t checksum_output::write_large(std::span<const std::byte> bytes) noexcept {
  if (failure_ || !open_) return 0;
  const std::size_t written = inner_->write_large(bytes);
  if (!inner_->failure()) sum_.add(bytes.first(written));
  follow();
  counted_ = offset_;
  return written;
}

void checksum_output::seek(std::size_t filled, std::uint64_t /*offset*/) noexcept { flush(filled); }

void checksum_output::pass_on(std::size_t filled, void (sink::*operation)(std::size_t) noexcept) noexcept {
  count(filled);
  (*inner_.*operation)(filled);
  follow();
}

void checksum_output::flush(std::size_t filled) noexcept { pass_on(filled, &sink::flush); }

void checksum_output::sync(std::size_t filled) noexcept { pass_on(filled, &sink::sync); }

void checksum_output::close(std::size_t filled) noexcept { pass_on(filled, &sink::close); }

void checksum_output::discard(std::size_t filled) noexcept { pass_on(filled, &sink::discard); }

void checksum_output::reserve(std::uint64_t bytes, std::error_code& failure) noexcept {
  inner_->reserve(bytes, failure);
  follow();
}

checksum checksum_output::checksum() const noexcept { return open_ || failure_ ? freshet::checksum{} : sum_.result(); }

}  // namespace freshet::detail
