#include <filesystem>
#include <optional>

#include "tool/base/passphrase.hpp"
#include "tool/command/commands.hpp"
#include "tool/command/sealed_files.hpp"

namespace freshet::tool {
namespace {

constexpr auto seal_footer =
    R"(IN and OUT are files, or - for standard input and output. A file OUT appears when it is complete, and replaces one
of that name. It has the permissions of IN. What is encrypted is also authenticated: unseal notices every change. Without --key-file and
--passphrase-file, the passphrase is asked for on the terminal. Whoever loses it has lost the file. What is only
compressed is a file of zstd, which zstd -d reads, too.

Examples:
  freshet seal letters.tar letters.sealed --encrypt
                                            with a passphrase, which is asked for
  head -c 32 /dev/urandom >key              a key; keep it secret, and keep it
  tar c letters | freshet seal - letters.sealed --compress zstd:3 --encrypt --key-file key
  freshet unseal letters.sealed - --key-file key | tar x
  freshet seal letters.tar letters.tar.zst --compress zstd)";

struct seal_options {
  std::filesystem::path in;
  std::filesystem::path out;
  freshet::compression compression = {};
  bool encrypts = false;
  bool in_place = false;
  key_options keys;
};

int run_seal(const seal_options& options) {
  if (!options.encrypts && options.compression.format == compression_format::none)
    throw usage_error{"seal", "it needs --encrypt, --compress or both"};
  require_other_output(options.in, options.out, options.keys, options.in_place);
  reader in = open_input(options.in, {});
  std::optional<encryption_key> key = read_key(options.keys);
  if (options.encrypts && !key) key = ask_for_passphrase(true);
  result_file result{in, options.out, {.key = key ? &*key : nullptr, .compression = options.compression}, true};
  copy_all(in, result.out());
  in.close();
  result.close();
  return 0;
}

}  // namespace

void add_seal_command(program_parser& program) {
  auto [command, options] =
      program.add_command("seal", "Compress, or encrypt and authenticate a file, or both", run_seal, seal_footer);
  command.add("IN", options.in, "The file to seal, or -").require();
  command.add("OUT", options.out, "The sealed file, or -").require();
  add_compress_option(command, options.compression);
  const command_option encrypt = command.add_flag("--encrypt", options.encrypts, "Encrypt, with AES-256-GCM");
  add_in_place_option(command, options.in_place);
  auto keys = add_key_options(command, options.keys);
  keys.key_file.need(encrypt);
  keys.passphrase_file.need(encrypt);
}

}  // namespace freshet::tool
