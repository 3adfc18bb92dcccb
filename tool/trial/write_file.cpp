#include "tool/trial/write_file.hpp"

#include <fmt/format.h>

#include <algorithm>

#include <freshet/writer.hpp>

#include "src/method/registry.hpp"
#include "tool/baseline/baseline.hpp"
#include "tool/workload/checksum.hpp"
#include "tool/workload/verify.hpp"

namespace freshet::tool {
namespace {

constexpr std::size_t default_write_block = std::size_t{256} << 10;

// The pieces in which the workload `blocks` hands its bytes over: the method's blocks.
std::size_t piece_of(const trial_plan& plan) {
  if (plan.block != 0) return std::min(plan.block, block_data::length);
  const detail::method_entry* method = detail::find_method(plan.method);
  return method != nullptr && method->good_block != 0 ? method->good_block : default_write_block;
}

template <typename Out>
amount write_workload(Out& out, const trial_plan& plan, const block_data* data) {
  if (plan.workload == workload_kind::text) return write_text(out, plan.size);
  return write_blocks(out, *data, plan.size, piece_of(plan));
}

written_file write_by_library(const trial_plan& plan, const std::filesystem::path& path, const block_data* data) {
  const bool overwrites = plan.target == target_kind::overwrite;
  writer out{path,
             {.method = plan.method,
              .block = plan.block,
              .depth = plan.depth,
              .reserve = plan.reserve ? plan.size : 0,
              .ordered = plan.ordered,
              .size_ahead = plan.size_ahead,
              .durability = durability_of(plan.what),
              .mode = overwrites ? open_mode::overwrite : open_mode::truncate}};
  written_file made;
  made.written = write_workload(out, plan, data);
  made.method = out.method();  // which may have had to fall back meanwhile
  out.close();
  return made;
}

detail::os::file open_existing(const std::filesystem::path& path, detail::os::open_request::disposition what) {
  std::error_code failure;
  detail::os::file file = detail::os::file::open(path, {.what = what}, failure);
  if (failure) throw error{failure, "open", path};
  return file;
}

void reserve(const std::filesystem::path& path, std::uint64_t bytes) {
  detail::os::file file = open_existing(path, detail::os::open_request::disposition::create);
  std::error_code failure;
  file.preallocate(0, bytes, failure);
  if (failure && failure != std::errc::operation_not_supported) throw error{failure, "reserve", path};
}

// Cuts off what an older file had beyond `size`, and gives back what was reserved beyond it.
void cut(const std::filesystem::path& path, std::uint64_t size) {
  detail::os::file file = open_existing(path, detail::os::open_request::disposition::existing);
  std::error_code failure;
  const detail::os::file_status status = file.status(failure);
  if (!failure && status.size != size) file.set_size(size, failure);
  if (!failure) file.free_preallocation(size, failure);
  if (failure && failure != std::errc::operation_not_supported) throw error{failure, "cut", path};
}

written_file write_by_baseline(const baseline& way, const trial_plan& plan, const std::filesystem::path& path,
                               const block_data* data) {
  const baseline_job job{.path = path,
                         .size = plan.size,
                         .buffer = plan.block,
                         .keep_content = plan.reserve || plan.target == target_kind::overwrite};
  if (plan.reserve) reserve(path, plan.size);
  written_file made;
  made.method = way.name;
  made.written = plan.workload == workload_kind::text ? way.text(job) : way.blocks(job, *data, piece_of(plan));
  if (job.keep_content) cut(path, made.written.bytes);
  if (plan.what == io_class::at_close) {
    sync_file(path);
    std::error_code failure;
    detail::os::sync_directory(path.parent_path(), failure);
    if (failure) throw error{failure, "sync the directory of", path};
  }
  return made;
}

std::string why_not_readable(const std::string& name) {
  if (name == "auto" || name == "null") return {};
  const detail::method_entry* method = detail::find_method(name);
  if (find_baseline(name) != nullptr || (method != nullptr && method->make_reading == nullptr))
    return fmt::format("{} only writes", name);
  return method == nullptr ? fmt::format("there is no method {}", name) : std::string{};
}

// Without what says how to write.
trial_plan as_read(trial_plan plan) {
  plan.reserve = false;
  plan.ordered = true;
  plan.size_ahead = false;
  plan.target = target_kind::fresh;
  const detail::method_entry* method = detail::find_method(plan.method);
  if (method != nullptr && method->needs_file && !method->asynchronous) plan.depth = 1;
  return plan;
}

}  // namespace

written_file write_file(const trial_plan& plan, const std::filesystem::path& path, const block_data* data) {
  const baseline* way = find_baseline(plan.method);
  return way == nullptr ? write_by_library(plan, path, data) : write_by_baseline(*way, plan, path, data);
}

std::string why_impossible(const trial_plan& plan) {
  if (reads(plan.what)) return why_not_readable(plan.method);
  if (const baseline* way = find_baseline(plan.method)) {
    if (plan.workload == workload_kind::blocks && way->blocks == nullptr)
      return fmt::format("{} writes text only", plan.method);
    if (plan.what == io_class::each_write) return fmt::format("{} cannot sync each write", plan.method);
    return {};
  }
  const detail::method_entry* method = detail::find_method(plan.method);
  if (method == nullptr && plan.method != "auto") return fmt::format("there is no method {}", plan.method);
  if (method != nullptr && plan.ordered && !method->keeps_order)
    return fmt::format("{} cannot keep order; it needs --unordered", plan.method);
  return {};
}

trial_plan effective(trial_plan plan) {
  if (reads(plan.what)) return as_read(std::move(plan));
  if (find_baseline(plan.method) != nullptr) {
    plan.depth = 0;
    plan.ordered = true;
    plan.size_ahead = false;
  } else if (const detail::method_entry* method = detail::find_method(plan.method)) {
    if (!method->asynchronous && method->needs_file)
      plan.depth = 1;
    else if (plan.ordered)
      plan.depth = std::min(plan.depth, 2U);
  }
  return plan;
}

void sync_file(const std::filesystem::path& path) {
  detail::os::file file = open_existing(path, detail::os::open_request::disposition::existing);
  std::error_code failure;
  file.sync(failure);
  if (failure) throw error{failure, "sync", path};
}

file_content content_of(const trial_plan& plan, const block_data* data) {
  checksum sum;
  const amount all = write_workload(sum, plan, data);
  return {all.bytes, sum.value()};
}

content_check check_content(const std::filesystem::path& path, const trial_plan& plan, const block_data* data,
                            sampling how) {
  file_comparer file{path, how};
  write_workload(file, plan, data);
  return {file.same_to_the_end(), file.bytes_compared()};
}

}  // namespace freshet::tool
