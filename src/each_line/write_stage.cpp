#include "src/each_line/write_stage.hpp"

#include <exception>

namespace freshet::detail {
namespace {

constexpr std::chrono::milliseconds report_interval{100};

}  // namespace

void write_stage::write(line_block& block) {
  if (block.first) lines_before_ = 0;
  if (block.failure) rethrow_failure(block);
  if (!block.whole_file) write_text(block);
  lines_before_ += block.lines;
  done_.lines += block.lines;
  done_.bytes_read += block.bytes_read;
  done_.bytes_written += block.bytes_written;
  if (block.last) ++done_.files;
  job_.pool.give_back(block);
  report_progress();
}

each_line_progress write_stage::finish() {
  if (job_.options.progress) job_.options.progress(done_);
  return done_;
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

void write_stage::report_progress() {
  if (!job_.options.progress) return;
  const auto now = std::chrono::steady_clock::now();
  if (now - last_report_ < report_interval) return;
  last_report_ = now;
  job_.options.progress(done_);
}

}  // namespace freshet::detail
