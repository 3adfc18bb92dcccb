#include "tool/search/compression_trial.hpp"

#include <algorithm>
#include <random>
#include <span>

#include <freshet/reader.hpp>
#include <freshet/writer.hpp>

#include "tool/base/clock.hpp"
#include "tool/base/interrupt.hpp"
#include "tool/base/place.hpp"
#include "tool/base/scratch.hpp"
#include "tool/base/text.hpp"

namespace freshet::tool {
namespace {

// A level that takes so many times as long as the fastest one, because of the processors, and all higher ones, are not
// worth their time.
constexpr double hopeless = 8;

class level_search {
 public:
  level_search(const compression_sample& sample, const std::filesystem::path& directory, compression_budget budget,
               std::uint64_t seed, const std::function<void(const compression_progress&)>& show)
      : sample_{sample}, scratch_{directory}, budget_{budget}, random_{seed}, show_{show} {}

  compression_verdict run() {
    run_first_round();
    const auto fits_another = [&] {
      return watch_.seconds() + round_seconds_ < budget_.seconds && written_ + written_ / round_ <= budget_.bytes;
    };
    while (fits_another()) run_round();
    return judge_levels(plain_, levels_);
  }

 private:
  // From the fastest level on, which tells where to stop.
  void run_first_round() {
    write_plain();
    for (const int level : compression_levels) {
      levels_.push_back({.level = level});
      try_level(levels_.back());
      const level_limits now = judge_levels(plain_, levels_).levels.back();
      if (now.is_limited_by_processors() && now.stored * hopeless < fastest()) break;
    }
    round_seconds_ = watch_.seconds();
  }

  void run_round() {
    const stopwatch watch;
    ++round_;
    std::vector<level_trials*> order{nullptr};  // null: without compression
    for (level_trials& each : levels_) order.push_back(&each);
    std::ranges::shuffle(order, random_);
    for (level_trials* each : order) each == nullptr ? write_plain() : try_level(*each);
    round_seconds_ = watch.seconds();
  }

  void write_plain() { plain_.push_back(write({}).rate); }

  void try_level(level_trials& level) {
    level.compressed.push_back(write({.level = level.level, .is_stored = false}).rate);
    const compression_trial trial = write({.level = level.level});
    level.stored.push_back(trial.rate);
    level.ratio = static_cast<double>(sample_.bytes.size()) / static_cast<double>(trial.written);
  }

  compression_trial write(const compression_plan& plan) {
    show_({round_, plan});
    const compression_trial trial = write_sample(sample_, plan, scratch_.file(0));
    if (plan.is_stored) written_ += trial.written;
    return trial;
  }

  [[nodiscard]] double fastest() const { return judge_levels(plain_, levels_).fastest.stored; }

  const compression_sample& sample_;
  scratch scratch_;
  compression_budget budget_;
  std::mt19937_64 random_;
  const std::function<void(const compression_progress&)>& show_;
  stopwatch watch_;
  unsigned round_ = 1;
  double round_seconds_ = 0;   // of the last round
  std::uint64_t written_ = 0;  // bytes
  std::vector<double> plain_;
  std::vector<level_trials> levels_;
};

}  // namespace

compression_sample read_sample(const std::filesystem::path& path, std::uint64_t most) {
  reader in{path};
  const std::uint64_t size = in.size();
  if (size < least_sample)
    refuse(std::errc::invalid_argument, "sample", path,
           "it has " + format_size(size) + "; a sample needs at least " + format_size(least_sample));
  compression_sample sample{.path = path};
  sample.bytes.resize(static_cast<std::size_t>(std::min(size, most)));
  sample.bytes.resize(in.read(sample.bytes));
  return sample;
}

compression_trial write_sample(const compression_sample& sample, const compression_plan& plan,
                               const std::filesystem::path& path) {
  constexpr std::size_t piece = std::size_t{1} << 20;
  writer_options options{.mode = open_mode::create_new};
  if (plan.level) options.compression = {.format = compression_format::zstd, .level = *plan.level};
  if (!plan.is_stored) options.method = "null";
  const stopwatch watch;
  writer out{path, options};
  for (std::span<const std::byte> rest = sample.bytes; !rest.empty();
       rest = rest.subspan(std::min(piece, rest.size()))) {
    throw_if_interrupted();
    out.write(rest.first(std::min(piece, rest.size())));
  }
  out.close();
  const double seconds = watch.seconds();
  std::error_code ignored;  // without a method that stores there is no file
  std::filesystem::remove(path, ignored);
  return {.rate = static_cast<double>(sample.bytes.size()) / seconds, .written = out.written_bytes()};
}

compression_verdict try_levels(const compression_sample& sample, const std::filesystem::path& directory,
                               compression_budget budget, std::uint64_t seed,
                               const std::function<void(const compression_progress&)>& show) {
  return level_search{sample, directory, budget, seed, show}.run();
}

}  // namespace freshet::tool
