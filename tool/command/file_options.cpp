#include "tool/command/file_options.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <span>
#include <string_view>
#include <system_error>
#include <utility>

#include <freshet/error.hpp>

#include "src/base/secret_file.hpp"
#include "src/filter/secret.hpp"
#include "tool/base/option_names.hpp"
#include "tool/base/text.hpp"
#include "tool/command/arguments.hpp"

namespace freshet::tool {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view zstd_name = "zstd";

// "zstd", or "zstd:LEVEL".
compression parse_compression(std::string_view text) {
  constexpr int fastest = -131072;
  constexpr int smallest_file = 22;
  compression wanted{.format = compression_format::zstd};
  if (text == zstd_name) return wanted;
  if (!text.starts_with(zstd_name) || text[zstd_name.size()] != ':')
    reject(text, "a compression", "expected zstd or zstd:LEVEL, such as zstd:3");
  wanted.level = parse_number(text.substr(zstd_name.size() + 1), fastest, smallest_file, "a level of zstd");
  return wanted;
}

// Files that people write end with a line end.
std::string_view without_line_end(std::string_view text) {
  if (text.ends_with('\n')) text.remove_suffix(text.ends_with("\r\n") ? 2 : 1);
  return text;
}

// Refuses more than one line: a passphrase that ends at the first line may be much shorter than its file.
encryption_key read_passphrase(const fs::path& path) {
  struct wiped {
    std::string text = std::string(4096, '\0');
    ~wiped() { detail::wipe(std::as_writable_bytes(std::span{text})); }
  } line;
  const std::size_t length = detail::read_secret_file(path.native(), std::as_writable_bytes(std::span{line.text}));
  const std::string_view passphrase = std::string_view{line.text}.substr(0, length);
  const std::string_view only_line = without_line_end(passphrase);
  const std::string_view problem = length == line.text.size()                       ? "it is too long"
                                   : only_line.empty()                              ? "it is empty"
                                   : only_line.find('\n') != std::string_view::npos ? "it has more than one line"
                                                                                    : "";
  if (!problem.empty())
    throw error{std::make_error_code(std::errc::invalid_argument), "read the passphrase", path, error::no_offset,
                problem};
  return encryption_key::from_passphrase(only_line);
}

// Who can read it can read and forge what it seals.
void warn_of_other_readers(const fs::path& path) {
  std::error_code unknown;
  const fs::file_status status = fs::status(path, unknown);
  const fs::perms others = status.permissions() & (fs::perms::group_all | fs::perms::others_all);
  if (!fs::is_regular_file(status) || others == fs::perms::none) return;
  const std::string name = printable(path.string());
  fmt::print(stderr, "freshet: others may use '{}', whose mode is {:04o}: chmod 600 {}\n", name,
             static_cast<unsigned>(status.permissions()), quote_for_shell(name));
}

template <typename Order>
command_option add_order(command_parser& command, Order& into) {
  return command.add("--access", into, make_choices<access>("an order of access"),
                     "The order in which files will be used, for the kernel: sequential, random or once");
}

}  // namespace

command_option add_access_option(command_parser& command, access& into) { return add_order(command, into); }

command_option add_access_option(command_parser& command, std::optional<access>& into) {
  return add_order(command, into);
}

command_option add_caching_option(command_parser& command, caching& into) {
  return command.add("--caching", into, make_choices<caching>("a way of caching"),
                     "What the page cache holds of a file: keep, drop (at most 64M) or bypass");
}

command_option add_rate_limit_option(command_parser& command, std::uint64_t& into) {
  return command.add("--rate-limit SIZE", into, parse_limit, "At most so many bytes per second");
}

command_option add_compress_option(command_parser& command, compression& into) {
  return command
      .add("--compress COMPRESSION", into, parse_compression,
           "zstd or zstd:LEVEL: -131072 (fastest) to 22 (smallest), by default 3")
      .offer({std::string{zstd_name}});
}

command_option add_checksum_option(command_parser& command, checksum_algorithm& into) {
  return command.add("--checksum", into, make_choices<checksum_algorithm>("a checksum"),
                     "The checksum of the bytes, which is printed: xxh3");
}

key_option_pair add_key_options(command_parser& command, key_options& into) {
  const key_option_pair added{
      command.add("--key-file", into.key_file, "The key: a file of exactly 32 random bytes"),
      command.add("--passphrase-file", into.passphrase_file, "The passphrase: the only line of this file")};
  command_option{added.key_file}.exclude(added.passphrase_file);
  return added;
}

std::optional<encryption_key> read_key(const key_options& options) {
  const fs::path& path = options.key_file.empty() ? options.passphrase_file : options.key_file;
  if (path.empty()) return std::nullopt;
  warn_of_other_readers(path);
  return options.key_file.empty() ? read_passphrase(path) : encryption_key::from_file(path);
}

bool is_same_file(const fs::path& one, const fs::path& other) {
  std::error_code unknown;
  return fs::is_regular_file(one, unknown) && fs::equivalent(one, other, unknown);
}

void require_no_key(const std::string& argument, const fs::path& output, const key_options& options) {
  for (const fs::path* const secret : {&options.key_file, &options.passphrase_file})
    if (!secret->empty() && is_same_file(*secret, output))
      throw usage_error{argument, fmt::format("'{}' is the file of the key", printable(output.string()))};
}

nlohmann::json list_file_options(const writer_options& options) {
  const writer_options usual;
  nlohmann::json listed = nlohmann::json::object();
  const auto add = [&](const char* name, bool differs, auto&& value) {
    if (differs) listed[name] = std::forward<decltype(value)>(value);
  };
  add("access", options.access != usual.access, to_string(options.access));
  add("caching", options.caching != usual.caching, to_string(options.caching));
  add("rate_limit", options.rate_limit != usual.rate_limit, options.rate_limit);
  add("compress", options.compression.format != usual.compression.format,
      fmt::format("{}:{}", zstd_name, options.compression.level));
  add("encrypt", options.key != usual.key, true);
  add("checksum", options.checksum != usual.checksum, to_string(options.checksum));
  add("atomic", options.atomic, true);
  add("temporary", options.temporary, true);
  add("delete_on_close", options.delete_on_close, true);
  return listed;
}

std::string describe_file_options(const nlohmann::json& listed) {
  std::string words;
  for (const auto& [name, value] : listed.items()) {
    words += words.empty() ? "" : ", ";
    words += name;
    if (!value.is_boolean()) words += ' ' + (value.is_string() ? value.get<std::string>() : value.dump());
  }
  return words;
}

std::string to_text(const checksum& sum) { return fmt::format("{}:{:016x}", to_string(sum.algorithm), sum.value); }

}  // namespace freshet::tool
