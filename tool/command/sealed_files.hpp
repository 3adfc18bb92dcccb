// What seal, unseal and cat share: bytes on their way from a file or pipe to another.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>

#include <freshet/encryption.hpp>
#include <freshet/reader.hpp>
#include <freshet/writer.hpp>

#include "tool/command/file_options.hpp"

namespace freshet::tool {

/// Stands for standard input or output.
inline constexpr const char* standard_stream = "-";

/// @throws freshet::error
[[nodiscard]] reader open_input(const std::filesystem::path& path, const reader_options& options);
/// A file gets its name when the writer is closed. @throws freshet::error; std::runtime_error  if that is a terminal,
/// which cannot show `bytes_for_programs`
[[nodiscard]] writer open_output(const std::filesystem::path& path, writer_options options, bool bytes_for_programs);

/// Refuses a call whose output is a file of the key, or, without `in_place`, its input: by device and inode and not by
/// name. @throws usage_error
void require_other_output(const std::filesystem::path& in, const std::filesystem::path& out, const key_options& keys,
                          bool in_place);

/// Adds --in-place, which allows OUT to be IN.
void add_in_place_option(command_parser& command, bool& into);

/// A file that is made of another one, and may be used by nobody who may not use that.
class result_file {
 public:
  /// Like open_output(). The permissions are those of `in`, without those that the umask takes away or, if it replaces
  /// a file, that this file lacks; the usual ones if `in` is no file.
  result_file(const reader& in, std::filesystem::path path, const writer_options& options, bool bytes_for_programs);

  [[nodiscard]] writer& out() noexcept { return out_; }
  /// @throws freshet::error
  void close();

 private:
  void narrow();

  std::filesystem::path path_;
  std::optional<std::filesystem::perms> allowed_;
  writer out_;
};

/// Copies all that is left; returns how many bytes. @throws freshet::error, interrupted
std::uint64_t copy_all(reader& in, writer& out);

/// A file as its user means it.
struct stored_file {
  reader in;
  bool is_plain = false;  ///< it is read as it is stored
};

/// Opens a file that must be encrypted, so that all that is read of it is authentic.
/// @param accept_unclosed  as reader_options::accept_unclosed
/// @throws freshet::error
[[nodiscard]] reader open_encrypted(const std::filesystem::path& path, const encryption_key& key,
                                    bool accept_unclosed = false);

/// Opens a file that may be encrypted or compressed. Asks for a passphrase if it needs one and there is no `key`.
/// @throws freshet::error, std::runtime_error
[[nodiscard]] stored_file open_stored(const std::filesystem::path& path, const std::optional<encryption_key>& key,
                                      bool accept_unclosed = false);

}  // namespace freshet::tool
