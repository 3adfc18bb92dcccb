#include "src/profile/profile_text.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <sstream>
#include <type_traits>
#include <utility>

#include <freshet/error.hpp>

#include "src/method/registry.hpp"
#include "src/os/native_string.hpp"
#include "src/profile/settings_text.hpp"
#include "src/profile/toml_text.hpp"

namespace freshet::detail {
namespace {

constexpr std::int64_t known_format = 1;

/// The names of the durability classes in the file, indexed by the class.
constexpr std::array<std::string_view, 3> class_names{"none", "at_close", "each_write"};

/// Replaces control characters, which a terminal would interpret.
std::string printable(std::string_view text) {
  std::string result{text};
  std::replace_if(
      result.begin(), result.end(), [](char c) { return static_cast<unsigned char>(c) < ' ' || c == '\x7f'; }, '?');
  return result;
}

bool is_newer(const toml::table& root) {
  return root["format"].value_exact<std::int64_t>().value_or(known_format) > known_format;
}

/// Turns the parsed tree into a profile. Everything that it cannot use becomes a warning and is ignored.
class profile_reader {
 public:
  explicit profile_reader(const std::filesystem::path& name) { result_.path = name; }

  profile read(std::string_view text) {
    try {
      read_file(parse_toml(text));
    } catch (const toml::parse_error& fault) {
      warn(fault.source().begin.line, std::string{fault.description()} + "; the file is ignored");
    }
    return std::move(result_);
  }

 private:
  void warn(std::size_t line, const std::string& fault) {
    result_.warnings.push_back(to_utf8(result_.path.native()) + ":" + std::to_string(line) + ": " + printable(fault));
  }
  void warn(const toml::node& where, const std::string& fault) { warn(where.source().begin.line, fault); }

  void read_file(const toml::table& root) {
    const toml::node* format = root.get("format");
    if (format == nullptr) return warn(1, "'format' is missing; the file is ignored");
    const auto number = format->value_exact<std::int64_t>();
    if (number != known_format) {
      return warn(*format, number && *number > known_format
                               ? "format " + std::to_string(*number) +
                                     " is newer than the one that this version of freshet reads (" +
                                     std::to_string(known_format) + "); the file is ignored"
                               : "'format' must be " + std::to_string(known_format) + "; the file is ignored");
    }
    for (const auto& [key, value] : root)
      if (key == "file_system")
        read_file_systems(value);
      else if (key != "format")
        warn(value, "unknown key '" + std::string{key.str()} + "'");
  }

  void read_file_systems(const toml::node& node) {
    const toml::table* named = node.as_table();
    if (named == nullptr) return warn(node, "'file_system' must be a table; it is ignored");
    for (const auto& [key, value] : *named)
      if (const toml::table* entry = value.as_table())
        result_.file_systems.emplace(key.str(), read_entry(std::string{key.str()}, *entry));
      else
        warn(value, "file system '" + std::string{key.str()} + "' must be a table; it is ignored");
  }

  file_system_profile read_entry(std::string name, const toml::table& entry) {
    file_system_profile profile;
    profile.key = std::move(name);
    for (const auto& [key, value] : entry) {
      const auto winner = std::find(class_names.begin(), class_names.end(), key.str());
      if (winner != class_names.end()) {
        profile.winners[static_cast<std::size_t>(winner - class_names.begin())] =
            read_winner<write_settings>(*winner, value);
      } else if (key == "cold") {
        profile.cold = read_winner<read_settings>("cold", value);
      } else if (key == "warm") {
        profile.warm = read_winner<read_settings>("warm", value);
      } else if (key == "type") {
        read_text(key, value, profile.type);
      } else if (key == "mount_options") {
        read_text(key, value, profile.mount_options);
      } else if (key == "kernel") {
        read_text(key, value, profile.kernel);
      } else if (key == "measured") {
        read_text(key, value, profile.measured);
      } else if (key == "size") {
        if (const auto bytes = read_size(value))
          profile.size = *bytes;
        else
          warn(value, "'size' must be a number of bytes or a string like \"1G\"; it is ignored");
      } else {
        warn(value, "unknown key '" + std::string{key.str()} + "'");
      }
    }
    return profile;
  }

  void read_text(const toml::key& key, const toml::node& value, std::string& into) {
    if (const auto text = value.value_exact<std::string>())
      into = *text;
    else
      warn(value, "'" + std::string{key.str()} + "' must be a string; it is ignored");
  }

  /// Returns nothing, after a warning, if any value is wrong: a part of a winner was never measured.
  template <typename Settings>
  std::optional<Settings> read_winner(std::string_view name, const toml::node& node) {
    const toml::table* table = node.as_table();
    const std::string left_out = "; '" + std::string{name} + "' is ignored";
    if (table == nullptr) {
      warn(node, "'" + std::string{name} + "' must be a table" + left_out);
      return {};
    }

    Settings settings;
    settings.method.clear();
    for (const auto& [key, value] : *table) {
      const std::string fault = read_setting(key.str(), value, settings);
      if (!fault.empty()) {
        warn(value, fault + left_out);
        return {};
      }
    }
    if (settings.method.empty()) {
      warn(node, "'method' is missing" + left_out);
      return {};
    }
    return settings;
  }

