#include "lab/encrypt/manifest.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include <freshet/error.hpp>
#include <freshet/reader.hpp>

namespace freshet::tool {
namespace {

using nlohmann::json;

constexpr unsigned format_version = 1;

// Enough for some millions of files. A larger file is not read.
constexpr std::uint64_t largest_manifest = std::uint64_t{1} << 30;

// A file name may have any bytes, and JSON is UTF-8: bytes other than printable ASCII, and "%", become "%XX".
std::string escape(std::string_view name) {
  std::string text;
  for (const char letter : name)
    if (letter > ' ' && letter < '\x7f' && letter != '%')
      text += letter;
    else
      text += fmt::format("%{:02X}", static_cast<unsigned char>(letter));
  return text;
}

// A text is no manifest; the message says why.
struct malformed : std::runtime_error {
  using runtime_error::runtime_error;
};

std::string unescape(std::string_view text) {
  std::string name;
  for (std::size_t at = 0; at < text.size(); ++at) {
    auto letter = static_cast<unsigned char>(text[at]);
    if (letter == '%') {
      const std::string_view digits = text.substr(at + 1, 2);
      const auto [rest, status] = std::from_chars(digits.data(), digits.data() + digits.size(), letter, 16);
      if (digits.size() != 2 || status != std::errc{} || rest != digits.data() + 2)
        throw malformed{fmt::format("\"{}\" is not a file name", text)};
      at += 2;
    }
    name += static_cast<char>(letter);
  }
  return name;
}

// Files of these names are removed, so none may refer to a file outside of the directory.
void require_plain(const std::string& name) {
  using namespace std::string_view_literals;
  if (name.empty() || name == "." || name == ".." || name == manifest_name || is_leftover(name) ||
      name.find_first_of("/\0"sv) != std::string::npos)
    throw malformed{fmt::format("\"{}\" is not a file name", escape(name))};
}

template <typename Value>
Value read_member(const json& object, const char* key) {
  const auto value = object.find(key);
  if (value == object.end()) throw malformed{fmt::format("there is no \"{}\"", key)};
  bool fits = false;
  if constexpr (std::same_as<Value, bool>)
    fits = value->is_boolean();
  else if constexpr (std::same_as<Value, std::string>)
    fits = value->is_string();
  else if constexpr (std::signed_integral<Value>)
    fits = value->is_number_integer() && (!value->is_number_unsigned() || value->get<std::uint64_t>() <= INT64_MAX);
  else
    fits = value->is_number_unsigned() && value->get<std::uint64_t>() <= std::numeric_limits<Value>::max();
  if (!fits) throw malformed{fmt::format("\"{}\" has a wrong type or value", key)};
  return value->get<Value>();
}

const json& read_array(const json& object, const char* key) {
  const auto value = object.find(key);
  if (value == object.end() || !value->is_array()) throw malformed{fmt::format("there is no list \"{}\"", key)};
  return *value;
}

input_file parse_file(const json& entry) {
  if (!entry.is_object()) throw malformed{"an entry of a list is not an object"};
  input_file file{unescape(read_member<std::string>(entry, "name")), read_member<std::uint64_t>(entry, "size"),
                  read_member<std::int64_t>(entry, "modified")};
  require_plain(file.name);
  return file;
}

std::vector<input_file> parse_files(const json& entries) {
  std::vector<input_file> files;
  for (const json& entry : entries) {
    files.push_back(parse_file(entry));
    if (files.size() > 1 && files[files.size() - 2].name >= files.back().name)
      throw malformed{"the files are not in order"};
  }
  return files;
}

cipher_plan parse_plan(const json& text) {
  const auto name = read_member<std::string>(text, "cipher");
  const auto cipher = from_name<cipher_kind>(name);
  if (!cipher) throw malformed{fmt::format("there is no cipher \"{}\"", escape(name))};
  return {
      .cipher = *cipher, .work = read_member<unsigned>(text, "work"), .decrypt = read_member<bool>(text, "decrypt")};
}

manifest parse(const json& text) {
  if (!text.is_object()) throw malformed{"it is not a JSON object"};
  if (const auto version = read_member<unsigned>(text, "freshet_encrypt"); version != format_version)
    throw malformed{fmt::format("it has version {}, and this freshet reads version {}", version, format_version)};
  return {.plan = parse_plan(text),
          .boot = read_member<std::string>(text, "boot"),
          .clearing = read_member<bool>(text, "clearing"),
          .inputs = parse_files(read_array(text, "files")),
          .outputs = text.contains("outputs") ? parse_files(read_array(text, "outputs")) : std::vector<input_file>{}};
}

json list_files(const std::vector<input_file>& files) {
  json entries = json::array();
  for (const input_file& file : files)
    entries.push_back({{"name", escape(file.name)}, {"size", file.size}, {"modified", file.modified}});
  return entries;
}

std::string describe_difference(const input_file& earlier, const input_file& now) {
  if (earlier.name < now.name) return fmt::format("'{}' is no longer among the input", earlier.name);
  if (earlier.name > now.name) return fmt::format("'{}' was not among the input", now.name);
  if (earlier.size != now.size) return fmt::format("'{}' had {} bytes and has {}", now.name, earlier.size, now.size);
  if (earlier.modified != now.modified) return fmt::format("'{}' was modified since", now.name);
  return {};
}

std::string describe_difference(const cipher_plan& earlier, const cipher_plan& now) {
  if (earlier.decrypt != now.decrypt) return earlier.decrypt ? "it was --decrypt" : "it was not --decrypt";
  if (earlier.cipher != now.cipher)
    return fmt::format("--cipher was {} and is {}", to_string(earlier.cipher), to_string(now.cipher));
  if (earlier.work != now.work) return fmt::format("--work was {} and is {}", earlier.work, now.work);
  return {};
}

}  // namespace

void to_json(json& out, const manifest& source) {
  out = {{"freshet_encrypt", format_version},
         {"cipher", to_string(source.plan.cipher)},
         {"work", source.plan.work},
         {"decrypt", source.plan.decrypt},
         {"boot", source.boot},
         {"clearing", source.clearing},
         {"files", list_files(source.inputs)},
         {"outputs", list_files(source.outputs)}};
}

void from_json(const json& in, manifest& target) { target = parse(in); }

std::string to_text(const manifest& source) {
  return json(source).dump(1, ' ', true, json::error_handler_t::replace) + '\n';
}

manifest parse_manifest(std::string_view text, const std::filesystem::path& path) {
  try {
    return parse(json::parse(text, nullptr, false));
  } catch (const malformed& problem) {
    throw error{std::make_error_code(std::errc::bad_message), "read", path, error::no_offset,
                fmt::format("it is not a manifest of freshet encrypt: {}", problem.what())};
  }
}

std::optional<manifest> read_manifest(const std::filesystem::path& directory) {
  const std::filesystem::path path = directory / manifest_name;
  std::error_code failure;
  reader in{path, {.method = "buffered"}, failure};
  if (failure == std::errc::no_such_file_or_directory) return {};
  if (failure) throw error{failure, "open", path};
  const std::uint64_t size = in.size();
  if (size == 0) return {};
  if (size > largest_manifest) throw error{std::make_error_code(std::errc::file_too_large), "read", path};
  std::string text(static_cast<std::size_t>(size), '\0');
  text.resize(in.read(std::span{text}));
  return parse_manifest(text, path);
}

std::string describe_difference(const manifest& earlier, const manifest& now) {
  if (std::string difference = describe_difference(earlier.plan, now.plan); !difference.empty()) return difference;
  const auto [was, is] = std::ranges::mismatch(earlier.inputs, now.inputs);
  if (was != earlier.inputs.end() && is != now.inputs.end()) return describe_difference(*was, *is);
  if (was != earlier.inputs.end()) return fmt::format("'{}' is no longer among the input", was->name);
  if (is != now.inputs.end()) return fmt::format("'{}' was not among the input", is->name);
  return {};
}

}  // namespace freshet::tool
