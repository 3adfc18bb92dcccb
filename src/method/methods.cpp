#include <freshet/error.hpp>
#include <freshet/methods.hpp>

#include <algorithm>

#include "src/base/temporary_file.hpp"
#include "src/method/registry.hpp"
#include "src/os/message.hpp"

namespace freshet {
namespace {

// Writes one block with `entry`, because what a file system reports about itself is not always true.
std::string explain_failure(const detail::method_entry& entry, detail::os::file& target) {
  if (auto reason = entry.why_not(target); !reason.empty()) return reason;
  const auto writing = entry.make(target, {.depth = entry.good_depth, .ordered = entry.keeps_order});
  std::error_code error;
  auto memory = detail::pool::take(detail::small_file);
  std::ranges::fill(memory.bytes(), std::byte{0});
  const auto length = memory.size();
  memory = writing->exchange({std::move(memory), 0, length, 0}, error);
  if (std::error_code ending; !error) {
    writing->drain(ending);
    error = ending;
  }
  return error ? "writing fails: " + detail::os::message_of(error) : std::string{};
}

}  // namespace

std::vector<method_info> methods(const std::filesystem::path& directory) {
  std::vector<method_info> list;
  std::error_code error;
  const auto parent = detail::os::directory::open(directory, error);
  if (error) throw freshet::error{error, "open", directory};
  for (const auto& entry : detail::method_entries()) {
    auto [target, name] = detail::open_temporary(parent, {.read = true}, detail::naming::never, error);
    if (error) throw freshet::error{error, "create a file in", directory};
    list.push_back({.name = std::string{entry.name},
                    .summary = std::string{entry.summary},
                    .why_not = explain_failure(entry, target),
                    .keeps_order = entry.keeps_order,
                    .asynchronous = entry.asynchronous,
                    .direct = entry.direct,
                    .reads = entry.make_reading != nullptr});
    if (!name.empty()) parent.remove(name, error);
  }
  return list;
}

}  // namespace freshet
