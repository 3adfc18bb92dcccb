// Shared by the tests of sealed files: sources and sinks in memory, and keys.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include <freshet/encryption.hpp>

#include "src/filter/sealed.hpp"
#include "src/os/native_string.hpp"
#include "src/sink/sink.hpp"
#include "src/source/source.hpp"

namespace freshet::test {

/// A key of 32 bytes that all are `byte`.
[[nodiscard]] inline encryption_key key_of(unsigned char byte) {
  std::array<std::byte, encryption_key::size> bytes;
  bytes.fill(std::byte{byte});
  return encryption_key{bytes};
}

/// Stored bytes, in windows of at most `piece` bytes.
class memory_source final : public detail::source {
 public:
  explicit memory_source(std::string_view bytes, std::size_t piece = 4096, bool has_positions = true)
      : source{detail::to_native("memory")},
        bytes_{std::as_bytes(std::span{bytes})},
        piece_{piece},
        has_positions_{has_positions} {}

  void seek(std::uint64_t offset) noexcept override { window_.move_to(offset); }
  [[nodiscard]] bool can_seek() noexcept override { return has_positions_; }
  [[nodiscard]] bool has_position() const noexcept override { return has_positions_; }
  void allow_truncation() noexcept override {}
  void close(std::size_t /*used*/) noexcept override { open_ = false; }
  [[nodiscard]] std::uint64_t size(std::error_code& failure) noexcept override {
    failure.clear();
    return has_positions_ ? bytes_.size() : 0;
  }
  [[nodiscard]] std::string_view method_name() const noexcept override { return "memory"; }
  [[nodiscard]] file_statistics statistics() const override { return {}; }
  [[nodiscard]] native_handle_type descriptor() const noexcept override { return no_native_handle; }
  /// How many bytes were read from memory so far.
  [[nodiscard]] std::uint64_t bytes_read() const noexcept { return bytes_read_; }

 private:
  bool fetch() noexcept override {
    const auto rest = bytes_.subspan(std::min(static_cast<std::size_t>(window_.offset()), bytes_.size()));
    window_.show(rest.first(std::min(rest.size(), piece_)));
    bytes_read_ += window_.size();
    return !window_.empty();
  }

  std::span<const std::byte> bytes_;
  std::uint64_t bytes_read_ = 0;
  std::size_t piece_;
  bool has_positions_;
};

/// Collects stored bytes, by windows of `piece` bytes.
class memory_sink final : public detail::sink {
 public:
  explicit memory_sink(std::string& into, std::size_t piece = 4096) : into_{into}, block_(piece) {
    window_.show(block_);
  }

  void seek(std::uint64_t /*offset*/) noexcept override { flush(); }
  [[nodiscard]] bool can_seek() noexcept override { return false; }
  [[nodiscard]] bool has_position() const noexcept override { return true; }
  [[nodiscard]] std::uint64_t size(std::error_code& /*failure*/) const noexcept override { return window_.position(); }
  [[nodiscard]] std::size_t write_large(std::span<const std::byte> /*bytes*/) noexcept override { return 0; }
  void flush() noexcept override {
    const auto unwritten = window_.unwritten();
    into_.append(reinterpret_cast<const char*>(unwritten.data()), unwritten.size());
    window_.clear();
    window_.show(block_);
  }
  void share_position() noexcept override {}
  void yield_position() noexcept override {}
  [[nodiscard]] bool is_inherited() const noexcept override { return false; }
  [[nodiscard]] bool is_position_shared() noexcept override { return false; }
  void sync_position() noexcept override {}
  void sync() noexcept override { flush(); }
  void close() noexcept override {
    flush();
    open_ = false;
  }
  void discard() noexcept override { close(); }
  void reserve(std::uint64_t /*bytes*/, std::error_code& failure) noexcept override { failure.clear(); }
  [[nodiscard]] std::uint64_t written() const noexcept override { return into_.size(); }
  [[nodiscard]] std::uint64_t durable() const noexcept override { return 0; }
  [[nodiscard]] bool is_hidden() const noexcept override { return false; }
  [[nodiscard]] std::string_view method_name() noexcept override { return "memory"; }
  [[nodiscard]] file_statistics statistics() const override { return {}; }
  [[nodiscard]] std::filesystem::path path() const override { return "memory"; }
  [[nodiscard]] native_handle_type descriptor() const noexcept override { return no_native_handle; }

 private:
  void make_room(std::size_t /*least*/) noexcept override { flush(); }
  void fail(std::string_view operation, std::error_code why, std::string_view detail) noexcept override {
    record_failure(operation, why, detail, window_.position());
  }

  std::string& into_;
  std::vector<std::byte> block_;
};

/// Seals `plain`, in the pieces that end at `flushes`: offsets in ascending order.
[[nodiscard]] inline std::string sealed(std::string_view plain, detail::sealing how,
                                        const std::vector<std::size_t>& flushes = {}) {
  std::string stored;
  const auto out = detail::seal_into(std::make_unique<memory_sink>(stored), std::move(how));
  std::size_t begin = 0;
  for (const std::size_t end : flushes) {
    out->write(std::as_bytes(std::span{plain.substr(begin, end - begin)}));
    out->flush();
    begin = end;
  }
  out->write(std::as_bytes(std::span{plain.substr(begin)}));
  out->close();
  return stored;
}
[[nodiscard]] inline std::string sealed(std::string_view plain, const encryption_key& key,
                                        std::size_t segment = detail::default_segment,
                                        const std::vector<std::size_t>& flushes = {}) {
  return sealed(plain, detail::prepare_sealing({}, key, segment), flushes);
}

/// A source of what is sealed in `inner`. @throws freshet::error
[[nodiscard]] inline std::unique_ptr<detail::source> unsealing(std::unique_ptr<detail::source> inner,
                                                               const encryption_key& key,
                                                               bool accepts_unclosed = false) {
  auto content = detail::sealed_content::bytes;
  return detail::unseal_from(std::move(inner), key, content, accepts_unclosed);
}

/// What reading handed out, and how it ended.
struct unsealed {
  std::string plain;
  std::error_code failure;
  std::string message;
};

/// Reads all of a sealed file from front to back.
[[nodiscard]] inline unsealed unseal(std::string_view stored, const encryption_key& key, std::size_t piece = 4096,
                                     bool accepts_unclosed = false) {
  unsealed result;
  try {
    const auto in = unsealing(std::make_unique<memory_source>(stored, piece), key, accepts_unclosed);
    while (in->next_window())
      result.plain.append(reinterpret_cast<const char*>(in->window().data()), in->window().size());
    result.failure = in->failure();
    if (in->failure()) result.message = in->failure_as_error().what();
  } catch (const error& refused) {
    result.failure = refused.code();
    result.message = refused.what();
  }
  return result;
}

}  // namespace freshet::test
