#include "src/each_line/putting.hpp"

#include <exception>

#include "src/each_line/file_options.hpp"

namespace freshet::detail {
namespace {

constexpr std::chrono::milliseconds between_tellings{100};

}  // namespace

void putting::put(line_block& block) {
  if (block.first) lines_before_ = 0;
  if (block.failure) report(block);
  if (!block.whole_file) write(block);
  lines_before_ += block.lines;
  done_.lines += block.lines;
  done_.bytes_read += block.bytes_read;
  done_.bytes_written += block.bytes_written;
  if (block.last) ++done_.files;
  job_.pool.give_back(block);
  tell();
}

each_line_progress putting::finish() {
  if (job_.options.progress) job_.options.progress(done_);
  return done_;
}

void putting::report(const line_block& block) const {
  try {
    std::rethrow_exception(block.failure);
  } catch (const std::exception& failure) {
    if (!block.function_failed) throw;
    throw line_error{job_.path_of(block.file), lines_before_ + block.lines + 1, failure.what()};
  }
}

void putting::write(line_block& block) {
  if (job_.out != nullptr) return job_.out->write(block.out.text());
  if (block.first) {
    const auto& path = job_.files[block.file].out;
    out_ = writer{path, large_output(path, job_.options, job_.sizes)};
  }
  out_.write(block.out.text());
  if (!block.last) return;
  job_.accept(block.file);
  out_.close();
}

void putting::tell() {
  if (!job_.options.progress) return;
  const auto now = std::chrono::steady_clock::now();
  if (now - told_ < between_tellings) return;
  told_ = now;
  job_.options.progress(done_);
}

}  // namespace freshet::detail
