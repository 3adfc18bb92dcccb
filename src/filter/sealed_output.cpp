// Seals what is written.
#include <algorithm>
#include <new>

#include <freshet/error.hpp>

#include "src/filter/filtered_output.hpp"
#include "src/filter/sealed.hpp"
#include "src/os/file.hpp"
#include "src/os/fork.hpp"

namespace freshet::detail {
namespace {

class sealed_output final : public filtered_output {
 public:
  sealed_output(std::unique_ptr<sink> inner, sealing how)
      : filtered_output{std::move(inner), how.segment}, cipher_{std::move(how.cipher)}, layout_{how.segment} {
    store_at_position(how.header);
    show_chunk();
  }

 private:
  [[nodiscard]] std::uint64_t stored_size(std::uint64_t bytes) const noexcept override {
    return sealed_size(bytes, layout_.segment());
  }
  [[nodiscard]] std::size_t room() const noexcept override { return layout_.room(position_); }
  block transform(block plain, std::size_t filled) noexcept override;
  void finish(block plain, std::size_t filled) noexcept override;
  [[nodiscard]] std::size_t write_large(std::span<const std::byte> bytes) noexcept override;
  void seal(std::span<const std::byte> bytes, bool is_last) noexcept;
  void seal_chunk(std::span<const std::byte> bytes, bool is_last) noexcept;
  [[nodiscard]] bool encrypt(std::span<const std::byte> bytes) noexcept;
  void store_at_position(std::span<const std::byte> bytes) noexcept;

  message_cipher cipher_;
  segment_layout layout_;
  std::uint64_t position_ = 0;  // in the sealed file, where the next chunk begins
  std::uint64_t sealed_ = 0;    // bytes of the program that are in chunks
  unsigned generation_ = os::fork_generation();
};

block sealed_output::transform(block plain, std::size_t filled) noexcept {
  seal(plain.bytes().first(filled), false);
  return plain;
}

void sealed_output::finish(block plain, std::size_t filled) noexcept { seal(plain.bytes().first(filled), true); }

// Seals from the caller's memory, without a copy. The last bytes stay in the window: they may be the last chunk.
std::size_t sealed_output::write_large(std::span<const std::byte> bytes) noexcept {
  std::size_t length = 0;
  while (!failure() && bytes.size() - length > room()) {
    const auto chunk = bytes.subspan(length, room());
    seal_chunk(chunk, false);
    length += chunk.size();
  }
  window_.move_to(window_.offset() + length);
  if (!failure()) show_chunk();
  return length;
}

// Seals `bytes` as several chunks where one would cross the end of a segment.
void sealed_output::seal(std::span<const std::byte> bytes, bool is_last) noexcept {
  while (!failure() && bytes.size() > room()) {
    const std::size_t length = room();
    seal_chunk(bytes.first(length), false);
    bytes = bytes.subspan(length);
  }
  if (!failure() && (is_last || !bytes.empty())) seal_chunk(bytes, is_last);
}

void sealed_output::seal_chunk(std::span<const std::byte> bytes, bool is_last) noexcept {
  // A child that went on where its parent does would use nonces again.
  if (generation_ != os::fork_generation())
    return fail("write", std::make_error_code(std::errc::owner_dead),
                "a sealed file belongs to the process that opened it");
  const auto head =
      chunk_head{.offset = sealed_, .content = static_cast<std::uint32_t>(bytes.size()), .is_last = is_last}.encode();
  cipher_tag tag{};
  const std::uint64_t begin = position_;
  store_at_position(head);
  if (failure()) return;
  if (!cipher_.begin(nonce_of(begin, is_last), head) || !encrypt(bytes) || !cipher_.finish(tag))
    return fail("encrypt", std::make_error_code(std::errc::not_enough_memory), "OpenSSL failed");
  store_at_position(tag);
  sealed_ += bytes.size();
  constexpr std::array<std::byte, chunk_overhead> zeros{};
  if (!is_last) store_at_position(std::span{zeros}.first(layout_.padding(position_)));
}

// Encrypts into the memory of the inner sink, without a copy.
bool sealed_output::encrypt(std::span<const std::byte> bytes) noexcept {
  while (!bytes.empty()) {
    const auto room = storage();
    if (room.empty()) return true;  // the inner sink failed, which is recorded
    const auto piece = bytes.first(std::min(bytes.size(), room.size()));
    if (!cipher_.transform(piece, room.data())) return false;
    advance_storage(piece.size());
    position_ += piece.size();
    bytes = bytes.subspan(piece.size());
  }
  return true;
}

void sealed_output::store_at_position(std::span<const std::byte> bytes) noexcept {
  store(bytes);
  position_ += bytes.size();
}

}  // namespace

std::string_view why_unusable(const encryption_key& key) noexcept {
  return key.contents() == nullptr ? std::string_view{"the key was moved from"} : why_no_encryption();
}

sealing prepare_sealing(const native_string& path, const encryption_key& key, std::size_t segment,
                        sealed_content content) {
  const auto refuse = [&](std::errc why, std::string_view reason) {
    throw error{std::make_error_code(why), "open", path, error::no_offset, reason};
  };
  if (const auto reason = why_unusable(key); !reason.empty()) refuse(std::errc::operation_not_supported, reason);
  sealing made;
  file_keys keys;
  const auto problem = make_header(*key.contents(), segment, content, made.header, keys);
  if (problem.code != std::errc{}) refuse(problem.code, problem.reason);
  if (!made.cipher.start(message_cipher::direction::seal, keys.chunks))
    refuse(std::errc::not_enough_memory, "OpenSSL could not set the key up");
  made.segment = segment;
  return made;
}

std::unique_ptr<sink> seal_into(std::unique_ptr<sink> inner, sealing how) {
  return std::make_unique<sealed_output>(std::move(inner), std::move(how));
}

std::uint64_t sealed_size(std::uint64_t bytes, std::size_t segment) noexcept {
  const std::uint64_t chunks = (bytes + sealed_header::length) / (segment - chunk_overhead) + 1;
  return sealed_header::length + bytes + chunks * chunk_overhead;
}

}  // namespace freshet::detail
