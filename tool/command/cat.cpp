#include <fmt/format.h>

#include <exception>
#include <filesystem>
#include <optional>
#include <vector>

#include "tool/base/failure.hpp"
#include "tool/command/commands.hpp"
#include "tool/command/sealed_files.hpp"

namespace freshet::tool {
namespace {

constexpr auto cat_footer =
    R"(Files that seal or zstd made are verified, decrypted and decompressed, all others are printed as they are. All that are
encrypted need the same key. A FILE may be -, standard input. Files that cannot be read are left out and named.

Examples:
  freshet cat letters.sealed --key-file key | grep Sincerely)";

struct cat_options {
  std::vector<std::filesystem::path> files;
  key_options keys;
};

// Says so on standard error if it cannot be read. @throws freshet::error  if it cannot be written
bool print_file(const std::filesystem::path& path, const std::optional<encryption_key>& key, writer& out) {
  try {
    stored_file stored = open_stored(path, key);
    copy_all(stored.in, out);
    stored.in.close();
    return true;
  } catch (const std::exception& failure) {
    if (out.last_error()) throw;
    out.flush();
    fmt::print(stderr, "freshet: {}\n", describe_failure(failure));
    return false;
  }
}

int run_cat(const cat_options& options) {
  constexpr int failed = 1;
  const auto key = read_key(options.keys);
  writer out = open_output(standard_stream, {}, false);
  bool are_all_printed = true;
  for (const auto& path : options.files) are_all_printed = print_file(path, key, out) && are_all_printed;
  out.close();
  return are_all_printed ? 0 : failed;
}

}  // namespace

void add_cat_command(program_parser& program) {
  auto [command, options] =
      program.add_command("cat", "Print files, decrypted and decompressed where they need it", run_cat, cat_footer);
  command.add("FILE", options.files, "The files").require();
  add_key_options(command, options.keys);
  command.explain_exit(1,
                       "a file is missing, damaged, forged or cut, or the key is another one; the others are printed");
}

}  // namespace freshet::tool
