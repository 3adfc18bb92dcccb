#include <charconv>
#include <fstream>
#include <vector>

#include "src/os/mount_table.hpp"

namespace freshet::detail::os {
namespace {

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (;;) {
    const std::size_t end = text.find(separator);
    parts.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

template <class Number>
bool parse_number(std::string_view text, Number& number, int base = 10) {
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), number, base);
  return failed == std::errc{} && end == text.data() + text.size();
}

// The kernel escapes blanks and backslashes in names as \ and three octal digits.
std::string unescape(std::string_view text) {
  std::string plain;
  while (!text.empty()) {
    unsigned char escaped = 0;
    const bool is_escape = text[0] == '\\' && text.size() >= 4 && parse_number(text.substr(1, 3), escaped, 8);
    plain += is_escape ? static_cast<char>(escaped) : text[0];
    text.remove_prefix(is_escape ? 4 : 1);
  }
  return plain;
}

std::string join_options(std::string_view of_mount, std::string_view of_file_system) {
  std::string joined{of_mount};
  const auto present = split(of_mount, ',');
  for (const std::string_view option : split(of_file_system, ',')) {
    bool known = option.empty();
    for (const std::string_view other : present) known = known || other == option;
    if (!known) joined.append(",").append(option);
  }
  return joined;
}

template <class Wanted>
std::optional<mount_entry> find_last(Wanted wanted) {
  std::ifstream list{"/proc/self/mountinfo"};
  std::optional<mount_entry> last;
  for (std::string line; std::getline(list, line);) {
    auto entry = parse_mount(line);
    if (entry && wanted(*entry)) last = std::move(entry);
  }
  return last;
}

}  // namespace

// 36 35 98:0 /root/in/fs /mnt/point rw,noatime master:1 … - ext3 /dev/root rw,errors=continue
std::optional<mount_entry> parse_mount(std::string_view line) {
  const std::size_t dash = line.find(" - ");
  if (dash == std::string_view::npos) return std::nullopt;
  const auto before = split(line.substr(0, dash), ' ');
  const auto after = split(line.substr(dash + 3), ' ');
  if (before.size() < 6 || after.size() < 3) return std::nullopt;
  const auto device = split(before[2], ':');
  mount_entry entry;
  if (!parse_number(before[0], entry.id) || device.size() != 2 || !parse_number(device[0], entry.major) ||
      !parse_number(device[1], entry.minor))
    return std::nullopt;
  entry.root = unescape(before[3]);
  entry.mount_point = unescape(before[4]);
  entry.options = join_options(before[5], after[2]);
  entry.type = unescape(after[0]);
  entry.source = unescape(after[1]);
  return entry;
}

std::optional<mount_entry> find_mount(std::uint64_t id) {
  return find_last([id](const mount_entry& entry) { return entry.id == id; });
}

std::optional<mount_entry> find_mount_of_device(unsigned major, unsigned minor) {
  return find_last([=](const mount_entry& entry) { return entry.major == major && entry.minor == minor; });
}

}  // namespace freshet::detail::os
