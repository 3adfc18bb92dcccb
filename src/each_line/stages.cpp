#include "src/each_line/stages.hpp"

#include <string.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <cstring>
#include <exception>
#include <span>
#include <string>
#include <system_error>
#include <utility>

namespace freshet::detail {
namespace {

void append(text_memory& into, std::string_view text) {
  if (text.empty()) return;
  if (into.left() < text.size()) into.grow(text.size());
  std::memcpy(into.cursor(), text.data(), text.size());
  into.advance(text.size());
}

// After this many blocks of the usual size in a row, no more long lines are expected.
constexpr unsigned usual_again = 16;

// Text is hardly ever compressed to less than that part of its size.
constexpr std::uint64_t best_compression = 32;

// Pipes and devices have no size and may have any length. A file without a readable status fails when it is opened.
bool is_small(const std::filesystem::path& path, std::size_t block, const reader_options& options) {
  std::error_code failure;
  const auto size = std::filesystem::file_size(path, failure);
  const bool may_grow = options.decompression != decompression::none;
  return !failure && size < (may_grow ? block / best_compression : block);
}

}  // namespace

void block_source::read(text_memory& into) {
  into.clear();
  append(into, rest_.text());
  rest_.clear(block_);
  while (!ended_ && !read_more(into)) {
  }
}

// Returns whether `into` ends with a line.
bool block_source::read_more(text_memory& into) {
  const std::size_t before = into.text().size();
  if (into.left() < block_) into.grow(block_);
  const std::size_t length = in_->read(std::span{into.cursor(), block_});
  into.advance(length);
  ended_ = length < block_;
  if (ended_) return true;
  const auto text = into.text();
  const auto* const end = static_cast<const char*>(::memrchr(text.data() + before, '\n', length));
  if (end == nullptr) {
    ended_ = text.size() > longest_;
    return ended_;
  }
  const auto whole = static_cast<std::size_t>(end + 1 - text.data());
  append(rest_, text.substr(whole));
  into.cut(whole);
  return true;
}

line_block* read_stage::next() {
  line_block* const block = waiting_ != nullptr ? std::exchange(waiting_, nullptr) : next_in_order();
  if (block == nullptr || is_for_this_round(*block)) return block;
  waiting_ = block;
  return nullptr;
}

unsigned read_stage::in_flight() const noexcept {
  return long_lines_ ? std::min(job_.sizes.threads, job_.sizes.in_flight) : job_.sizes.in_flight;
}

// Blocks with a line longer than a block pass in a round with fewer blocks, one for each thread, which limits the
// number of such lines in memory.
bool read_stage::is_for_this_round(const line_block& block) noexcept {
  const bool is_long = block.in.text().size() > job_.sizes.most_input;
  usual_blocks_ = is_long ? 0 : usual_blocks_ + 1;
  const bool long_lines = is_long || (long_lines_ && usual_blocks_ < usual_again);
  return std::exchange(long_lines_, long_lines) == long_lines;
}

line_block* read_stage::next_in_order() {
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
    if (source_) read_block(block);
  } catch (...) {
    block.failure = std::current_exception();
    block.last = true;
    job_.note_failure(block.number);
  }
  if (block.last) end_file();
  return &block;
}

void read_stage::begin_file(line_block& block) {
  block.first = true;
  const auto& sizes = job_.sizes;
  if (job_.in != nullptr) {
    source_.emplace(*job_.in, sizes.block, job_.options.longest);
    offset_ = job_.in->tell();
    return;
  }
  const auto& path = job_.files[file_].in;
  if (is_small(path, sizes.block, job_.options.input)) {
    block.whole_file = block.last = true;
    return;
  }
  in_ = reader{path, large_input_options(path, job_.options, sizes)};
  source_.emplace(in_, sizes.block, job_.options.longest);
  offset_ = 0;
}

void read_stage::read_block(line_block& block) {
  source_->read(block.in);
  block.offset = offset_;
  block.last = source_->ended();
  offset_ += block.in.text().size();
}

void read_stage::end_file() noexcept {
  source_.reset();
  in_ = {};
  ++file_;
}

void transform_stage::transform(line_block& block) {
  if (block.failure || block.number > job_.first_failed) return;
  job_.throw_if_stopped(block.file);
  try {
    // Without isolation, a function that waits for tasks of its own could be called for another block meanwhile.
    tbb::this_task_arena::isolate([&] {
      if (block.whole_file)
        transform_file(block);
      else
        transform_text(block, block.in.text());
    });
  } catch (...) {
    block.failure = std::current_exception();
    job_.note_failure(block.number);
  }
}

void transform_stage::transform_file(line_block& block) {
  const file_pair& file = job_.files[block.file];
  reader in{file.in, small_input_options(job_.options, job_.sizes)};
  writer out{file.out, small_output_options(job_.options, job_.sizes)};
  block_source source{in, job_.sizes.block, job_.options.longest};
  do {
    job_.throw_if_stopped(block.file);
    source.read(block.in);
    transform_text(block, block.in.text());
    block.offset += block.in.text().size();
    out.write(block.out.text());
    block.out.clear();
    job_.progress.add(std::exchange(block.unreported, {}));
  } while (!source.ended());
  in.close();
  job_.accept(block.file);
  out.close();
}

void transform_stage::transform_text(line_block& block, std::string_view text) {
  line_transform& own = own_transform();
  const line_rules rules{.longest = job_.options.longest, .keep_ends = job_.options.keep_ends};
  // Reserve room at once: growing step by step leaves unused memory in the allocator, and untouched room costs nothing.
  static_cast<void>(block.out.room(text.size() + text.size() / 2));
  std::size_t transformed = 0;
  const std::uint64_t lines_before = block.lines;
  try {
    transformed = own.transform(text, rules, block.out, block.lines);
  } catch (...) {
    block.function_failed = true;
    throw;
  }
  block.unreported.lines += block.lines - lines_before;
  block.unreported.bytes_read += transformed;
  block.unreported.bytes_written += block.out.text().size();
  if (transformed == text.size()) return;
  throw error{std::make_error_code(std::errc::message_size), "read", job_.input_path(block.file),
              block.offset + transformed, "a line is longer than " + std::to_string(rules.longest) + " bytes"};
}

line_transform& transform_stage::own_transform() {
  auto& own = own_.local();
  if (!own) {
    const std::lock_guard lock{make_mutex_};
    own = make_();
  }
  return *own;
}

void write_stage::write(line_block& block) {
  if (block.first) lines_before_ = 0;
  if (block.failure) rethrow_failure(block);
  if (!block.whole_file) write_text(block);
  lines_before_ += block.lines;
  each_line_progress done = block.unreported;
  if (block.last) ++done.files;
  job_.pool.release(block);
  job_.progress.add(done);
}

void write_stage::rethrow_failure(const line_block& block) const {
  try {
    std::rethrow_exception(block.failure);
  } catch (const std::exception& failure) {
    if (!block.function_failed) throw;
    throw line_error{job_.input_path(block.file), lines_before_ + block.lines + 1, failure.what()};
  }
}

void write_stage::write_text(line_block& block) {
  if (job_.out != nullptr) return job_.out->write(block.out.text());
  if (block.first) {
    const auto& path = job_.files[block.file].out;
    out_ = writer{path, large_output_options(path, job_.options, job_.sizes)};
  }
  out_.write(block.out.text());
  if (!block.last) return;
  job_.accept(block.file);
  out_.close();
}

}  // namespace freshet::detail
