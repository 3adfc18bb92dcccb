#include "tool/command/sealed_files.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <span>
#include <stdexcept>
#include <string>

#include <freshet/error.hpp>

#include "src/filter/sealed_format.hpp"
#include "src/filter/zstd_format.hpp"
#include "tool/base/interrupt.hpp"
#include "tool/base/passphrase.hpp"

namespace freshet::tool {
namespace {

namespace fs = std::filesystem;

bool is_standard_stream(const fs::path& path) { return path == standard_stream; }

// Only what can be opened again can be looked at.
bool can_look(const fs::path& path) {
  std::error_code unknown;
  return !is_standard_stream(path) && fs::is_regular_file(path, unknown);
}

enum class storage : std::uint8_t { plain, compressed, encrypted_with_key, encrypted_with_passphrase };

storage storage_of(std::span<const std::byte> begin) {
  if (detail::has_sealed_magic(begin) && begin.size() >= detail::sealed_header::length)
    return detail::sealed_header::kind_in(begin) == detail::key_kind::key ? storage::encrypted_with_key
                                                                          : storage::encrypted_with_passphrase;
  const bool is_compressed = begin.size() >= detail::zstd_format::magic_size && detail::zstd_format::has_magic(begin);
  return is_compressed ? storage::compressed : storage::plain;
}

[[noreturn]] void ask_for_key_options(const fs::path& path) {
  throw std::runtime_error{fmt::format("'{}' is encrypted: give --key-file or --passphrase-file", path.string())};
}

reader open_with(const fs::path& path, const encryption_key* key) {
  return open_input(path, {.key = key, .decompression = decompression::automatic});
}

// A pipe, whose first bytes say what it brings.
reader open_unencrypted(const fs::path& path) {
  reader in = open_with(path, nullptr);
  if (storage_of(in.available()) >= storage::encrypted_with_key) ask_for_key_options(path);
  return in;
}

}  // namespace

reader open_input(const fs::path& path, const reader_options& options) {
  return is_standard_stream(path) ? reader::standard_input(options) : reader{path, options};
}

writer open_output(const fs::path& path, writer_options options, bool bytes_for_programs) {
  if (!is_standard_stream(path)) {
    options.hidden_until_closed = fs::is_regular_file(path) || !fs::exists(path);
    return writer{path, options};
  }
  if (bytes_for_programs && ::isatty(STDOUT_FILENO) == 1)
    throw std::runtime_error{"standard output is a terminal, which cannot show sealed bytes; send them to a file"};
  return writer::standard_output(options);
}

std::uint64_t copy_all(reader& in, writer& out) {
  std::uint64_t copied = 0;
  for (auto bytes = in.available(); !bytes.empty(); bytes = in.available()) {
    throw_if_interrupted();
    out.write(bytes);
    in.advance(bytes.size());
    copied += bytes.size();
  }
  return copied;
}

reader open_encrypted(const fs::path& path, const encryption_key& key) { return open_with(path, &key); }

stored_file open_stored(const fs::path& path, const std::optional<encryption_key>& key) {
  if (!can_look(path)) return {key ? open_with(path, &*key) : open_unencrypted(path)};
  const storage found = storage_of(reader{path}.available());
  if (found == storage::plain) return {reader{path}, true};
  if (found == storage::compressed) return {open_with(path, nullptr)};
  if (key) return {open_with(path, &*key)};
  if (found == storage::encrypted_with_key) ask_for_key_options(path);
  const encryption_key asked = ask_for_passphrase(false);
  return {open_with(path, &asked)};
}

}  // namespace freshet::tool
