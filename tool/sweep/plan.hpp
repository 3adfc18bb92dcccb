// What a sweep measures: every strategy with every number of threads and every work level, on every corpus.
#pragma once

#include <cstddef>
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tool/encrypt/encryption.hpp"
#include "tool/workload/corpus.hpp"

namespace freshet::tool {

/// Input files in full size.
struct corpus_shape {
  std::string_view name;
  unsigned files = 0;
  std::uint64_t lines = 0;  ///< of each file
  std::uint64_t chars = 0;  ///< of each line
  friend bool operator==(const corpus_shape&, const corpus_shape&) = default;
};

/// "small-files", "short-lines", "long-lines" and "large-files".
[[nodiscard]] std::span<const corpus_shape> sweep_corpora() noexcept;

/// A strategy; none: whichever choose_strategy() finds, which is called `auto`.
using contender = std::optional<strategy>;
[[nodiscard]] std::string name_of(const contender& how);

/// All that there are, `auto` last.
[[nodiscard]] std::span<const contender> sweep_contenders() noexcept;

struct sweep_plan {
  std::vector<corpus_shape> corpora{sweep_corpora().begin(), sweep_corpora().end()};
  std::vector<contender> contenders = {strategy::streaming, strategy::buffering, std::nullopt};
  std::vector<unsigned> threads = {1};
  std::vector<unsigned> work = {0, 100};
  cipher_kind cipher = cipher_kind::xor_bytes;
  stream_kind streams = stream_kind::std;
  bool cold = false;               ///< the page cache has none of the input when a trial starts; otherwise all of it
  double scale = 1;                ///< of the full number of files, 0 < scale <= 1
  std::optional<unsigned> rounds;  ///< none: at least least_rounds, and as many as `seconds` have room for
  double seconds = 120;
  std::uint64_t seed = 1;  ///< of the corpora's bytes and of the trials' order
  unsigned ranks = 1;      ///< that share the files; each has as many threads as a cell says
};

inline constexpr unsigned least_rounds = 3;

/// What one trial measures. Equal cells are repetitions of one another.
struct sweep_cell {
  std::size_t corpus = 0;  ///< of the plan's
  contender how;
  unsigned threads = 1;
  unsigned work = 0;
  friend bool operator==(const sweep_cell&, const sweep_cell&) = default;
};

/// Every combination, corpus by corpus.
[[nodiscard]] std::vector<sweep_cell> cells_of(const sweep_plan& plan);

/// The files of one of the plan's corpora at a scale: at least two, and as many as the most threads of all ranks, where
/// there are so many at all; each of the full shape.
[[nodiscard]] corpus_plan scaled(const sweep_plan& plan, std::size_t corpus, double scale);
/// The same at the plan's scale.
[[nodiscard]] corpus_plan scaled(const sweep_plan& plan, std::size_t corpus);

/// Bytes that are written when such a corpus is encrypted.
[[nodiscard]] std::uint64_t output_bytes(const corpus_plan& corpus) noexcept;
/// Bytes that `rounds` rounds at the plan's scale write in all, the corpora included.
[[nodiscard]] std::uint64_t bytes_written_by(const sweep_plan& plan, unsigned rounds);
/// Bytes that lie on the disk at a time, at most.
[[nodiscard]] std::uint64_t bytes_needed_by(const sweep_plan& plan);

/// "streaming, 2 threads, work 100": a cell's name for people, the corpus left out.
[[nodiscard]] std::string describe(const sweep_cell& cell);
/// "1 thread", "2 threads".
[[nodiscard]] std::string in_words(unsigned threads);

void to_json(nlohmann::json& out, const sweep_plan& plan);

}  // namespace freshet::tool
