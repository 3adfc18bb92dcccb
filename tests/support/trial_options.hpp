// The programs of trials: each option alone, each method by its name, a profile of each method.
#pragma once

#include <string>
#include <vector>

#include "src/method/registry.hpp"
#include "tests/support/file_trial_programs.hpp"

namespace freshet::test {

/// Programs that name no method, one for each option of writers and streams; the first names nothing.
[[nodiscard]] inline std::vector<file_trial> writing_options() {
  using enum trial_program;
  constexpr std::size_t few_blocks = (std::size_t{2} << 20) + 4321;
  return {
      {.name = "plain"},
      {.name = "stream", .does = stream},
      {.name = "append", .writing = {.mode = open_mode::append}},
      {.name = "create_new", .writing = {.mode = open_mode::create_new}},
      {.name = "overwrite", .writing = {.mode = open_mode::overwrite}, .replaces = true},
      {.name = "block and depth", .writing = {.block = 64 << 10, .depth = 4}},
      {.name = "reserve", .writing = {.reserve = trial_bytes + 100'000}},
      {.name = "unordered", .writing = {.ordered = false}},
      {.name = "size_ahead", .writing = {.ordered = false, .size_ahead = true}},
      {.name = "rate_limit", .writing = {.rate_limit = std::uint64_t{100} << 30}},
      {.name = "at_close", .writing = {.durability = durability::at_close}},
      {.name = "each_write", .writing = {.durability = durability::each_write}, .bytes = few_blocks},
      {.name = "random", .writing = {.access = access::random}},
      {.name = "once", .writing = {.access = access::once}},
      {.name = "keep", .writing = {.caching = caching::keep}},
      {.name = "drop", .writing = {.caching = caching::drop}},
      {.name = "bypass", .writing = {.caching = caching::bypass}},
      {.name = "no links", .writing = {.follow_links = false}},
      {.name = "hidden", .writing = {.hidden_until_closed = true}},
      {.name = "hidden new", .writing = {.mode = open_mode::create_new, .hidden_until_closed = true}},
      {.name = "hidden, replaces", .writing = {.hidden_until_closed = true}, .replaces = true},
      {.name = "atomic", .writing = {.atomic = true}},
      {.name = "atomic, replaces", .writing = {.atomic = true}, .replaces = true},
      {.name = "delete_on_close", .writing = {.delete_on_close = true}},
      {.name = "flush_every", .writing = {.flush_every = 1 << 20}},
      {.name = "sync", .syncs = true},
      {.name = "fstream", .does = edited_stream},
      {.name = "temporary", .does = temporary_stream, .writing = {.temporary = true}},
      {.name = "temporary that grows",
       .does = temporary_stream,
       .writing = {.temporary = true, .temporary_memory = 1 << 20}},
      {.name = "temporary in the directory",
       .does = temporary_stream,
       .writing = {.temporary = true, .temporary_memory = 0}},
  };
}

/// The same of readers.
[[nodiscard]] inline std::vector<file_trial> reading_options() {
  using enum trial_program;
  return {
      {.name = "read", .does = reader},
      {.name = "read much", .does = reader, .bytes = changing_bytes},
      {.name = "read by a stream", .does = reading_stream},
      {.name = "read, block and depth", .does = reader, .reading = {.block = 64 << 10, .depth = 4}},
      {.name = "read, rate_limit", .does = reader, .reading = {.rate_limit = std::uint64_t{100} << 30}},
      {.name = "read, random", .does = reader, .reading = {.access = access::random}},
      {.name = "read, once", .does = reader, .reading = {.access = access::once}},
      {.name = "read, keep", .does = reader, .reading = {.caching = caching::keep}},
      {.name = "read, drop", .does = reader, .reading = {.caching = caching::drop}},
      {.name = "read, bypass", .does = reader, .reading = {.caching = caching::bypass}},
  };
}

/// Each option alone; each method by its name, writing and reading; and a profile of each method. Those that take
/// nothing but memory, such as `null`, are left out.
[[nodiscard]] inline std::vector<file_trial> all_trials() {
  std::vector<file_trial> all = writing_options();
  for (file_trial& each : reading_options()) all.push_back(std::move(each));
  const file_trial write;
  const file_trial read{.name = "read", .does = trial_program::reader};
  const file_trial read_much{.name = "read much", .does = trial_program::reader, .bytes = changing_bytes};
  for (const detail::method_entry& each : detail::method_entries()) {
    if (!each.needs_file) continue;
    const std::string method{each.name};
    file_trial named = write;
    named.method = method;
    all.push_back(named);
    named.name = "each_write";
    named.writing.durability = durability::each_write;
    named.bytes = std::size_t{2} << 20;
    all.push_back(named);
    file_trial profiled = write;
    profiled.profile = method;
    if (each.keeps_order) all.push_back(profiled);
    profiled.name = "append";
    profiled.writing.mode = open_mode::append;
    if (each.keeps_order) all.push_back(profiled);
    if (each.make_reading == nullptr) continue;
    file_trial reads = read;
    reads.method = method;
    all.push_back(reads);
    for (file_trial unasked : {read, read_much}) {
      unasked.profile = method;
      if (each.reads_unasked) all.push_back(unasked);
    }
  }
  return all;
}

}  // namespace freshet::test
