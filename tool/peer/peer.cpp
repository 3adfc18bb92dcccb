#include "tool/peer/peer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <optional>
#include <stdexcept>
#include <utility>

#include <freshet/error.hpp>
#include <freshet/reader.hpp>

#include "src/toml_text.hpp"
#include "tool/base/size.hpp"
#include "tool/base/text.hpp"

namespace freshet::tool {
namespace {

constexpr std::string_view manifest_name = "peer.toml";
constexpr std::array<std::string_view, 5> kind_names{"naive", "standard", "system", "library", "freshet"};
constexpr std::array<std::string_view, 2> workload_names{"text", "bytes"};
constexpr std::array<std::string_view, 6> option_names{"buffer",   "reserve",    "write-through",
                                                       "no-cache", "sequential", "overwrite"};

struct fault {
  std::size_t line = 0;
  std::string what;
};

[[noreturn]] void refuse(const toml::node& where, std::string what) {
  throw fault{where.source().begin.line, std::move(what)};
}

// A table of which every key must be asked for.
class strict_table {
 public:
  explicit strict_table(const toml::table& of) : of_{of} {}

  // Empty where there is none.
  std::string some_text(std::string_view key) {
    const toml::node* value = take(key);
    return value == nullptr ? std::string{} : as_text(key, *value);
  }
  std::string text(std::string_view key) {
    std::string found = as_text(key, need(key));
    if (found.empty()) refuse(*of_.get(key), fmt::format("'{}' is empty", key));
    return found;
  }
  std::vector<std::string> texts(std::string_view key) {
    const toml::array* list = need(key).as_array();
    if (list == nullptr) refuse(*of_.get(key), fmt::format("'{}' must be a list of texts", key));
    std::vector<std::string> found;
    for (const toml::node& each : *list) found.push_back(as_text(key, each));
    return found;
  }
  // As texts(), each one of `known`.
  template <std::size_t Count>
  std::set<std::string> some_of(std::string_view key, const std::array<std::string_view, Count>& known) {
    std::set<std::string> found;
    for (std::string& each : texts(key)) {
      if (std::ranges::find(known, each) == known.end())
        refuse(*of_.get(key), fmt::format("'{}' cannot have \"{}\", only {}", key, each, fmt::join(known, ", ")));
      found.insert(std::move(each));
    }
    return found;
  }
  peer_kind kind() {
    const std::string name = text("kind");
    const auto at = std::ranges::find(kind_names, name);
    if (at == kind_names.end())
      refuse(*of_.get("kind"), fmt::format("'kind' must be one of {}", fmt::join(kind_names, ", ")));
    return static_cast<peer_kind>(at - kind_names.begin());
  }
  // Of [[key]], each.
  std::vector<strict_table> tables(std::string_view key) {
    std::vector<strict_table> found;
    const toml::node* value = take(key);
    if (value == nullptr) return found;
    const toml::array* list = value->as_array();
    if (list == nullptr || !list->is_homogeneous(toml::node_type::table))
      refuse(*value, fmt::format("'{0}' must be tables, [[{0}]]", key));
    for (const toml::node& each : *list) found.emplace_back(*each.as_table());
    return found;
  }
  [[nodiscard]] bool has(std::string_view key) const { return of_.contains(key); }
  [[nodiscard]] const toml::node& where(std::string_view key) const { return *of_.get(key); }
  [[nodiscard]] const toml::table& whole() const { return of_; }

  void refuse_others() const {
    for (const auto& [key, value] : of_)
      if (!taken_.contains(key.str())) refuse(value, fmt::format("unknown key '{}'", key.str()));
  }

 private:
  const toml::node* take(std::string_view key) {
    taken_.emplace(key);
    return of_.get(key);
  }
  const toml::node& need(std::string_view key) {
    if (const toml::node* value = take(key)) return *value;
    refuse(of_, fmt::format("'{}' is missing", key));
  }
  // They are shown on terminals, and become words of a command line.
  static std::string as_text(std::string_view key, const toml::node& value) {
    const auto text = value.value_exact<std::string>();
    if (!text) refuse(value, fmt::format("'{}' must be text", key));
    if (std::ranges::any_of(*text, is_control)) refuse(value, fmt::format("'{}' has a control character", key));
    return *text;
  }

