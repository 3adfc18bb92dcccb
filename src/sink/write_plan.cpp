#include "src/sink/write_plan.hpp"

#include <algorithm>

#include "src/base/refusal.hpp"
#include "src/profile/profile_lookup.hpp"

namespace freshet::detail {
namespace {

const method_entry& named_writing_method(const native_string& path, const writer_options& options) {
  const auto* entry = find_method(options.method);
  if (entry == nullptr)
    refuse(path, std::errc::invalid_argument,
           "no method '" + std::string{options.method} + "'; the methods are: " + method_names());
  if (!entry->keeps_order && options.ordered)
    refuse(path, std::errc::invalid_argument,
           std::string{entry->name} + " cannot keep order: it needs ordered = false");
  return *entry;
}

}  // namespace

write_plan::write_plan(const native_string& path, const writer_options& options, std::size_t largest_piece)
    : entry{&buffered_method}, strict{options.method != "auto"}, options_{options}, largest_piece_{largest_piece} {
  if (strict) entry = &named_writing_method(path, options);
}

void write_plan::choose(const opened_file& target, write_positioning positioning) {
  const bool sequential = is_at_own_position(positioning) || target.is_block_device();
  if (sequential) strict = false;
  if (!strict) entry = &buffered_method;
  if (options_.caching == caching::bypass) return choose_direct(target);
  if (!strict) return choose_by_profile(target, sequential);
  if (const auto reason = entry->why_not(target.file()); !reason.empty())
    refuse(target.path(), std::errc::operation_not_supported,
           std::string{entry->name} + " is not available here: " + reason);
  choose_sizes(0, 0);
}

void write_plan::choose_direct(const opened_file& target) {
  if (!target.is_regular())
    refuse(target.path(), std::errc::operation_not_supported, "only regular files can bypass the page cache");
  entry = usable_direct_method(target.file());
  if (entry == nullptr)
    refuse(target.path(), std::errc::operation_not_supported,
           "the file cannot bypass the page cache: " + direct_method.why_not(target.file()));
  strict = true;
  choose_sizes(0, 0);
}

void write_plan::choose_by_profile(const opened_file& target, bool sequential) {
  // Also appends, and what comes through a descriptor; pipes and devices have no pages.
  constexpr std::size_t dropped_block = std::size_t{1} << 20;  // which the kernel begins to write at once
  if (options_.caching == caching::drop && target.is_regular()) {
    entry = &writebehind_method;
    if (const auto reason = why_not_writing_behind(target.file()); !reason.empty())
      refuse(target.path(), std::errc::operation_not_supported, "the file cannot leave the page cache: " + reason);
    return choose_sizes(dropped_block, 0);
  }
  const bool has_profile = options_.caching == caching::automatic && !target.is_in_memory() && target.is_regular();
  if (!has_profile || sequential) return choose_sizes(0, 0);
  const auto profiled = profiled_settings(target.file(), target.status()->device, options_.durability);
  // What a file can change to by itself, it only begins with.
  if (profiled && !profiled->fixed && os::has_writeback_control() && options_.durability != durability::each_write) {
    profiled_ = known_ways(*profiled);
    return choose_sizes(0, 0);
  }
  is_fixed_ = profiled && profiled->fixed;
  if (profiled)
    if (const auto* winner = find_method(profiled->method); winner != nullptr && winner->keeps_order) entry = winner;
  // Where each block waits for the device, it takes a large one past the page cache in half of the time.
  if (!profiled && options_.durability == durability::each_write && target.is_regular())
    entry = &usable_method(direct_method, target.file());
  profiled ? choose_sizes(profiled->block, profiled->depth) : choose_sizes(0, 0);
}

std::unique_ptr<method> write_plan::make_method(opened_file& target, write_positioning positioning, std::uint64_t start,
                                                std::uint64_t origin) {
  if (!strict) entry = &usable_method(*entry, target.file());
  const bool sequential = is_at_own_position(positioning);
  const bool edited = positioning == write_positioning::edited;
  const bool one_at_a_time = sequential || !(entry->asynchronous || !entry->needs_file);
  // A file that cannot be truncated must not have gaps; a size set ahead has to be truncated.
  const bool ordered = options_.ordered || edited;
  const bool size_ahead = options_.size_ahead && options_.mode != open_mode::overwrite && !edited;
  const unsigned depth = one_at_a_time ? 1 : ordered ? std::min(depth_, 2U) : depth_;
  const method_entry& chosen = may_change(target, positioning) ? adaptive_method : *entry;
  return chosen.make(target.file(), {.depth = depth,
                                     .ordered = ordered,
                                     .size_ahead = size_ahead,
                                     .durability = options_.durability,
                                     .append = sequential,
                                     .strict = strict,
                                     .drop = options_.caching == caching::drop,
                                     .start = start,
                                     .origin = origin,
                                     .block_is_chosen = options_.block != 0,
                                     // An append is atomic in one call only.
                                     .piece = sequential ? 0 : std::max(block, chosen.good_block),
                                     .reserve = options_.reserve,
                                     .prior = prior_of(target)});
}

// Pages are given back only where bytes already written are the whole file.
bool write_plan::may_change(const opened_file& target, write_positioning positioning) const noexcept {
  const bool is_cached = entry->changes || (entry == &buffered_method && !is_fixed_);
  return !strict && is_cached && options_.caching == caching::automatic && !target.is_in_memory() &&
         target.is_regular() && positioning == write_positioning::front_to_back;
}

prior_setup write_plan::prior_of(const opened_file& target) const {
  if (!options_.prior || !are_priors_wanted() || !target.status()) return {};
  return {.is_wanted = true, .device = target.status()->device, .profiled = profiled_};
}

void write_plan::choose_sizes(std::size_t profiled_block, unsigned profiled_depth) {
  const auto first_set = [](auto a, auto b, auto c) { return a != 0 ? a : b != 0 ? b : c; };
  block = std::min(first_set(options_.block, profiled_block, entry->good_block), largest_piece_);
  depth_ = first_set(options_.depth, profiled_depth, entry->good_depth);
}

}  // namespace freshet::detail
