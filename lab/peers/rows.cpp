#include "lab/peers/rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

#include <freshet/error.hpp>

#include "tool/base/place.hpp"
#include "tool/base/text.hpp"

namespace freshet::tool {
namespace {

namespace fs = std::filesystem;

// Neither the folder that peers share nor what tools leave behind is a peer.
bool is_peer_folder(const fs::path& path) {
  const std::string name = path.filename();
  return fs::is_directory(path) && name != "common" && !name.starts_with('.') && !name.starts_with('_');
}

std::vector<fs::path> list_peer_folders(const fs::path& folder) {
  std::error_code failure;
  std::vector<fs::path> folders = list_entries(folder, failure);
  if (failure) throw error{failure, "read the peers in", folder};
  std::erase_if(folders, [](const fs::path& each) { return !is_peer_folder(each); });
  std::ranges::sort(folders);
  return folders;
}

// Adds a row for each variant of the peer; a peer without variants is the only one of its own. With the name of a
// toolchain, they are those that are built with it.
void add_rows(peer_catalogue& into, const peer& of, const std::string& toolchain = {}) {
  std::vector<peer_variant> variants = of.variants;
  if (variants.empty())
    variants.push_back({.name = {},
                        .title = of.title,
                        .kind = of.kind,
                        .workloads = of.workloads,
                        .method = of.method,
                        .buffer = of.buffer,
                        .arguments = {}});
  const std::string suffix = toolchain.empty() ? "" : "/" + toolchain;
  for (const peer_variant& each : variants)
    into.rows.push_back({.name = (each.name.empty() ? of.name : fmt::format("{}/{}", of.name, each.name)) + suffix,
                         .family = of.family,
                         .language = of.language,
                         .title = each.title,
                         .kind = each.kind,
                         .workloads = each.workloads,
                         .method = each.method,
                         .buffer = each.buffer,
                         .arguments = each.arguments,
                         .toolchain = toolchain,
                         .peer_index = into.peers.size() - 1,
                         .left_out = of.platform == "windows" ? "Windows only" : ""});
}

bool is_called(const peer_row& row, const std::string& name) {
  return row.family == name || row.name == name || row.name.starts_with(name + "/");
}

std::string list_names(const peer_catalogue& catalogue) {
  std::set<std::string> families;
  std::set<std::string> names;
  for (const peer_row& row : catalogue.rows) {
    if (!row.family.empty()) families.insert(row.family);
    names.insert(row.name.substr(0, row.name.find('/')));
  }
  return fmt::format("families: {}; peers: {}", fmt::join(families, ", "), fmt::join(names, ", "));
}

// "cannot --reserve, --no-cache"; empty if the peer has every option.
std::string describe_missing_options(const peer& of, const peer_request& wanted) {
  std::vector<std::string> missing;
  for (const std::string& option : options_of(wanted))
    if (!of.options.contains(option)) missing.push_back(option == "overwrite" ? "target overwrite" : option);
  return missing.empty() ? std::string{} : fmt::format("cannot --{}", fmt::join(missing, ", --"));
}

}  // namespace

void peer_row::add(const peer_trial& trial) {
  if (measured.trials.empty()) measured.plan = trial.figures.plan;
  measured.trials.push_back(trial.figures);
  start_seconds.push_back(trial.start_seconds);
  if (!trial.why_not_cold.empty()) why_not_cold.insert(trial.why_not_cold);
}

std::string method_of(const peer_row& row, const peer_request& wanted) {
  if (!wanted.no_cache) return row.method;
  if (row.method == "auto") return "uring";  // what freshet's peers then ask the library for
  return row.method == "buffered" ? "direct" : row.method;
}

peer_catalogue read_peers(const fs::path& folder) {
  peer_catalogue catalogue;
  for (const fs::path& each : list_peer_folders(folder)) {
    try {
      catalogue.peers.push_back(read_peer(each));
      const peer& of = catalogue.peers.back();
      add_rows(catalogue, of);
      for (const peer_toolchain& with : of.toolchains)
        if (!with.name.empty()) add_rows(catalogue, of, with.name);
    } catch (const error& broken) {
      peer_row row;
      row.name = each.filename();
      row.failure = broken.what();
      catalogue.rows.push_back(std::move(row));
    }
  }
  if (catalogue.rows.empty())
    throw error{std::make_error_code(std::errc::no_such_file_or_directory), "find peers in", folder};
  return catalogue;
}

void select_rows(peer_catalogue& from, const std::vector<std::string>& only, const peer_request& wanted) {
  for (const std::string& name : only)
    if (std::ranges::none_of(from.rows, [&](const peer_row& row) { return is_called(row, name); }))
      throw std::invalid_argument{
          fmt::format("\"{}\" is neither a family nor a peer; there are {}", replace_controls(name), list_names(from))};
  std::erase_if(from.rows, [&](const peer_row& row) {
    const auto is_named = [&](const std::string& name) { return is_called(row, name); };
    if (!only.empty() && std::ranges::none_of(only, is_named)) return true;
    return row.failure.empty() && !row.workloads.contains(std::string{to_string(wanted.workload)});
  });
  for (peer_row& row : from.rows)
    if (row.is_active()) row.left_out = describe_missing_options(from.peers[row.peer_index], wanted);
}

}  // namespace freshet::tool
