#include "lab/bytes/byte_trial.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <span>
#include <utility>

#include <freshet/error.hpp>
#include <freshet/writer.hpp>

#include "tool/base/failure.hpp"
#include "tool/base/place.hpp"
#include "tool/base/text.hpp"
#include "tool/measure/cold.hpp"
#include "tool/trial/write_file.hpp"
#include "tool/workload/verify.hpp"

namespace freshet::tool {
namespace {

namespace fs = std::filesystem;

void remove_file(const fs::path& path) {
  std::error_code failure;
  detail::os::remove(path, failure);
  if (failure) throw error{failure, "remove", path};
}

nlohmann::json describe_as_json(const trial_plan& plan) {
  return {{"way", plan.method}, {"direction", to_string(way_of(plan).goes)}, {"buffer", plan.block}};
}

fs::path directory_of(const fs::path& path) { return path.has_parent_path() ? path.parent_path() : fs::path{"."}; }

}  // namespace

trial_plan make_plan(const byte_way& way, std::size_t buffer) {
  return {.method = std::string{way.name},
          .block = buffer,
          .measured_class = way.goes == direction::write ? io_class::none : io_class::warm};
}

const byte_way& way_of(const trial_plan& plan) { return *std::ranges::find(byte_ways(), plan.method, &byte_way::name); }

std::string describe_way(const trial_plan& plan) {
  return plan.method + (plan.block == 0 ? "" : " " + format_size(plan.block));
}

void to_json(nlohmann::json& out, const byte_trial& trial) {
  out = trial.figures;
  out.erase("plan");
  out.update(describe_as_json(trial.figures.plan));
  if (!trial.method_at_work.empty()) out["method_at_work"] = trial.method_at_work;
}

byte_runner::byte_runner(const fs::path& path, std::uint64_t size, bool replace,
                         std::shared_ptr<memory_preparation> memory)
    : path_{path},
      size_{size},
      expected_{expected_bytes(size)},
      runner_{directory_of(path), file_system_at(directory_of(path)), std::move(memory)} {
  if (replace && fs::is_regular_file(fs::symlink_status(path))) remove_file(path);
  writer file{path, {.method = "buffered", .mode = open_mode::create_new}};
  try {
    for_each_piece(size, [&](std::span<const unsigned char> piece) { file.write(std::as_bytes(piece)); });
    file.close();
  } catch (...) {
    remove_file(path);
    throw;
  }
}

byte_runner::~byte_runner() {
  std::error_code failure;
  if (!kept_) detail::os::remove(path_, failure);
  if (failure) fmt::print(stderr, "freshet: {}\n", describe_failure(error{failure, "remove", path_}));
}

byte_trial byte_runner::run(const trial_plan& plan) {
  byte_trial trial;
  trial_result& figures = trial.figures;
  const bool writes = way_of(plan).goes == direction::write;
  figures.plan = plan;
  figures.plan.size = size_;
  figures.method = plan.method;
  byte_work done;
  trial_steps steps{.work = [&](trial_clock& clock) { done = work(clock, plan); }};
  if (writes) {
    remove_file(path_);
    steps.memory = trial_steps::memory_need{memory_state::recycled, size_};
    steps.sync = [&] { sync_file(path_); };
  } else {
    steps.warm_up = [&] { figures.bytes_cached = warm_up(std::span{&path_, 1}); };
  }
  steps.check_files = [&] {
    figures.bytes = done.done.bytes;
    (writes ? figures.bytes_written : figures.bytes_compared) = done.done.bytes;
    trial.method_at_work = done.used;
    return file_evidence{.content_matches = writes ? matches_what_was_written(figures) : done.done == expected_,
                         .method = {.wanted = done.wanted, .used = done.used}};
  };
  runner_.run(figures, steps);
  return trial;
}

record make_record(const byte_trial& trial) {
  const trial_plan& plan = trial.figures.plan;
  record result = make_record(trial.figures);
  result.workload = to_string(workload_kind::bytes);
  result.method = plan.method;
  result.label = describe_way(plan);
  result.plan = describe_as_json(plan);
  result.plan["size"] = plan.size;
  return result;
}

byte_work byte_runner::work(trial_clock& clock, const trial_plan& plan) const {
  clock.start();
  const auto watching = clock.watch_this_thread();
  return way_of(plan).run({.path = path_, .size = size_, .buffer = plan.block});
}

// Compares the file's length and ends, and a sample of what lies between; the next trial that reads it sums all of it.
bool byte_runner::matches_what_was_written(trial_result& trial) {
  file_comparer file{path_, {checked_block_of, ++samples_}};
  for_each_piece(size_, [&](std::span<const unsigned char> piece) { file.write(std::as_bytes(piece)); });
  trial.bytes_compared = file.bytes_compared();
  return file.same_to_the_end();
}

}  // namespace freshet::tool
