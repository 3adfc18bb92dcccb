#include "src/each_line/fetching.hpp"

#include <algorithm>
#include <system_error>
#include <utility>

#include "src/each_line/file_options.hpp"

namespace freshet::detail {
namespace {

// Blocks of usual size in a row that show that the long lines are over.
constexpr unsigned usual_again = 16;

// Pipes and devices have no size, and may be of any length. What cannot be looked at fails wherever it is opened.
bool is_small(const std::filesystem::path& path, std::size_t block) {
  std::error_code failure;
  const auto size = std::filesystem::file_size(path, failure);
  return !failure && size < block;
}

}  // namespace

line_block* fetching::next() {
  line_block* const block = waiting_ != nullptr ? std::exchange(waiting_, nullptr) : next_in_order();
  if (block == nullptr || is_for_this_round(*block)) return block;
  waiting_ = block;
  return nullptr;
}

unsigned fetching::in_flight() const noexcept {
  return long_lines_ ? std::min(job_.sizes.threads, job_.sizes.in_flight) : job_.sizes.in_flight;
}

// A block that holds a line longer than blocks are goes through in a round of fewer blocks, one for each thread: so
// there are never more such lines in memory.
bool fetching::is_for_this_round(const line_block& block) noexcept {
  const bool is_long = block.in.text().size() > job_.sizes.most_input;
  usual_blocks_ = is_long ? 0 : usual_blocks_ + 1;
  const bool long_lines = is_long || (long_lines_ && usual_blocks_ < usual_again);
  return std::exchange(long_lines_, long_lines) == long_lines;
}

line_block* fetching::next_in_order() {
  const bool nothing_left = !source_ && file_ == (job_.in != nullptr ? 1 : job_.files.size());
  if (ended_ || nothing_left || job_.first_failed != line_job::none) {
    ended_ = true;
    return nullptr;
  }
  job_.throw_if_stopped(file_);
  line_block& block = job_.pool.take();
  block.file = file_;
  block.number = number_++;
  try {
    if (!source_) begin_file(block);
    if (source_) cut(block);
  } catch (...) {
    block.failure = std::current_exception();
    block.last = true;
    job_.note_failure(block.number);
  }
  if (block.last) end_file();
  return &block;
}

void fetching::begin_file(line_block& block) {
  block.first = true;
  const auto& sizes = job_.sizes;
  if (job_.in != nullptr) {
    source_.emplace(*job_.in, sizes.block, job_.options.longest);
    offset_ = job_.in->tell();
    return;
  }
  const auto& path = job_.files[file_].in;
  if (is_small(path, sizes.block)) {
    block.whole_file = block.last = true;
    return;
  }
  in_ = reader{path, large_input(path, job_.options, sizes)};
  source_.emplace(in_, sizes.block, job_.options.longest);
  offset_ = 0;
}

void fetching::cut(line_block& block) {
  source_->take(block.in);
  block.offset = offset_;
  block.last = source_->ended();
  offset_ += block.in.text().size();
}

void fetching::end_file() noexcept {
  source_.reset();
  in_ = {};
  ++file_;
}

}  // namespace freshet::detail
