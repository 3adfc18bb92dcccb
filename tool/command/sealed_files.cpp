#include "tool/command/sealed_files.hpp"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <span>
#include <stdexcept>
#include <system_error>
#include <utility>

#include <freshet/error.hpp>

#include "src/filter/sealed_format.hpp"
#include "src/filter/zstd_format.hpp"
#include "tool/base/interrupt.hpp"
#include "tool/base/passphrase.hpp"
#include "tool/base/text.hpp"
#include "tool/command/options.hpp"

namespace freshet::tool {
namespace {

namespace fs = std::filesystem;

bool is_standard_stream(const fs::path& path) { return path == standard_stream; }

// Only what can be opened again can be looked at.
bool can_look(const fs::path& path) {
  std::error_code unknown;
  return !is_standard_stream(path) && fs::is_regular_file(path, unknown);
}

// A name by which the file that is a standard stream can be compared with others.
fs::path name_of(const fs::path& path, int standard_descriptor) {
  return is_standard_stream(path) ? fs::path{fmt::format("/proc/self/fd/{}", standard_descriptor)} : path;
}

std::optional<fs::perms> permissions_of(const reader& in) {
  struct stat status {};
  if (::fstat(in.native_handle(), &status) != 0 || !S_ISREG(status.st_mode)) return {};
  return static_cast<fs::perms>(status.st_mode) & fs::perms::all;
}

// While it lives, new files have no other permissions than `allowed`.
class narrow_umask {
 public:
  explicit narrow_umask(fs::perms allowed) : before_{::umask(S_IRWXU | S_IRWXG | S_IRWXO)} {
    ::umask(before_ | (static_cast<mode_t>(fs::perms::all) & ~static_cast<mode_t>(allowed)));
  }
  narrow_umask(const narrow_umask&) = delete;
  narrow_umask& operator=(const narrow_umask&) = delete;
  ~narrow_umask() { ::umask(before_); }
  [[nodiscard]] mode_t before() const noexcept { return before_; }

 private:
  mode_t before_;
};

enum class storage : std::uint8_t { plain, compressed, encrypted_with_key, encrypted_with_passphrase };

storage storage_of(std::span<const std::byte> begin) {
  if (detail::has_sealed_magic(begin)) {
    const bool has_passphrase = begin.size() >= detail::sealed_header::length &&
                                detail::sealed_header::kind_in(begin) == detail::key_kind::passphrase;
    return has_passphrase ? storage::encrypted_with_passphrase : storage::encrypted_with_key;
  }
  const bool is_compressed = begin.size() >= detail::zstd_format::magic_size && detail::zstd_format::has_magic(begin);
  return is_compressed ? storage::compressed : storage::plain;
}

[[noreturn]] void ask_for_key_options(const fs::path& path) {
  throw std::runtime_error{fmt::format("'{}' is encrypted: give --key-file or --passphrase-file", path.string())};
}

reader open_with(const fs::path& path, const encryption_key* key, bool accept_unclosed) {
  return open_input(path, {.key = key, .decompression = decompression::automatic, .accept_unclosed = accept_unclosed});
}

// A pipe, whose first bytes say what it brings.
reader open_unencrypted(const fs::path& path, bool accept_unclosed) {
  reader in = open_with(path, nullptr, accept_unclosed);
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

void require_other_output(const fs::path& in, const fs::path& out, const key_options& keys, bool in_place) {
  const fs::path result = name_of(out, STDOUT_FILENO);
  require_no_key("OUT", result, keys);
  if (!in_place && is_same_file(name_of(in, STDIN_FILENO), result))
    throw usage_error{"OUT", fmt::format("'{}' is IN; --in-place replaces it", printable(out.string()))};
}

void add_in_place_option(command_parser& command, bool& into) {
  command.add_flag("--in-place", into, "Let OUT be IN itself, which is then replaced");
}

result_file::result_file(const reader& in, fs::path path, const writer_options& options, bool bytes_for_programs)
    : path_{std::move(path)}, allowed_{is_standard_stream(path_) ? std::nullopt : permissions_of(in)} {
  const bool is_new = allowed_ && !fs::exists(path_);
  const narrow_umask narrowed{allowed_.value_or(fs::perms::all)};
  out_ = open_output(path_, options, bytes_for_programs);
  // It may also be a program, which new files are not.
  if (is_new) ::fchmod(out_.native_handle(), static_cast<mode_t>(*allowed_) & ~narrowed.before());
}

void result_file::close() {
  // Before the new file appears with the permissions of the one that it replaces.
  narrow();
  out_.close();
  narrow();
}

// Only the owner of a file may do that: the second time, it is ours.
void result_file::narrow() {
  std::error_code failure;
  const fs::file_status status = allowed_ ? fs::status(path_, failure) : fs::file_status{};
  if (!fs::is_regular_file(status) || (status.permissions() & fs::perms::all & ~*allowed_) == fs::perms::none) return;
  fs::permissions(path_, status.permissions() & (*allowed_ | ~fs::perms::all), failure);
  if (failure && !out_.is_open()) throw error{failure, "narrow the permissions of", path_};
}

reader open_encrypted(const fs::path& path, const encryption_key& key, bool accept_unclosed) {
  return open_with(path, &key, accept_unclosed);
}

stored_file open_stored(const fs::path& path, const std::optional<encryption_key>& key, bool accept_unclosed) {
  if (!can_look(path)) return {key ? open_with(path, &*key, accept_unclosed) : open_unencrypted(path, accept_unclosed)};
  const storage found = storage_of(reader{path}.available());
  if (found == storage::plain) return {reader{path}, true};
  if (found == storage::compressed) return {open_with(path, nullptr, accept_unclosed)};
  if (key) return {open_with(path, &*key, accept_unclosed)};
  if (found == storage::encrypted_with_key) ask_for_key_options(path);
  const encryption_key asked = ask_for_passphrase(false);
  return {open_with(path, &asked, accept_unclosed)};
}

}  // namespace freshet::tool
