// A load of constant rate: threads that write file after file, each piece when it is due.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "lab/sustain/pace.hpp"
#include "src/os/file.hpp"
#include "tool/base/scratch.hpp"
#include "tool/measure/cpu.hpp"
#include "tool/measure/latency.hpp"
#include "tool/trial/trial.hpp"
#include "tool/workload/blocks.hpp"

namespace freshet::tool {

struct load_plan {
  std::string method = "auto";  ///< of the library
  std::size_t block = 0;        ///< bytes; 0: the method's own
  unsigned depth = 0;           ///< 0: the method's own
  io_class durability = io_class::none;
  std::uint64_t size = std::uint64_t{1} << 30;  ///< bytes of each file
  unsigned writers = 1;                         ///< threads, each with a file of its own
  double rate = 0;                              ///< bytes per second of all together; 0: as fast as they can
  double seconds = 600;                         ///< how long
  std::uint64_t max_bytes = ~std::uint64_t{0};  ///< it ends before it has written more
};

/// The state of a load at a moment.
struct load_sample {
  double at = 0;             ///< seconds since it began
  std::uint64_t bytes = 0;   ///< written so far
  std::uint64_t dirty = 0;   ///< of its files, in the page cache, that the device does not have
  std::uint64_t memory = 0;  ///< of this process
  double longest_wait = 0;   ///< seconds that the longest write took that ended since the sample before
};

/// What became of a load.
struct load_result {
  std::uint64_t bytes = 0;
  double seconds = 0;       ///< until the last write ended
  double sync_seconds = 0;  ///< from then on until the device had everything
  lag worst = {};           ///< of the writer that was behind most
  double fell_behind = -1;  ///< when one was first behind by more than tolerated_lag; negative: none was
  latency_histogram waits = {};
  double longest_wait = 0;  ///< seconds of the longest write of a piece
  cpu_usage cpu = {};
  std::vector<load_sample> samples = {};  ///< about one each second
  std::string failure = {};               ///< why a writer failed, which ended all; empty if none did

  /// Bytes per second, the time included that the device needed at the end.
  [[nodiscard]] double rate_to_disk() const {
    return seconds + sync_seconds > 0 ? static_cast<double>(bytes) / (seconds + sync_seconds) : 0;
  }
};

/// Seconds that a writer may be behind its schedule: what a program has memory for.
inline constexpr double tolerated_lag = 1;
/// Seconds after which a load ends whose writers are behind by more.
inline constexpr double patience_behind = 10;
/// The share of the file system that stays free.
inline constexpr double share_kept_free = 0.1;

/// Writes loads below one directory.
class load_generator {
 public:
  /// Its files are in a scratch directory below `directory`, which the destructor removes. @throws freshet::error
  explicit load_generator(const std::filesystem::path& directory);

  /// Shown about five times a second: how many bytes were written after so many seconds.
  using listener = std::function<void(std::uint64_t bytes, double seconds)>;

  /// Writes a load, and waits until the device has it. Finished files are removed, the oldest first, before less than
  /// share_kept_free of the file system is free, and all at the end.
  /// @throws freshet::error  if the files do not fit; interrupted, with what was written by then
  [[nodiscard]] load_result run(const load_plan& plan, const listener& show);

 private:
  class session;

  scratch scratch_;
  block_data data_{1};
};

}  // namespace freshet::tool
