// Trials of peers: programs of their own, each at work on a file.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "tool/base/child.hpp"
#include "tool/base/scratch.hpp"
#include "tool/store/record.hpp"
#include "tool/trial/trial.hpp"
#include "tool/trial/trial_runner.hpp"
#include "tool/workload/blocks.hpp"
#include "tool/workload/workloads.hpp"

namespace freshet::tool {

/// What all peers of a run are asked for.
struct peer_request {
  workload_kind workload = workload_kind::text;
  std::uint64_t size = 0;
  std::uint64_t buffer = 0;  ///< bytes; 0: each peer's own
  bool reserve = false;
  bool write_through = false;
  bool no_cache = false;
  bool sequential = false;
  target_kind target = target_kind::fresh;
  memory_state memory = memory_state::unbacked;
};

/// The options of a manifest that it takes: "buffer", "no-cache", …
[[nodiscard]] std::vector<std::string> options_of(const peer_request& wanted);

/// A peer, or a variant of one, that can be run.
struct peer_program {
  std::string name;
  std::vector<std::string> run;     ///< the options are appended
  std::filesystem::path folder;     ///< it works in
  std::uint64_t buffer = 0;         ///< bytes that it is told to use; 0: nothing
  std::string method = "buffered";  ///< by which it must write; "auto": any
};

/// What a run of one showed.
struct peer_trial {
  peer_request request;
  trial_result figures;
  double start_seconds = 0;    ///< until it was ready to work
  std::string method_at_work;  ///< by which it says that it wrote
  /// Why figures.cold_read is empty. The file is read back in large pieces, past the page cache where that can be.
  std::string why_not_cold;
};

void to_json(nlohmann::json& out, const peer_trial& trial);
/// Neither kept nor part of a run yet.
[[nodiscard]] record make_record(const peer_trial& trial);

/// Where peers are tried, one at a time.
class peer_runner {
 public:
  /// The peers' files live in a scratch directory below `directory`, which the destructor removes. Without `memory`,
  /// the memory of the machine is prepared for each trial. @throws freshet::error if the directory cannot be made
  peer_runner(const std::filesystem::path& directory, const peer_request& wanted, double time_limit,
              std::shared_ptr<memory_preparation> memory = {});

  /// Has it write a file, of 16 MiB at most, and looks at every byte of it. @throws child_failure  where it fails, or
  /// the file is another; freshet::error; interrupted
  void check(const peer_program& program);

  /// System calls that it makes for each MiB, by strace; empty where that is not here, or may not look.
  /// @throws freshet::error; interrupted
  [[nodiscard]] std::optional<double> system_calls_per_mib(const peer_program& program);

  /// Measures it once, after a clean start, and looks at every byte of the file. @throws as check()
  [[nodiscard]] peer_trial run(const peer_program& program);

  [[nodiscard]] const peer_request& request() const noexcept { return wanted_; }
  /// To the file system in all, as far as it is known.
  [[nodiscard]] std::uint64_t bytes_written() const noexcept { return bytes_written_; }

 private:
  [[nodiscard]] std::vector<std::string> words(const peer_program& program, std::uint64_t size) const;
  [[nodiscard]] child_call call(const peer_program& program, std::vector<std::string> words) const;
  void prepare(std::uint64_t size);
  void write(const peer_program& program, peer_trial& trial, file_evidence evidence);
  void read_back(peer_trial& trial);
  [[nodiscard]] bool goes_past_the_cache() const;
  [[nodiscard]] std::optional<std::uint64_t> system_calls(const peer_program& program, std::uint64_t size);

  scratch scratch_;
  std::filesystem::path file_;
  peer_request wanted_;
  double time_limit_;
  amount expected_;
  std::uint64_t expected_checksum_ = 0;
  trial_runner runner_;
  std::optional<block_data> old_content_;
  std::uint64_t bytes_written_ = 0;
};

}  // namespace freshet::tool
