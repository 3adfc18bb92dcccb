// The half that all filters of written bytes share.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string_view>
#include <system_error>

#include "src/base/pool.hpp"
#include "src/sink/sink.hpp"

namespace freshet::detail {

/// A sink that changes bytes on their way into another one, a chunk at a time, from front to back. It has no other
/// positions: a chunk cannot be rewritten.
class filtered_output : public sink {
 public:
  /// Does nothing but write; see can_seek().
  void seek(std::uint64_t offset) noexcept override;
  [[nodiscard]] bool can_seek() noexcept override { return false; }
  [[nodiscard]] bool has_position() const noexcept override { return inner_->has_position(); }
  [[nodiscard]] std::string_view why_no_seek() const noexcept override {
    return "a compressed or encrypted file is written from front to back";
  }
  [[nodiscard]] std::uint64_t size(std::error_code& failure) const noexcept override;

  void share_position() noexcept override { inner_->share_position(); }
  void yield_position() noexcept override { inner_->yield_position(); }
  [[nodiscard]] bool is_inherited() const noexcept override { return inner_->is_inherited(); }
  /// Positions count the program's bytes, which nobody else writes.
  [[nodiscard]] bool is_position_shared() noexcept override { return false; }
  void sync_position() noexcept override {}
  /// Ends the chunk, even if it is short.
  void flush() noexcept override;
  void sync() noexcept override;
  void close() noexcept override;
  void discard() noexcept override;
  void reserve(std::uint64_t bytes, std::error_code& failure) noexcept override {
    inner_->reserve(stored_size(bytes), failure);
  }

  [[nodiscard]] std::uint64_t written() const noexcept override { return inner_->written(); }
  [[nodiscard]] std::uint64_t durable() const noexcept override { return inner_->durable(); }
  [[nodiscard]] bool is_hidden() const noexcept override { return inner_->is_hidden(); }

  [[nodiscard]] std::string_view method_name() noexcept override { return inner_->method_name(); }
  [[nodiscard]] file_statistics statistics() const override { return inner_->statistics(); }
  [[nodiscard]] std::filesystem::path path() const override { return inner_->path(); }
  [[nodiscard]] native_handle_type descriptor() const noexcept override { return inner_->descriptor(); }

 protected:
  /// Takes bytes in chunks of at most `chunk_size`, a power of two. @throws freshet::error if there is no memory
  filtered_output(std::unique_ptr<sink> inner, std::size_t chunk_size);

  /// Takes the first `filled` bytes of `plain`, at least one, and returns an empty block; none of no size after a
  /// failure.
  [[nodiscard]] virtual block transform(block plain, std::size_t filled) noexcept = 0;
  /// Returns when all that transform() took has been stored, in a form that can be read and told from a complete file.
  virtual void drain() noexcept {}
  /// Takes the last `filled` bytes, which may be none, and stores everything and what ends the file.
  virtual void finish(block plain, std::size_t filled) noexcept = 0;

  /// How many bytes the file needs for `bytes` bytes, where that is known; `bytes` where it is not.
  [[nodiscard]] virtual std::uint64_t stored_size(std::uint64_t bytes) const noexcept { return bytes; }
  /// The bytes that the next chunk should have, so that chunks lie as in a file that was written without flush(). A
  /// window may be larger: transform() and finish() then make several chunks of it.
  [[nodiscard]] virtual std::size_t room() const noexcept { return chunk_size_; }

  /// Shows the chunk's memory as the window. A derived class calls it once it can tell its room().
  void show_chunk(std::size_t least = 1) noexcept;

  /// Room for the next stored bytes, at least one; none after a failure of the inner sink, which is then recorded.
  [[nodiscard]] std::span<std::byte> storage() noexcept;
  /// The first `length` bytes of storage() were filled.
  void advance_storage(std::size_t length) noexcept { inner_->advance(length); }
  /// Passes `bytes` on.
  void store(std::span<const std::byte> bytes) noexcept;
  void fail(std::string_view operation, std::error_code why, std::string_view detail = {}) noexcept override;

 private:
  [[nodiscard]] std::size_t write_large(std::span<const std::byte>) noexcept override { return 0; }
  void make_room(std::size_t least) noexcept override;
  bool grow(std::size_t least) noexcept;
  void hand_over() noexcept;
  void end(bool is_complete) noexcept;
  void take_failure() noexcept;

  std::unique_ptr<sink> inner_;
  std::size_t chunk_size_;
  block chunk_;
};

}  // namespace freshet::detail
