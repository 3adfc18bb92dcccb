#include "tool/trial/byte_trial.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include <freshet/error.hpp>
#include <freshet/writer.hpp>

#include "tool/base/place.hpp"
#include "tool/base/size.hpp"
#include "tool/measure/cold.hpp"
#include "tool/measure/memory.hpp"
#include "tool/measure/quiet.hpp"
#include "tool/trial/gates.hpp"
#include "tool/trial/meter.hpp"
#include "tool/trial/write_file.hpp"
#include "tool/workload/verify.hpp"

namespace freshet::tool {
namespace {

namespace fs = std::filesystem;

void take_away(const fs::path& path) {
  std::error_code failure;
  detail::os::remove(path, failure);
  if (failure) throw error{failure, "remove", path};
}

}  // namespace

std::string describe(const byte_plan& plan) {
  return std::string{plan.way->name} + (plan.buffer == 0 ? "" : " " + format_size(plan.buffer));
}

void to_json(nlohmann::json& out, const byte_trial& made) {
  out = made.figures;
  out.erase("plan");
  out["way"] = made.plan.way->name;
  out["direction"] = made.plan.way->goes == direction::write ? "write" : "read";
  out["buffer"] = made.plan.buffer;
}

record make_record(const byte_trial& made) {
  record kept = make_record(made.figures);
  kept.workload = "bytes";
  kept.method = made.plan.way->name;
  kept.label = describe(made.plan);
  kept.plan = {{"way", made.plan.way->name},
               {"direction", made.plan.way->goes == direction::write ? "write" : "read"},
               {"buffer", made.plan.buffer},
               {"size", made.figures.plan.size}};
  return kept;
}

byte_runner::byte_runner(const fs::path& path, std::uint64_t size, bool replace)
    : path_{path},
      directory_{path.has_parent_path() ? path.parent_path() : fs::path{"."}},
      size_{size},
      expected_{expected_bytes(size)},
      place_{file_system_at(directory_)} {
  if (replace && fs::is_regular_file(fs::symlink_status(path))) take_away(path);
  writer file{path, {.method = "buffered", .mode = open_mode::create_new}};
  try {
    for_each_piece(size, [&](std::span<const unsigned char> piece) { file.write(std::as_bytes(piece)); });
    file.close();
  } catch (...) {
    take_away(path);
    throw;
  }
}

byte_runner::~byte_runner() {
  std::error_code ignored;
  if (!kept_) detail::os::remove(path_, ignored);
}

byte_trial byte_runner::run(const byte_plan& plan) {
  byte_trial made{.plan = plan};
  const bool writes = plan.way->goes == direction::write;
  made.figures.plan = {.method = std::string{plan.way->name},
                       .block = plan.buffer,
                       .what = writes ? io_class::none : io_class::warm,
                       .size = size_};
  made.figures.method = plan.way->name;
  writes ? write(made.figures, plan) : read(made.figures, plan);
  return made;
}

void byte_runner::write(trial_result& made, const byte_plan& plan) {
  take_away(path_);
  made.started_quiet = wait_until_quiet(directory_, place_.device_name, idle_);
  free_memory_at_once(directory_, size_);
  made.bytes_written = measure(made, plan).bytes;
  apply_gates(made, holds_what_was_written(made), place_);
}

void byte_runner::read(trial_result& made, const byte_plan& plan) {
  made.started_quiet = wait_until_quiet(directory_, place_.device_name, idle_);
  read_into_cache(path_);
  made.bytes_cached = bytes_in_cache(path_);
  const byte_count done = measure(made, plan);
  made.bytes_compared = made.bytes;
  apply_gates(made, done == expected_, place_);
}

byte_count byte_runner::measure(trial_result& made, const byte_plan& plan) {
  made.started = utc_now();
  meter instruments{place_.device_name, idle_};
  const byte_count done = [&] {
    const auto watching = instruments.watch_this_thread();
    return plan.way->run({.path = path_, .size = size_, .buffer = plan.buffer});
  }();
  instruments.closed();
  if (plan.way->goes == direction::write) sync_file(path_);
  instruments.finish(made);
  made.bytes = done.bytes;
  return done;
}

// Looks at the file's length and ends, and at a sample of what lies between; the next one to read it sums all of it.
bool byte_runner::holds_what_was_written(trial_result& made) {
  constexpr unsigned one_block_in = 8;
  file_comparer file{path_, {one_block_in, ++samples_}};
  for_each_piece(size_, [&](std::span<const unsigned char> piece) { file.write(std::as_bytes(piece)); });
  made.bytes_compared = file.bytes_compared();
  return file.same_to_the_end();
}

}  // namespace freshet::tool
