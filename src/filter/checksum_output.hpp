// Counts the checksum of what a program writes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string_view>
#include <system_error>

#include "src/filter/running_checksum.hpp"
#include "src/sink/sink.hpp"

namespace freshet::detail {

/// A sink that passes everything on unchanged: its window is that of the inner sink, so that nothing is copied. It has
/// no positions, because bytes that are written over cannot be taken out of a checksum.
class checksum_output final : public sink {
 public:
  /// Precondition: running_checksum::is_available(). @throws std::bad_alloc
  explicit checksum_output(std::unique_ptr<sink> inner);

  void seek(std::uint64_t offset) noexcept override;
  [[nodiscard]] bool can_seek() noexcept override { return false; }
  [[nodiscard]] bool has_position() const noexcept override { return inner_->has_position(); }
  [[nodiscard]] std::string_view why_no_seek() const noexcept override {
    return "a file whose checksum is counted is written from front to back";
  }
  [[nodiscard]] std::uint64_t size(std::error_code& failure) const noexcept override { return inner_->size(failure); }

  void share_position() noexcept override;
  void yield_position() noexcept override { inner_->yield_position(); }
  [[nodiscard]] bool is_inherited() const noexcept override { return inner_->is_inherited(); }
  [[nodiscard]] bool is_position_shared() noexcept override { return inner_->is_position_shared(); }
  void sync_position() noexcept override;
  void flush() noexcept override;
  void sync() noexcept override;
  void close() noexcept override;
  void discard() noexcept override;
  void reserve(std::uint64_t bytes, std::error_code& failure) noexcept override;

  [[nodiscard]] std::uint64_t written() const noexcept override { return inner_->written(); }
  [[nodiscard]] std::uint64_t durable() const noexcept override { return inner_->durable(); }
  [[nodiscard]] bool is_hidden() const noexcept override { return inner_->is_hidden(); }

  [[nodiscard]] std::string_view method_name() noexcept override { return inner_->method_name(); }
  [[nodiscard]] file_statistics statistics() const override { return inner_->statistics(); }
  [[nodiscard]] std::filesystem::path path() const override { return inner_->path(); }
  [[nodiscard]] native_handle_type descriptor() const noexcept override { return inner_->descriptor(); }
  [[nodiscard]] freshet::checksum checksum() const noexcept override;

 private:
  [[nodiscard]] std::size_t write_large(std::span<const std::byte> bytes) noexcept override;
  void make_room(std::size_t least) noexcept override;
  void fail(std::string_view operation, std::error_code why, std::string_view detail = {}) noexcept override;
  void pass_window() noexcept;
  void take_window() noexcept;

  std::unique_ptr<sink> inner_;
  running_checksum sum_;
  std::uint64_t counted_;  // bytes before this offset are in sum_
};

}  // namespace freshet::detail
