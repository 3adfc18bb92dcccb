#include "src/each_line/line_job.hpp"

#include <utility>

namespace freshet::detail {

line_block& block_pool::take() {
  const std::lock_guard lock{mutex_};
  if (idle_.empty()) {
    idle_.reserve(all_.size() + 1);  // so that release() never fails
    return *all_.emplace_back(std::make_unique<line_block>());
  }
  line_block& block = *idle_.back();
  idle_.pop_back();
  return block;
}

void block_pool::release(line_block& block) noexcept {
  text_memory in = std::move(block.in);
  line_sink out = std::move(block.out);
  in.clear(sizes_.most_input);
  out.clear(sizes_.most_output);
  block = {.in = std::move(in), .out = std::move(out)};
  const std::lock_guard lock{mutex_};
  idle_.push_back(&block);
}

void progress_report::add(const each_line_progress& more) {
  constexpr std::chrono::milliseconds interval{100};
  const std::lock_guard lock{mutex_};
  done_.files += more.files;
  done_.lines += more.lines;
  done_.bytes_read += more.bytes_read;
  done_.bytes_written += more.bytes_written;
  if (!options_.progress) return;
  const auto now = std::chrono::steady_clock::now();
  if (now - last_report_ < interval) return;
  last_report_ = now;
  options_.progress(done_);
}

each_line_progress progress_report::finish() {
  const std::lock_guard lock{mutex_};
  if (options_.progress) options_.progress(done_);
  return done_;
}

void line_job::note_failure(std::uint64_t number) noexcept {
  auto first = first_failed.load();
  while (number < first && !first_failed.compare_exchange_weak(first, number)) {
  }
}

void line_job::throw_if_stopped(std::size_t file) const {
  if (!options.stop.stop_requested()) return;
  throw error{std::make_error_code(std::errc::operation_canceled), "transform the lines of", input_path(file)};
}

std::filesystem::path line_job::input_path(std::size_t file) const {
  return file < files.size() ? files[file].in : std::filesystem::path{};
}

}  // namespace freshet::detail
