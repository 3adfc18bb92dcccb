#include <filesystem>
#include <vector>

#include "tool/command/commands.hpp"
#include "tool/command/sealed_files.hpp"

namespace freshet::tool {
namespace {

constexpr auto cat_footer =
    R"(Files that seal or zstd made are verified, decrypted and decompressed, all others are printed as they are. All that are
encrypted need the same key. A FILE may be -, standard input.

Examples:
  freshet cat letters.sealed --key-file key | grep Sincerely)";

struct cat_options {
  std::vector<std::filesystem::path> files;
  key_options keys;
};

int run_cat(const cat_options& options) {
  const auto key = read_key(options.keys);
  writer out = open_output(standard_stream, {}, false);
  for (const auto& path : options.files) {
    stored_file stored = open_stored(path, key);
    copy_all(stored.in, out);
    stored.in.close();
  }
  out.close();
  return 0;
}

}  // namespace

void add_cat_command(program_parser& program) {
  auto [command, options] =
      program.add_command("cat", "Print files, decrypted and decompressed where they need it", run_cat, cat_footer);
  command.add("FILE", options.files, "The files").require();
  add_key_options(command, options.keys);
  command.explain_exit(1, "it failed: a file is damaged, forged or cut, or the key is another one");
}

}  // namespace freshet::tool