  /// Explains what is wrong with the setting; empty if it is valid. An unknown one only causes a warning.
  template <typename Settings>
  std::string read_setting(std::string_view key, const toml::node& value, Settings& into) {
    if constexpr (std::is_same_v<Settings, write_settings>) {
      if (key == "reserve") return {};  // profiles of version 0.1 recorded it
      if (key == "slowest_expected") {
        const auto rate = read_number(value, 0, std::numeric_limits<double>::max());
        if (!rate) return "'slowest_expected' must be a number of MB/s";
        into.slowest_expected = *rate;
        return {};
      }
    }
    if (key == "method") return read_method(value, into);
    if (key == "block") return read_block(value, into.block);
    if (key == "depth") return read_depth(value, into.depth);
    if (key == "provisional") {
      const auto unknown = value.value_exact<std::string>();
      if (!unknown) return "'provisional' must be a string";
      into.provisional = *unknown;
    } else if (key == "fixed") {
      const auto fixed = value.value_exact<bool>();
      if (!fixed) return "'fixed' must be true or false";
      into.fixed = *fixed;
    } else if (names_way(key)) {
      read_way(key, value, into.measured, [this](const auto& where, const auto& fault) { this->warn(where, fault); });
    } else {
      warn(value, "unknown key '" + std::string{key} + "'");
    }
    return {};
  }

  template <typename Settings>
  static std::string read_method(const toml::node& value, Settings& into) {
    const auto name = value.value_exact<std::string>();
    if (!name) return "'method' must be a string";
    const method_entry* known = find_method(*name);
    if (known == nullptr) return "there is no method '" + *name + "'";
    into.method = *name;
    return why_unfit(*known, into);
  }

  static std::string why_unfit(const method_entry& method, const write_settings& /*wanted*/) {
    return method.needs_file ? "" : "method '" + std::string{method.name} + "' does not write files";
  }
  static std::string why_unfit(const method_entry& method, const read_settings& /*wanted*/) {
    if (method.make_reading == nullptr) return "method '" + std::string{method.name} + "' does not read";
    return method.reads_unasked ? "" : "method '" + std::string{method.name} + "' reads only if the program names it";
  }

  profile result_;
};

template <typename Settings>
toml::table winner_table(const Settings& winner) {
  toml::table table;
  table.insert("method", winner.method);
  if (winner.block != 0) table.insert("block", static_cast<std::int64_t>(winner.block));
  if (winner.depth != 0) table.insert("depth", std::int64_t{winner.depth});
  if (!winner.provisional.empty()) table.insert("provisional", winner.provisional);
  if constexpr (std::is_same_v<Settings, write_settings>)
    if (winner.slowest_expected > 0) table.insert("slowest_expected", winner.slowest_expected);
  if (winner.fixed) table.insert("fixed", true);
  put_ways(table, winner.measured);
  return table;
}

/// The table `name` in `parent`, which is created if it does not exist.
toml::table& table_in(toml::table& parent, std::string_view name) {
  if (toml::table* existing = parent.get_as<toml::table>(name)) return *existing;
  return *parent.insert_or_assign(name, toml::table{}).first->second.as_table();
}

/// Replaces an older winner.
template <typename Settings>
void put_winner(toml::table& into, std::string_view name, const std::optional<Settings>& winner) {
  into.erase(name);
  if (winner) into.insert(name, winner_table(*winner));
}

void put_entry(toml::table& into, const file_system_profile& entry) {
  into.insert_or_assign("type", entry.type);
  into.insert_or_assign("mount_options", entry.mount_options);
  into.insert_or_assign("kernel", entry.kernel);
  into.insert_or_assign("measured", entry.measured);
  into.insert_or_assign("size", static_cast<std::int64_t>(entry.size));
  for (std::size_t i = 0; i < class_names.size(); ++i) put_winner(into, class_names[i], entry.winners[i]);
  put_winner(into, "cold", entry.cold);
  put_winner(into, "warm", entry.warm);
}

}  // namespace

profile parse_profile(std::string_view text, const std::filesystem::path& name) {
  return profile_reader{name}.read(text);
}

bool has_newer_format(std::string_view text) try {
  return is_newer(parse_toml(text));
} catch (const toml::parse_error&) {
  return false;
}

std::optional<std::string> merge_profile(std::string_view text, const file_system_profile& entry,
                                         const std::filesystem::path& name) {
  toml::table root;
  try {
    root = parse_toml(text);
  } catch (const toml::parse_error&) {
    return {};
  }
  if (is_newer(root)) {
    throw error{make_error_code(std::errc::not_supported), "save", name, error::no_offset,
                "the file has a newer format than this version of freshet writes"};
  }
  root.insert_or_assign("format", known_format);
  put_entry(table_in(table_in(root, "file_system"), entry.key), entry);

  // Single-line ASCII strings, because parse_toml() requires them, and numbers of six digits, which people can read.
  using toml::format_flags;
  constexpr auto unwanted = format_flags::allow_multi_line_strings | format_flags::allow_literal_strings |
                            format_flags::allow_unicode_strings;
  constexpr auto plain = (toml::toml_formatter::default_flags & ~unwanted) | format_flags::relaxed_float_precision;
  std::ostringstream out;
  out << "# Measured and written by `freshet tune`, read by every program that uses freshet.\n"
      << toml::toml_formatter{root, plain} << '\n';
  std::string merged = out.str();
  // The formatter omits the quotes of some keys that need them.
  if (!parse_profile(merged, name).file_systems.contains(entry.key)) return {};
  return merged;
}

}  // namespace freshet::detail
