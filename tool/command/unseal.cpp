#include <fmt/format.h>

#include <filesystem>
#include <optional>
#include <stdexcept>
#include <utility>

#include <freshet/error.hpp>

#include "tool/base/text.hpp"
#include "tool/command/commands.hpp"
#include "tool/command/sealed_files.hpp"

namespace freshet::tool {
namespace {

constexpr auto unseal_footer =
    R"(IN and OUT are files, or - for standard input and output. A file OUT appears when all of IN was verified, and
replaces one of that name. Into a pipe, each chunk goes when it was verified; if a later one is damaged, missing or
forged, the command says so and fails, and who reads the pipe must not use what came before as if it were all.

Examples:
  freshet unseal letters.sealed letters.tar
                                            asks for the passphrase, if it was sealed with one
  freshet unseal letters.sealed - --key-file key | tar x
  freshet unseal letters.tar.zst letters.tar)";

struct unseal_options {
  std::filesystem::path in;
  std::filesystem::path out;
  bool in_place = false;
  bool partial = false;
  key_options keys;
};

reader open_sealed(const unseal_options& options) {
  if (const auto key = read_key(options.keys)) return open_encrypted(options.in, *key, options.partial);
  // A pipe cannot be looked at first.
  if (options.in == standard_stream)
    return open_input(options.in, {.decompression = decompression::zstd, .accept_unclosed = options.partial});
  stored_file stored = open_stored(options.in, std::nullopt, options.partial);
  if (stored.is_plain)
    throw error{std::make_error_code(std::errc::invalid_argument), "unseal", options.in, error::no_offset,
                "the file is neither encrypted nor compressed"};
  return std::move(stored.in);
}

int run_unseal(const unseal_options& options) {
  require_other_output(options.in, options.out, options.keys, options.in_place);
  reader in = open_sealed(options);
  result_file result{in, options.out, {}, false};
  try {
    copy_all(in, result.out());
    in.close();
  } catch (const error& failed) {
    if (in.tell() == 0 && options.in == standard_stream)
      throw std::runtime_error{
          fmt::format("{}; what is encrypted needs --key-file or --passphrase-file", failed.what())};
    if (options.out != standard_stream || in.tell() == 0) throw;
    result.out().flush();
    throw std::runtime_error{
        fmt::format("{}; the {} bytes before were verified chunk by chunk and are written", failed.what(), in.tell())};
  }
  const std::uint64_t there = result.out().tell();
  result.close();
  if (options.partial)
    fmt::print(stderr,
               "freshet unseal: {} of '{}' are there; only a call without --partial tells whether they are all\n",
               format_count(there, "byte"), printable(options.in.string()));
  return 0;
}

}  // namespace

void add_unseal_command(program_parser& program) {
  auto [command, options] =
      program.add_command("unseal", "Verify, decrypt and decompress what seal made", run_unseal, unseal_footer);
  command.add("IN", options.in, "The sealed file, or -").require();
  command.add("OUT", options.out, "The file as it was, or -").require();
  add_in_place_option(command, options.in_place);
  command.add_flag("--partial", options.partial,
                   "Accept a file that was not closed by its writer, or was cut, and say how many bytes are there");
  add_key_options(command, options.keys);
  command.explain_exit(1, "it failed: a file is damaged, forged or cut, or the key is another one");
}

}  // namespace freshet::tool
