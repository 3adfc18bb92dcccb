#include "lab/peers/peer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <stdexcept>
#include <utility>

#include <freshet/reader.hpp>

#include "lab/base/strict_table.hpp"
#include "tool/base/text.hpp"

namespace freshet::tool {
namespace {

constexpr std::string_view manifest_name = "peer.toml";
constexpr std::array<std::string_view, 2> workload_names{"text", "bytes"};
// How full blocks reach the file; the first is the default.
constexpr std::array<std::string_view, 5> method_names{"buffered", "direct", "uring", "mmap", "auto"};
// The published tables, the number of figures in each of their rows, and the size of the files if a row does not say.
constexpr std::array<std::string_view, 3> published_tables{"programs", "ladder", "bytes"};
constexpr std::array<std::size_t, 3> published_figures{1, 1, 2};
constexpr std::array<std::uint64_t, 3> published_sizes{100 << 20, 100 << 20, 512 << 20};
constexpr std::array<std::string_view, 6> option_names{"buffer",   "reserve",    "write-through",
                                                       "no-cache", "sequential", "overwrite"};
constexpr std::array<std::string_view, 3> published_options{"reserve", "write-through", "no-cache"};

peer_toolchain read_toolchain(strict_table table) {
  peer_toolchain toolchain{.name = table.optional_text("name"),
                           .needs = table.texts("needs"),
                           .package = table.text("package"),
                           .build = table.optional_text("build"),
                           .run = table.texts("run")};
  if (toolchain.run.empty()) reject(table.node("run"), "'run' is empty");
  table.reject_unknown_keys();
  return toolchain;
}

// The bytes that the text of `key` means; 0 if there is none.
std::uint64_t read_size(strict_table& table, std::string_view key) {
  const std::string text = table.optional_text(key);
  if (text.empty()) return 0;
  try {
    return parse_size(text);
  } catch (const std::invalid_argument& why) {
    reject(table.node(key), fmt::format("'{}': {}", key, why.what()));
  }
}

std::vector<published_row> read_published(strict_table& from, const std::string& peer) {
  std::vector<published_row> rows;
  for (strict_table& table : from.tables("published")) {
    const std::size_t which = table.one_of("table", published_tables);
    rows.push_back(
        {.peer = peer,
         .table = std::string{published_tables.at(which)},
         .row = table.optional_number("row"),
         .name = table.text("name"),
         .then = table.texts("then"),
         .changes = table.optional_number("changes"),
         .size = table.has("size") ? read_size(table, "size") : published_sizes.at(which),
         .options = table.has("options") ? table.texts_among("options", published_options) : std::set<std::string>{},
         .buffer = read_size(table, "buffer"),
         .calls = table.optional_number("calls")});
    if (rows.back().then.size() != published_figures.at(which))
      reject(table.node("then"), fmt::format("'then' must have {}", format_count(published_figures.at(which), "text")));
    table.reject_unknown_keys();
  }
  return rows;
}

std::set<std::string> read_workloads(strict_table& table) {
  std::set<std::string> workloads = table.texts_among("workloads", workload_names);
  if (workloads.empty()) reject(table.node("workloads"), "'workloads' is empty");
  return workloads;
}

std::string read_method(strict_table& table, std::string_view by_default) {
  return std::string{table.has("method") ? method_names.at(table.one_of("method", method_names)) : by_default};
}

std::uint64_t read_buffer(strict_table& table, const std::set<std::string>& options) {
  if (table.has("buffer") && !options.contains("buffer"))
    reject(table.node("buffer"), "'buffer' has a value, but 'options' does not list it");
  return read_size(table, "buffer");
}

peer_variant read_variant(strict_table table, peer& of) {
  peer_variant variant{.name = table.text("name"),
                       .title = table.text("title"),
                       .kind = table.has("kind") ? table.value_of<peer_kind>("kind") : of.kind,
                       .workloads = table.has("workloads") ? read_workloads(table) : of.workloads,
                       .method = read_method(table, of.method),
                       .buffer = table.has("buffer") ? read_buffer(table, of.options) : of.buffer,
                       .arguments = table.texts("arguments")};
  const auto same = [&](const peer_variant& other) { return other.name == variant.name; };
  if (std::ranges::any_of(of.variants, same))
    reject(table.node("name"), fmt::format("there are two variants '{}'", variant.name));
  if (!std::ranges::includes(of.workloads, variant.workloads))
    reject(table.node("workloads"),
           fmt::format("'workloads' of a variant must be among those of its peer: {}", fmt::join(of.workloads, ", ")));
  std::ranges::move(read_published(table, of.name + '/' + variant.name), std::back_inserter(of.published));
  table.reject_unknown_keys();
  return variant;
}

peer read_root(const toml::table& root, const std::filesystem::path& folder) {
  strict_table table{root};
  peer result;
  result.folder = folder;
  result.name = table.text("name");
  if (const std::string expected = folder.filename(); result.name != expected)
    reject(table.node("name"), fmt::format(R"('name' is "{}", not the folder's, "{}")", result.name, expected));
  result.family = table.text("family");
  result.language = table.text("language");
  result.title = table.text("title");
  result.kind = table.value_of<peer_kind>("kind");
  result.workloads = read_workloads(table);
  result.options = table.texts_among("options", option_names);
  result.method = read_method(table, method_names.front());
  result.buffer = read_buffer(table, result.options);
  result.platform = table.optional_text("platform");
  if (!result.platform.empty() && result.platform != "windows")
    reject(table.node("platform"), "'platform' can only be \"windows\"; without it, a peer runs everywhere");
  result.published = read_published(table, result.name);
  for (strict_table& each : table.tables("toolchain")) result.toolchains.push_back(read_toolchain(std::move(each)));
  for (strict_table& each : table.tables("variant")) result.variants.push_back(read_variant(std::move(each), result));
  table.reject_unknown_keys();
  if (result.toolchains.empty() && result.platform.empty()) reject(root, "'toolchain' is missing");
  return result;
}

}  // namespace

peer parse_peer(std::string_view text, const std::filesystem::path& folder) {
  return read_strictly(text, folder / manifest_name, [&](const toml::table& root) { return read_root(root, folder); });
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
