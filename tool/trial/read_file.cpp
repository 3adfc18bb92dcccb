#include "tool/trial/read_file.hpp"

#include <algorithm>

#include <freshet/reader.hpp>

#include "src/method/registry.hpp"
#include "src/os/file.hpp"
#include "tool/base/clock.hpp"
#include "tool/base/interrupt.hpp"
#include "tool/base/text.hpp"
#include "tool/measure/cold.hpp"
#include "tool/trial/write_file.hpp"
#include "tool/workload/checksum.hpp"

namespace freshet::tool {

read_file_result read_file(const trial_plan& plan, const std::filesystem::path& path) {
  reader_options options{.method = name_for_library(plan)};
  each_axis([&](const auto& axis) {
    if (axis.read != nullptr) options.*axis.read = plan.*axis.member;
  });
  const auto* const entry = detail::find_method(plan.method);
  const bool changes = entry != nullptr && entry->changes;
  if (changes) options.depth = 0;  // each of its ways has its own
  reader in{path, options};
  read_file_result result;
  checksum sum;
  for (auto piece = in.available(); !piece.empty(); piece = in.available()) {
    throw_if_interrupted();
    sum.write(piece);
    result.bytes += piece.size();
    in.skip(piece.size());
  }
  result.checksum = sum.value();
  // Read late: it may have fallen back meanwhile. Whatever a method that changes uses by then is that method at work.
  result.method = changes ? plan.method : in.method();
  in.close();
  return result;
}

std::optional<double> measure_cold_read(const std::filesystem::path& path) {
  if (!drop_all_pages(std::span{&path, 1}).empty()) return {};
  const stopwatch watch;
  const read_file_result result = read_file({.method = "buffered", .measured_class = io_class::cold}, path);
  return result.bytes == 0 ? std::nullopt : std::optional{static_cast<double>(result.bytes) / watch.seconds() / 1e6};
}

std::vector<detail::block> blocks_to_read(const trial_plan& plan) {
  std::vector<detail::block> blocks(std::max(plan.depth, 1U));
  for (detail::block& each : blocks) {
    each = detail::pool::take(plan.block != 0 ? plan.block : default_block);
    // All memory that was never written to is the same page of zeros.
    for (std::size_t at = 0; at < each.size(); at += detail::os::page_size()) each.bytes()[at] = std::byte{1};
  }
  return blocks;
}

read_file_result read_blocks(const trial_plan& plan, std::span<const detail::block> blocks) {
  read_file_result result{.method = "null"};
  checksum sum;
  for (std::size_t next = 0; result.bytes < plan.size; next = (next + 1) % blocks.size()) {
    throw_if_interrupted();
    const auto length = std::min<std::uint64_t>(blocks[next].size(), plan.size - result.bytes);
    sum.write(blocks[next].bytes().first(static_cast<std::size_t>(length)));
    result.bytes += length;
  }
  result.checksum = sum.value();
  return result;
}

}  // namespace freshet::tool
