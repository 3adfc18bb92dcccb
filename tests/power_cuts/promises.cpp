#include "tests/power_cuts/promises.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <span>
#include <sstream>
#include <stdexcept>
#include <system_error>
#include <utility>

#include <freshet/reader.hpp>

#include "tests/support/known_bytes.hpp"

namespace freshet::test {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t bytes_per_number = std::uint64_t{16} << 20;

// What a file has before its end, or before the first error: a file whose writer was cut may end in one.
struct stored_bytes {
  std::string bytes;
  std::error_code failure;
};

stored_bytes read_stored(const fs::path& path, const stored_form& form) {
  reader_options options{.method = "buffered"};
  if (form.sealed) options.key = &key_of_files();
  if (form.compressed) options.decompression = decompression::automatic;
  stored_bytes found;
  reader in{path, options, found.failure};
  while (!found.failure) {
    const std::span<const std::byte> piece = in.available(found.failure);
    if (piece.empty()) break;
    found.bytes.append(reinterpret_cast<const char*>(piece.data()), piece.size());
    in.advance(piece.size());
  }
  return found;
}

std::size_t equal_bytes(std::string_view content, std::uint64_t number) {
  return first_difference(content, number * bytes_per_number);
}

std::string check_file(const promised_file& promised, const fs::path& path) {
  if (!promised.complete && promised.durable == 0 && promised.ordered == 0) return {};
  if (promised.durable == 0 && !fs::exists(path)) return {};
  if (!fs::exists(path)) return "is missing";
  const auto [content, failure] = read_stored(path, promised.form);
  const std::size_t equal = equal_bytes(content, promised.number);
  if (equal < promised.durable)
    return fmt::format("has {} bytes, differs from what was written at {}, and {} bytes were durable; {}",
                       content.size(), equal, promised.durable, failure.message());
  if (content.size() > promised.ordered && equal < promised.ordered)
    return fmt::format("has {} bytes, differs from what was written at {}, and {} bytes came before all others",
                       content.size(), equal, promised.ordered);
  if (promised.complete && (content.size() != promised.durable || failure))
    return fmt::format("has {} bytes, was closed with {}; {}", content.size(), promised.durable, failure.message());
  return {};
}

bool is_version(const promised_versions::version& promised, const fs::path& path) {
  const auto [content, failure] = read_stored(path, promised.form);
  return !failure && content.size() == promised.length && equal_bytes(content, promised.number) == promised.length;
}

std::string check_versions(const promised_versions& promised, const fs::path& path) {
  if (!fs::exists(path)) return promised.exists ? "is missing" : "";
  const bool is_one = std::ranges::any_of(promised.possible, [&](const auto& each) { return is_version(each, path); });
  return is_one ? "" : fmt::format("has {} bytes, none of {} versions", fs::file_size(path), promised.possible.size());
}

void read_line(std::istream& line, promises& promised) {
  std::string kind, name, form;
  std::uint64_t number = 0, length = 0;
  line >> kind;
  if (kind == "file") {
    line >> name >> number >> form;
    promised.files[name] = {.form = stored_form::of_name(form), .number = number};
  } else if (kind == "ordered") {
    line >> name >> length;
    promised.files.at(name).ordered = length;
  } else if (kind == "durable" || kind == "complete") {
    line >> name >> length;
    promised_file& file = promised.files.at(name);
    file.durable = std::max(file.durable, length);
    file.complete = kind == "complete";
  } else if (kind == "version") {
    line >> name >> number >> form >> length;
    promised.versions[name].possible.push_back({stored_form::of_name(form), number, length});
  } else if (kind == "replaced") {
    line >> name >> number;
    promised_versions& all = promised.versions.at(name);
    all.exists = true;
    std::erase_if(all.possible, [&](const auto& each) { return each.number < number; });
  } else if (kind == "trials") {
    line >> promised.trials;
  } else if (kind == "forget") {
    promised.files.clear();
    promised.versions.clear();
  } else {
    line.setstate(std::ios::failbit);
  }
}

constexpr std::array<std::pair<std::string_view, stored_form>, 4> forms{{
    {"plain", {}},
    {"compressed", {.compressed = true}},
    {"sealed", {.sealed = true}},
    {"compressed-sealed", {.compressed = true, .sealed = true}},
}};

}  // namespace

std::string stored_form::name() const {
  const auto* const found = std::ranges::find_if(
      forms, [this](const auto& each) { return each.second.compressed == compressed && each.second.sealed == sealed; });
  return std::string{found->first};
}

stored_form stored_form::of_name(std::string_view name) {
  const auto* const found = std::ranges::find(forms, name, [](const auto& each) { return each.first; });
  if (found == forms.end()) throw std::out_of_range{"no form: " + std::string{name}};
  return found->second;
}

promises read_promises(std::istream& lines) {
  promises promised;
  for (std::string text; std::getline(lines, text); ++promised.count) {
    std::istringstream line{text};
    read_line(line, promised);
    if (!line) throw std::runtime_error{"no promise: " + text};
  }
  return promised;
}

std::vector<std::string> check_files(const promises& promised, const fs::path& directory) {
  std::vector<std::string> broken;
  const auto note = [&](const std::string& name, const std::string& difference) {
    if (!difference.empty()) broken.push_back(name + ' ' + difference);
  };
  for (const auto& [name, file] : promised.files) note(name, check_file(file, directory / name));
  for (const auto& [name, versions] : promised.versions) note(name, check_versions(versions, directory / name));
  return broken;
}

std::map<std::string, growing_files> look_at_growing(const promises& promised, const fs::path& directory) {
  constexpr std::string_view word = "-growing-";
  std::map<std::string, growing_files> found;
  for (const auto& [name, file] : promised.files) {
    const std::size_t at = name.find(word);
    if (at == std::string::npos || !fs::exists(directory / name)) continue;
    const std::string content = read_stored(directory / name, file.form).bytes;
    const std::string expected = bytes_of_file(file.number, 0, content.size());
    growing_files& same_method = found[name.substr(at + word.size())];
    ++same_method.count;
    if (content == expected) continue;
    ++same_method.with_zeros;
    for (std::size_t i = 0; i < content.size(); ++i)
      if (content[i] != expected[i] && content[i] != '\0')
        throw std::runtime_error{fmt::format("{} has a byte at {} that nobody wrote there", name, i)};
  }
  return found;
}

std::string bytes_of_file(std::uint64_t number, std::uint64_t from, std::size_t length) {
  return bytes_from(number * bytes_per_number + from, length);
}

const encryption_key& key_of_files() {
  static const encryption_key key{std::array<std::byte, encryption_key::size>{std::byte{7}}};
  return key;
}

}  // namespace freshet::test
