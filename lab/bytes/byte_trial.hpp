// Trials of the ways to write and read one byte per call.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>

#include <nlohmann/json_fwd.hpp>

#include "lab/bytes/ways.hpp"
#include "tool/store/record.hpp"
#include "tool/trial/trial.hpp"
#include "tool/trial/trial_runner.hpp"

namespace freshet::tool {

/// The plan of a way, which is its method, with a buffer, which is its block: 0 for the way's default.
[[nodiscard]] trial_plan make_plan(const byte_way& way, std::size_t buffer);
/// Precondition: the plan is of a way.
[[nodiscard]] const byte_way& way_of(const trial_plan& plan);

struct byte_trial {
  trial_result figures = {};
  std::string method_at_work = {};  ///< by which means it says that it worked; empty: its file cannot be asked
};

/// "fwrite", "fwrite 64 KiB".
[[nodiscard]] std::string describe_way(const trial_plan& plan);

void to_json(nlohmann::json& out, const byte_trial& trial);
/// Its record for the store.
[[nodiscard]] record make_record(const byte_trial& trial);

/// The one file that the trials write and read. It is complete between any two trials; the destructor removes it.
class byte_runner {
 public:
  /// Writes the file. With `replace`, a regular file of that name is removed first. Without `memory`, the memory of the
  /// machine is prepared for each trial. @throws freshet::error if anything else has that name; interrupted
  byte_runner(const std::filesystem::path& path, std::uint64_t size, bool replace,
              std::shared_ptr<memory_preparation> memory = {});
  byte_runner(const byte_runner&) = delete;
  byte_runner& operator=(const byte_runner&) = delete;
  ~byte_runner();

  /// Runs the plan once, from a clean start: writing replaces the file, in memory that was just freed; reading finds
  /// all of it in the page cache. @throws freshet::error; interrupted
  [[nodiscard]] byte_trial run(const trial_plan& plan);

  /// Makes the destructor leave the file.
  void keep() noexcept { kept_ = true; }

 private:
  [[nodiscard]] byte_work work(trial_clock& clock, const trial_plan& plan) const;
  [[nodiscard]] bool matches_what_was_written(trial_result& trial);

  std::filesystem::path path_;
  std::uint64_t size_;
  byte_count expected_;
  trial_runner runner_;
  std::uint64_t samples_ = 0;
  bool kept_ = false;
};

}  // namespace freshet::tool
