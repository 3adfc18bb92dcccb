#include "tool/command/sealed_files.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <span>
#include <stdexcept>
#include <string>

#include <freshet/error.hpp>

#include "src/filter/sealed_format.hpp"
#include "src/filter/zstd_format.hpp"
#include "src/secret_file.hpp"
#include "tool/base/interrupt.hpp"
#include "tool/base/passphrase.hpp"

namespace freshet::tool {
namespace {

namespace fs = std::filesystem;

// Up to the first line end, if there is one: files that people write end with it.
encryption_key read_passphrase(const fs::path& path) {
  struct wiped {
    std::string text = std::string(4096, '\0');
    ~wiped() { detail::wipe(std::as_writable_bytes(std::span{text})); }
  } line;
  const std::size_t length = detail::read_secret_file(path.native(), std::as_writable_bytes(std::span{line.text}));
  const std::string_view passphrase = std::string_view{line.text}.substr(0, length);
  const std::string_view first_line = passphrase.substr(0, passphrase.find_first_of("\r\n"));
  if (first_line.empty() || first_line.size() == line.text.size())
    throw error{std::make_error_code(std::errc::invalid_argument), "read the passphrase", path, error::no_offset,
                first_line.empty() ? "its first line is empty" : "its first line is too long"};
  return encryption_key::from_passphrase(first_line);
}

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

key_option_pair add_key_options(command_parser& command, key_options& into) {
  const key_option_pair added{
      command.add("--key-file", into.key_file, "The key: a file of exactly 32 random bytes"),
      command.add("--passphrase-file", into.passphrase_file, "The passphrase: the first line of this file")};
  command_option{added.key_file}.exclude(added.passphrase_file);
  return added;
}

std::optional<encryption_key> read_key(const key_options& options) {
  if (!options.key_file.empty()) return encryption_key::from_file(options.key_file);
  if (!options.passphrase_file.empty()) return read_passphrase(options.passphrase_file);
  return std::nullopt;
}

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