  const toml::table& of_;
  std::set<std::string, std::less<>> taken_;
};

peer_toolchain read_toolchain(strict_table table) {
  peer_toolchain made{.needs = table.texts("needs"),
                      .package = table.text("package"),
                      .build = table.some_text("build"),
                      .run = table.texts("run")};
  if (made.run.empty()) refuse(table.where("run"), "'run' is empty");
  table.refuse_others();
  return made;
}

std::set<std::string> read_workloads(strict_table& table) {
  std::set<std::string> found = table.some_of("workloads", workload_names);
  if (found.empty()) refuse(table.where("workloads"), "'workloads' is empty");
  return found;
}

peer_variant read_variant(strict_table table, const peer& of) {
  peer_variant made{.name = table.text("name"),
                    .title = table.text("title"),
                    .kind = table.has("kind") ? table.kind() : of.kind,
                    .workloads = table.has("workloads") ? read_workloads(table) : of.workloads,
                    .arguments = table.texts("arguments")};
  const auto same = [&](const peer_variant& other) { return other.name == made.name; };
  if (std::ranges::any_of(of.variants, same))
    refuse(table.where("name"), fmt::format("there are two variants '{}'", made.name));
  if (!std::ranges::includes(of.workloads, made.workloads))
    refuse(table.where("workloads"),
           fmt::format("'workloads' of a variant can only be of its peer's, {}", fmt::join(of.workloads, ", ")));
  table.refuse_others();
  return made;
}

std::uint64_t read_buffer(strict_table& table, const std::set<std::string>& options) {
  const std::string text = table.some_text("buffer");
  if (text.empty()) return 0;
  if (!options.contains("buffer"))
    refuse(table.where("buffer"), "'buffer' says how large it is, but 'options' does not have it");
  try {
    return parse_size(text);
  } catch (const std::invalid_argument& why) {
    refuse(table.where("buffer"), fmt::format("'buffer': {}", why.what()));
  }
}

peer read_root(const toml::table& root, const std::filesystem::path& folder) {
  strict_table table{root};
  peer made;
  made.folder = folder;
  made.name = table.text("name");
  if (const std::string expected = folder.filename(); made.name != expected)
    refuse(table.where("name"), fmt::format(R"('name' is "{}", not the folder's, "{}")", made.name, expected));
  made.family = table.text("family");
  made.language = table.text("language");
  made.title = table.text("title");
  made.kind = table.kind();
  made.workloads = read_workloads(table);
  made.options = table.some_of("options", option_names);
  made.buffer = read_buffer(table, made.options);
  made.platform = table.some_text("platform");
  if (!made.platform.empty() && made.platform != "windows")
    refuse(table.where("platform"), "'platform' can only be \"windows\"; without it, a peer runs everywhere");
  for (strict_table& each : table.tables("toolchain")) made.toolchains.push_back(read_toolchain(std::move(each)));
  for (strict_table& each : table.tables("variant")) made.variants.push_back(read_variant(std::move(each), made));
  table.refuse_others();
  if (made.toolchains.empty() && made.platform.empty()) refuse(root, "'toolchain' is missing");
  return made;
}

}  // namespace

std::string_view to_string(peer_kind what) { return kind_names.at(static_cast<std::size_t>(what)); }

peer parse_peer(std::string_view text, const std::filesystem::path& folder) {
  const auto wrong = [&](std::size_t line, std::string_view what) {
    return error{std::make_error_code(std::errc::invalid_argument), "read", folder / manifest_name, error::no_offset,
                 line == 0 ? std::string{what} : fmt::format("line {}: {}", line, what)};
  };
  try {
    return read_root(detail::parse_toml(text), folder);
  } catch (const toml::parse_error& broken) {
    throw wrong(broken.source().begin.line, broken.description());
  } catch (const fault& found) {
    throw wrong(found.line, found.what);
  }
}

peer read_peer(const std::filesystem::path& folder) {
  reader in{folder / manifest_name, {.method = "buffered"}};
  std::string text;
  for (auto piece = in.available(); !piece.empty(); piece = in.available()) {
    text.append(reinterpret_cast<const char*>(piece.data()), piece.size());
    in.advance(piece.size());
  }
  return parse_peer(text, folder);
}

}  // namespace freshet::tool
