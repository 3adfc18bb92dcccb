// Sealed files: encrypted with AES-256-GCM in chunks, each authenticated with its place.
// doc/reference/sealed-format.md describes the bytes, doc/decisions/0024-sealed-format.md the reasons.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>

#include <freshet/encryption.hpp>
#include <freshet/path_argument.hpp>

#include "src/filter/sealed_format.hpp"
#include "src/sink/sink.hpp"
#include "src/source/source.hpp"

namespace freshet::detail {

/// The bytes that a sealed file begins with, and what its chunks need; made before the file is opened, because that may
/// fail.
struct sealing {
  sealed_header::bytes header{};
  message_cipher cipher;
  std::size_t segment = 0;
};
/// @throws freshet::error  if `key` is empty, or this build cannot encrypt; `path` is for the message
[[nodiscard]] sealing prepare_sealing(const native_string& path, const encryption_key& key,
                                      std::size_t segment = default_segment,
                                      sealed_content content = sealed_content::bytes);
/// Why `key` cannot be used at all; empty if it can.
[[nodiscard]] std::string_view why_unusable(const encryption_key& key) noexcept;

/// Returns a sink that seals what it is given into `inner`, which must be empty and is written from front to back.
/// @throws freshet::error  if there is no memory
[[nodiscard]] std::unique_ptr<sink> seal_into(std::unique_ptr<sink> inner, sealing how);

/// The most bytes that `bytes` bytes take when they are sealed at once, with segments of `segment` bytes.
[[nodiscard]] std::uint64_t sealed_size(std::uint64_t bytes, std::size_t segment) noexcept;

/// Returns a source of what is sealed in `inner`, and sets `content`.
/// @param accepts_unclosed  as reader_options::accept_unclosed
/// @throws freshet::error  if that is not a sealed file, or cannot be opened with `key`
[[nodiscard]] std::unique_ptr<source> unseal_from(std::unique_ptr<source> inner, const encryption_key& key,
                                                  sealed_content& content, bool accepts_unclosed);

}  // namespace freshet::detail
