#include "lab/corpus/corpus.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <cstring>
#include <random>
#include <span>
#include <stdexcept>

#include <freshet/error.hpp>
#include <freshet/writer.hpp>

#include "tool/base/interrupt.hpp"
#include "tool/base/place.hpp"
#include "tool/workload/random.hpp"

namespace freshet::tool {
namespace {

namespace fs = std::filesystem;

// The σ of the log-normal distributions: two thirds of the sizes lie between the median divided by e^σ and the median
// times e^σ.
constexpr double spread_of_files = 1.0;
constexpr double spread_of_lines = 0.5;

// Draws whole numbers of a given mean.
class varied_size {
 public:
  varied_size(std::uint64_t mean, double spread)
      : zero_{mean == 0},
        distribution_{zero_ ? 0 : std::log(static_cast<double>(mean)) - spread * spread / 2, spread} {}

  std::uint64_t operator()(random_words& random) {
    return zero_ ? 0 : static_cast<std::uint64_t>(std::llround(distribution_(random)));
  }

 private:
  bool zero_;
  std::lognormal_distribution<> distribution_;
};

// Content and sizes have different generators, so that neither changes if the other is generated differently.
random_words random_characters(const corpus_plan& plan, unsigned number) {
  return random_words{scramble(plan.seed) + 2 * std::uint64_t{number}};
}
random_words random_sizes(const corpus_plan& plan, unsigned number) {
  return random_words{scramble(plan.seed) + 2 * std::uint64_t{number} + 1};
}

// Generates the text of one file, piece by piece.
class corpus_source {
 public:
  corpus_source(const corpus_plan& plan, unsigned number)
      : characters_{random_characters(plan, number)},
        sizes_{random_sizes(plan, number)},
        lengths_{plan.chars, spread_of_lines},
        chars_{plan.chars},
        varies_{plan.vary},
        lines_left_{plan.vary ? varied_size{plan.lines, spread_of_files}(sizes_) : plan.lines} {
    if (lines_left_ != 0) start_line();
  }

  [[nodiscard]] std::uint64_t lines_left() const noexcept { return lines_left_; }

  // Returns the next piece, which is valid until the next call; empty at the end.
  std::span<const char> next() {
    if (lines_left_ == 0) return {};
    fill();
    std::size_t end = 0;
    while (lines_left_ != 0 && line_left_ < piece_.size() - end) {
      end += static_cast<std::size_t>(line_left_);
      piece_[end++] = '\n';
      if (--lines_left_ != 0) start_line();
    }
    if (lines_left_ == 0) return std::span{piece_}.first(end);
    line_left_ -= piece_.size() - end;
    return piece_;
  }

 private:
  void start_line() { line_left_ = varies_ ? lengths_(sizes_) : chars_; }

  // Each character has six random bits, since the characters are 64 neighbours in ASCII.
  void fill() {
    for (std::size_t at = 0; at < piece_.size(); at += sizeof(std::uint64_t)) {
      const std::uint64_t eight = (characters_() & 0x3F3F3F3F3F3F3F3FU) + 0x3030303030303030U;
      std::memcpy(piece_.data() + at, &eight, sizeof eight);
    }
  }

  random_words characters_;
  random_words sizes_;
  varied_size lengths_;
  std::uint64_t chars_;
  bool varies_;
  std::uint64_t lines_left_;
  std::uint64_t line_left_ = 0;  // characters until the end of the line
  std::array<char, std::size_t{32} << 10> piece_ = {};
};

std::uint64_t lines_of(const corpus_plan& plan) {
  if (!plan.vary) return plan.lines * plan.files;
  std::uint64_t lines = 0;
  for (unsigned number = 1; number <= plan.files; ++number) lines += corpus_source{plan, number}.lines_left();
  return lines;
}

// Fails if there is a file of that name, or a link, even a dangling one, because it belongs to somebody.
// @throws freshet::error
void require_absent(const fs::path& path) {
  std::error_code failure;
  const fs::file_type type = fs::symlink_status(path, failure).type();
  if (type == fs::file_type::not_found) return;
  if (type == fs::file_type::none) throw error{failure, "look at", path};
  refuse(std::errc::file_exists, "create", path, "--force replaces it");
}

void make_directory(const fs::path& directory) {
  std::error_code failure;
  fs::create_directories(directory, failure);
  if (!failure && !fs::is_directory(directory, failure) && !failure)
    failure = std::make_error_code(std::errc::not_a_directory);
  if (failure) throw error{failure, "make the directory", directory};
}

void make_file(const fs::path& path, corpus_source& source, bool force, corpus_progress& progress,
               const std::function<void(const corpus_progress&)>& on_progress) {
  writer out{path, {.mode = force ? open_mode::truncate : open_mode::create_new, .hidden_until_closed = true}};
  for (std::uint64_t before = source.lines_left();; before = source.lines_left()) {
    throw_if_interrupted();
    const auto text = source.next();
    if (text.empty()) break;
    out.write(std::as_bytes(text));
    progress.bytes += text.size();
    progress.lines += before - source.lines_left();
    on_progress(progress);
  }
  out.close();
  ++progress.files;
  on_progress(progress);
}

}  // namespace

std::string corpus_file_name(unsigned number) { return fmt::format("{:05}.txt", number); }

std::uint64_t corpus_bytes(const corpus_plan& plan) {
  constexpr double most = 1LL << 50;
  const auto length = static_cast<double>(plan.chars) + 1;
  if (length * static_cast<double>(plan.lines) * plan.files > most)
    throw std::invalid_argument{"that is more than 1 PiB"};
  return lines_of(plan) * (plan.chars + 1);
}

corpus_progress make_corpus(const fs::path& directory, const corpus_plan& plan, bool force,
                            const std::function<void(const corpus_progress&)>& on_progress) {
  const std::uint64_t bytes = corpus_bytes(plan);
  make_directory(directory);
  if (!force) {
    for (unsigned number = 1; number <= plan.files; ++number) require_absent(directory / corpus_file_name(number));
    require_space(directory, bytes);
  }
  corpus_progress progress;
  for (unsigned number = 1; number <= plan.files; ++number) {
    corpus_source source{plan, number};
    make_file(directory / corpus_file_name(number), source, force, progress, on_progress);
  }
  return progress;
}

}  // namespace freshet::tool
