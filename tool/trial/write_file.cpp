#include "tool/trial/write_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include <freshet/writer.hpp>

#include "tool/base/text.hpp"
#include "tool/baseline/baseline.hpp"
#include "tool/workload/checksum.hpp"

namespace freshet::tool {
namespace {

// The workload `blocks` is handed over in the method's blocks.
std::size_t choose_piece(const resolved_plan& plan) {
  if (plan.block != 0) return plan.block;
  return plan.entry != nullptr && plan.entry->good_block != 0 ? plan.entry->good_block : default_block;
}

workload_content describe_content(const resolved_plan& plan, const block_data* data) {
  return {.kind = plan.workload, .size = plan.size, .data = data, .piece = choose_piece(plan)};
}

writer_options options_of(const resolved_plan& plan, writer_options options) {
  const trial_plan usual;
  each_axis([&](const auto& axis) {
    if (axis.written != nullptr && plan.*axis.member != usual.*axis.member) options.*axis.written = plan.*axis.member;
  });
  options.method = name_for_library(plan);
  if (plan.entry != nullptr && plan.entry->changes) options.depth = 0;  // each of its ways has its own
  options.reserve = plan.reserve ? plan.size : 0;
  options.size_ahead = plan.size_ahead;
  options.durability = durability_of(plan.measured_class);
  options.mode = plan.target == target_kind::overwrite ? open_mode::overwrite : open_mode::truncate;
  return options;
}

written_file write_by_library(const resolved_plan& plan, const std::filesystem::path& path, const block_data* data,
                              const writer_options& more) {
  writer out{path, options_of(plan, more)};
  written_file result;
  result.written = write_workload(out, describe_content(plan, data));
  // Read late: it may have fallen back meanwhile. Whatever a method that changes uses by then is that method at work.
  result.method = plan.entry != nullptr && plan.entry->changes ? plan.method : out.method();
  out.close();
  result.stored = out.written_bytes();
  result.checksum = out.checksum();
  return result;
}

detail::os::file open_existing(const std::filesystem::path& path, detail::os::open_request::disposition creation) {
  std::error_code failure;
  detail::os::file file = detail::os::file::open(path, {.creation = creation}, failure);
  if (failure) throw error{failure, "open", path};
  return file;
}

void reserve(const std::filesystem::path& path, std::uint64_t bytes) {
  detail::os::file file = open_existing(path, detail::os::open_request::disposition::create);
  std::error_code failure;
  file.preallocate(0, bytes, failure);
  if (failure && failure != std::errc::operation_not_supported) throw error{failure, "reserve", path};
}

// Cuts off what an older file had beyond `size`, and frees what was reserved beyond it.
void cut(const std::filesystem::path& path, std::uint64_t size) {
  detail::os::file file = open_existing(path, detail::os::open_request::disposition::existing);
  std::error_code failure;
  const detail::os::file_status status = file.status(failure);
  if (!failure && status.size != size) file.set_size(size, failure);
  if (!failure) file.free_preallocation(size, failure);
  if (failure && failure != std::errc::operation_not_supported) throw error{failure, "cut", path};
}

written_file write_by_baseline(const resolved_plan& plan, const std::filesystem::path& path, const block_data* data) {
  const baseline_job job{.path = path,
                         .content = describe_content(plan, data),
                         .buffer = plan.block <= block_data::length ? plan.block : 0,  // all at once needs none
                         .keep_content = plan.reserve || plan.target == target_kind::overwrite};
  if (plan.reserve) reserve(path, plan.size);
  written_file result;
  result.written = plan.program->write(job);
  result.method = plan.program->name;
  result.stored = result.written.bytes;
  if (job.keep_content) cut(path, result.written.bytes);
  if (plan.measured_class == io_class::at_close) {
    sync_file(path);
    std::error_code failure;
    detail::os::sync_directory(path.parent_path(), failure);
    if (failure) throw error{failure, "sync the directory of", path};
  }
  return result;
}

// Why nothing can be known of other files, or of the profile.
std::string why_not_known(const resolved_plan& plan) {
  if (plan.prior != prior_state::none && plan.program != nullptr)
    return fmt::format("{} knows nothing of other files; --prior needs a method of the library", plan.method);
  if (plan.prior == prior_state::profile && (plan.entry == nullptr || !plan.entry->changes))
    return fmt::format("{} is used whatever the profile says; --prior profile needs the method adaptive", plan.method);
  return {};
}

std::string why_not_readable(const resolved_plan& plan) {
  if (plan.method == "auto" || plan.method == "null") return {};
  if (plan.program != nullptr || (plan.entry != nullptr && plan.entry->make_reading == nullptr))
    return fmt::format("{} only writes", plan.method);
  return plan.entry == nullptr ? fmt::format("there is no method {}", plan.method) : std::string{};
}

// A plan that leaves block or depth to its method is the same plan as one that names them.
void name_defaults(const detail::method_entry* entry, trial_plan& plan) {
  // A method that changes has blocks of the size that is good for the method at work.
  if (entry == nullptr || !entry->needs_file || entry->changes) return;
  if (plan.block == 0) plan.block = entry->good_block;
  if (plan.depth == 0) plan.depth = entry->good_depth;
}

// Without the options that say how to write.
trial_plan normalize_reading(const resolved_plan& plan) {
  trial_plan normal = plan.plan();
  normal.reserve = false;
  normal.ordered = true;
  normal.size_ahead = false;
  normal.target = target_kind::fresh;
  name_defaults(plan.entry, normal);
  if (plan.entry != nullptr && plan.entry->needs_file && !plan.entry->asynchronous) normal.depth = 1;
  return normal;
}

}  // namespace

resolved_plan::resolved_plan(trial_plan plan)
    : trial_plan{std::move(plan)}, entry{detail::find_method(method)}, program{find_baseline(method)} {}

std::string_view name_for_library(const trial_plan& plan) {
  return plan.prior == prior_state::profile ? std::string_view{"auto"} : plan.method;
}

written_file write_file(const resolved_plan& plan, const std::filesystem::path& path, const block_data* data,
                        const writer_options& more) {
  return plan.program == nullptr ? write_by_library(plan, path, data, more) : write_by_baseline(plan, path, data);
}

std::string why_impossible(const resolved_plan& plan) {
  if (plan.caching != caching::automatic && plan.method != "auto")
    return fmt::format("{} has a way with the page cache of its own; --caching needs the method auto", plan.method);
  if (std::string reason = why_not_known(plan); !reason.empty()) return reason;
  if (reads(plan.measured_class)) return why_not_readable(plan);
  if (plan.program != nullptr) {
    if (plan.program->text_only && plan.workload != workload_kind::text)
      return fmt::format("{} writes text only", plan.method);
    if (plan.measured_class == io_class::each_write) return fmt::format("{} cannot sync each write", plan.method);
    return {};
  }
  if (plan.entry == nullptr && plan.method != "auto") return fmt::format("there is no method {}", plan.method);
  if (plan.entry != nullptr && plan.ordered && !plan.entry->keeps_order)
    return fmt::format("{} cannot keep order; it needs --unordered", plan.method);
  return {};
}

trial_plan normalize(const resolved_plan& plan) {
  if (reads(plan.measured_class)) return normalize_reading(plan);
  trial_plan normal = plan.plan();
  if (plan.program != nullptr) {
    normal.depth = 0;
    normal.ordered = true;
    normal.size_ahead = false;
    normal.access = access::sequential;
  } else if (plan.entry != nullptr) {
    name_defaults(plan.entry, normal);
    if (!plan.entry->asynchronous && plan.entry->needs_file)
      normal.depth = 1;
    else if (plan.ordered)
      normal.depth = std::min(normal.depth, 2U);
  }
  return normal;
}

void sync_file(const std::filesystem::path& path) {
  detail::os::file file = open_existing(path, detail::os::open_request::disposition::existing);
  std::error_code failure;
  file.sync(failure);
  if (failure) throw error{failure, "sync", path};
}

file_content compute_content(const resolved_plan& plan, const block_data* data) {
  checksum sum;
  const amount all = write_expected(sum, describe_content(plan, data));
  return {all.bytes, sum.value()};
}

content_check check_content(const std::filesystem::path& path, const resolved_plan& plan, const block_data* data,
                            sampling how) {
  file_comparer file{path, how};
  write_expected(file, describe_content(plan, data));
  return {file.same_to_the_end(), file.bytes_compared()};
}

content_check check_stored_content(const std::filesystem::path& path, const resolved_plan& plan, const block_data* data,
                                   const reader_options& options) {
  stored_comparer file{path, options};
  write_expected(file, describe_content(plan, data));
  return {file.same_to_the_end(), file.bytes_compared()};
}

}  // namespace freshet::tool
