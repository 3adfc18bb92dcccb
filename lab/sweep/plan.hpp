// The plan of a sweep: every strategy with every number of threads and every work level, on every corpus; and the scale
// of the corpora at which it takes the time that it was given, predicted from its first round.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lab/corpus/corpus.hpp"
#include "lab/encrypt/encryption.hpp"

namespace freshet::tool {

/// A corpus in its full size: files that a sweep creates, or those of a directory that the user names.
struct corpus_shape {
  std::string name;
  unsigned files = 0;
  std::uint64_t lines = 0;               ///< of each file that is created
  std::uint64_t chars = 0;               ///< of each line
  bool vary = false;                     ///< `lines` and `chars` are means
  std::filesystem::path directory = {};  ///< the user's, which is only read; empty: the sweep creates the files
  text_volume volume = {};               ///< of the user's files
  [[nodiscard]] bool is_given() const noexcept { return !directory.empty(); }
  friend bool operator==(const corpus_shape&, const corpus_shape&) = default;
};

/// "small-files", "short-lines", "long-lines", "large-files" and "mixed".
[[nodiscard]] std::span<const corpus_shape> sweep_corpora();
/// Those that a sweep has unless it is told otherwise: all but "mixed".
[[nodiscard]] std::span<const corpus_shape> usual_corpora();

struct sweep_plan {
  std::vector<corpus_shape> corpora{usual_corpora().begin(), usual_corpora().end()};
  std::vector<wanted_strategy> strategies = {strategy::streaming, strategy::buffering, std::nullopt};
  std::vector<unsigned> threads = {1};
  std::vector<unsigned> work = {0, 100};
  cipher_kind cipher = cipher_kind::xor_bytes;
  stream_kind streams = stream_kind::std;
  std::vector<std::size_t> buffers = {0};      ///< bytes of each file's buffer; 0: as it comes
  std::optional<freshet::access> access = {};  ///< empty: as it comes
  bool cold = false;  ///< the page cache has none of the input when a trial starts; otherwise it has all of it
  double scale = 1;   ///< share of the full number of files, 0 < scale <= 1
  std::optional<unsigned> rounds;  ///< empty: at least least_rounds, and as many as fit into `seconds`
  double seconds = 120;
  std::uint64_t seed = 1;  ///< of the bytes of the corpora and the order of the trials
  unsigned ranks = 1;      ///< processes that share the files; each has as many threads as the cell has
};

inline constexpr unsigned least_rounds = 3;

/// One combination of the plan. A round measures each of them once.
struct sweep_cell {
  std::size_t corpus = 0;  ///< index into the plan's corpora
  wanted_strategy how;
  unsigned threads = 1;
  unsigned work = 0;
  std::size_t buffer = 0;  ///< bytes; 0: as it comes, as always for `async`, which has no choice
  friend bool operator==(const sweep_cell&, const sweep_cell&) = default;
};

/// Lists all combinations, corpus by corpus.
[[nodiscard]] std::vector<sweep_cell> list_cells(const sweep_plan& plan);

/// The files of one of the plan's corpora at the plan's scale. There are at least two, and at least one for every
/// thread of all ranks, unless the full corpus has fewer. Each file has its full size. A user's corpus has all its
/// files.
[[nodiscard]] corpus_plan scale_corpus(const sweep_plan& plan, std::size_t corpus);

/// Bytes of the output when `corpus` is encrypted. About, if its files vary.
[[nodiscard]] std::uint64_t output_bytes(const corpus_plan& corpus) noexcept;
/// One of the plan's corpora at the plan's scale. About, if its files vary.
[[nodiscard]] text_volume volume_of(const sweep_plan& plan, std::size_t corpus);
/// Bytes that the corpora and `rounds` rounds write at the plan's scale.
[[nodiscard]] std::uint64_t bytes_written_by(const sweep_plan& plan, unsigned rounds);
/// The most bytes that are on the disk at the same time.
struct space_needed {
  std::uint64_t corpora = 0;  ///< that the sweep creates
  std::uint64_t outputs = 0;
};
[[nodiscard]] space_needed space_needed_by(const sweep_plan& plan);

/// "streaming", "streaming, buffers of 64 KiB".
[[nodiscard]] std::string describe_way(const sweep_cell& cell);
/// "streaming, 2 threads, work 100": describes a cell to a user, without its corpus.
[[nodiscard]] std::string describe(const sweep_cell& cell);

/// The corpus, strategy, threads and work of a cell.
[[nodiscard]] nlohmann::json make_json(const sweep_plan& plan, const sweep_cell& cell);
void to_json(nlohmann::json& out, const sweep_plan& plan);

/// The scale of the first round if the user names none. Below it, only the small files would become fewer, too few to
/// show anything, and no sweep would be notably shorter.
inline constexpr double least_fitting_scale = 0.02;

/// What the first round of a plan took, in seconds.
struct round_times {
  double corpora = 0;          ///< to create the corpora
  double between_trials = 0;   ///< the least time from the moment when the disk has a trial's files to the next trial
  std::vector<double> trials;  ///< for each of list_cells(), from the start of its trial to the start of the next one
};

/// Predicts the seconds that the corpora and `rounds` rounds take at `scale`, including the removal of all files.
/// `measured` is the first round of `plan`.
[[nodiscard]] double predict_seconds(const sweep_plan& plan, const round_times& measured, double scale,
                                     unsigned rounds);

/// The largest scale at which the corpora and `rounds` rounds take no more than `seconds` and write no more than
/// `bytes`, in steps of 0.001; the scale of `plan` if no larger one does. `measured` is the first round of `plan`.
[[nodiscard]] double find_fitting_scale(const sweep_plan& plan, const round_times& measured, unsigned rounds,
                                        double seconds, std::uint64_t bytes);

}  // namespace freshet::tool
