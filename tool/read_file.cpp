#include "read_file.hpp"

#include <algorithm>

#include <freshet/error.hpp>
#include <freshet/reader.hpp>

#include "interrupt.hpp"
#include "method/registry.hpp"
#include "method/transfer.hpp"
#include "os/file.hpp"
#include "workload/checksum.hpp"

namespace freshet::tool {
namespace {

constexpr std::size_t default_block = std::size_t{256} << 10;

os::file open_to_look(const std::filesystem::path& path) {
  std::error_code failure;
  os::file file =
      os::file::open(path, {.what = os::open_request::disposition::existing, .read = true, .write = false}, failure);
  if (failure) throw error{failure, "open", path};
  return file;
}

}  // namespace

read_file_result read_file(const trial_plan& plan, const std::filesystem::path& path) {
  reader in{path, {.method = plan.method, .block = plan.block, .depth = plan.depth}};
  read_file_result made;
  checksum sum;
  for (auto piece = in.available(); !piece.empty(); piece = in.available()) {
    throw_if_interrupted();
    sum.add(piece);
    made.bytes += piece.size();
    in.skip(piece.size());
  }
  made.checksum = sum.value();
  made.method = in.method();  // which may have had to fall back meanwhile
  in.close();
  return made;
}

std::vector<block> blocks_to_read(const trial_plan& plan) {
  std::vector<block> blocks(std::max(plan.depth, 1U));
  for (block& each : blocks) {
    each = pool::take(plan.block != 0 ? plan.block : default_block);
    // Memory never written to is one and the same page of zeros.
    for (std::size_t at = 0; at < each.size(); at += os::page_size()) each.bytes()[at] = std::byte{1};
  }
  return blocks;
}

read_file_result read_blocks(const trial_plan& plan, std::span<const block> blocks) {
  read_file_result made{.method = "null"};
  checksum sum;
  for (std::size_t next = 0; made.bytes < plan.size; next = (next + 1) % blocks.size()) {
    throw_if_interrupted();
    const auto length = std::min<std::uint64_t>(blocks[next].size(), plan.size - made.bytes);
    sum.add(blocks[next].bytes().first(static_cast<std::size_t>(length)));
    made.bytes += length;
  }
  made.checksum = sum.value();
  return made;
}

void evict(const std::filesystem::path& path) {
  os::file file = open_to_look(path);
  std::error_code failure;
  file.sync(failure);  // what is dirty stays
  if (!failure) file.advise(os::advice::dont_need, 0, 0, failure);
  if (failure) throw error{failure, "evict", path};
}

void read_into_cache(const std::filesystem::path& path) {
  os::file file = open_to_look(path);
  const block memory = pool::take(default_block);
  std::uint64_t offset = 0;
  for (std::size_t got = 1; got != 0; offset += got) {
    throw_if_interrupted();
    std::error_code failure;
    uninterrupted(failure, [&] { got = file.read_at(memory.bytes(), offset, failure); });
    if (failure) throw error{failure, "read", path, offset};
  }
}

std::uint64_t bytes_in_cache(const std::filesystem::path& path) {
  const os::file file = open_to_look(path);
  std::error_code failure;
  const std::uint64_t size = file.status(failure).size;
  const os::residency found = failure ? os::residency{} : file.cached(failure);
  if (failure) throw error{failure, "ask for the cached part of", path};
  return std::min(found.cached * os::page_size(), size);
}

}  // namespace freshet::tool
