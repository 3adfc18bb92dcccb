// Trials of the ways to write and read one byte per call.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include <nlohmann/json_fwd.hpp>

#include "src/os/file.hpp"
#include "tool/measure/cpu.hpp"
#include "tool/store/record.hpp"
#include "tool/trial/trial.hpp"
#include "tool/workload/bytes.hpp"

namespace freshet::tool {

/// A way, and the buffer it is told to use. Equal plans are repetitions of one another.
struct byte_plan {
  const byte_way* way = nullptr;
  std::size_t buffer = 0;  ///< bytes; 0: the way's default
};

struct byte_trial {
  byte_plan plan;
  trial_result figures = {};
};

/// "fwrite", "fwrite 64 KiB".
[[nodiscard]] std::string describe(const byte_plan& plan);

void to_json(nlohmann::json& out, const byte_trial& made);
/// Neither kept nor part of a run yet.
[[nodiscard]] record make_record(const byte_trial& made);

/// The one file that the trials write and read, whole at any time between two of them; removed in the end.
class byte_runner {
 public:
  /// Writes it. With `replace`, a regular file of that name is removed first.
  /// @throws freshet::error  when there is something of that name otherwise; interrupted
  byte_runner(const std::filesystem::path& path, std::uint64_t size, bool replace);
  byte_runner(const byte_runner&) = delete;
  byte_runner& operator=(const byte_runner&) = delete;
  ~byte_runner();

  /// Does the plan once, after a clean start: writing makes the file anew, in memory that the page cache has at hand,
  /// and reading finds all of it in the page cache. @throws freshet::error; interrupted
  [[nodiscard]] byte_trial run(const byte_plan& plan);

  /// It stays.
  void keep() noexcept { kept_ = true; }

 private:
  void write(trial_result& made, const byte_plan& plan);
  void read(trial_result& made, const byte_plan& plan);
  [[nodiscard]] byte_count measure(trial_result& made, const byte_plan& plan);
  [[nodiscard]] bool holds_what_was_written(trial_result& made);

  std::filesystem::path path_;
  std::filesystem::path directory_;
  std::uint64_t size_;
  byte_count expected_;
  detail::os::file_system place_;
  idle_baseline idle_;
  std::uint64_t samples_ = 0;
  bool kept_ = false;
};

}  // namespace freshet::tool
