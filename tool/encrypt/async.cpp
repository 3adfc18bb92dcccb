// Reads ahead of the workers and writes behind them. A large file's blocks are read and written by io_uring around the
// pipeline; of small ones, each worker has several on their way while it treats one. What becomes of a small file goes
// out by a plain write, which the page cache takes at once: a ring would hand it to a thread of the kernel.
#include <algorithm>
#include <atomic>
#include <stdexcept>
#include <vector>

#include <freshet/error.hpp>
#include <freshet/methods.hpp>
#include <freshet/writer.hpp>

#include "src/method/registry.hpp"
#include "tool/encrypt/encryption.hpp"
#include "tool/encrypt/files_ahead.hpp"
#include "tool/encrypt/pipelined.hpp"
#include "tool/encrypt/workers.hpp"

namespace freshet::tool {
namespace {

void treat_small_file(const files_ahead::whole_file& file, line_worker& worker) {
  writer out{worker.target_of(*file.found), {.hidden_until_closed = true}};
  std::uint64_t number = 0;
  for (std::string_view rest = file.text; !rest.empty();) {
    const std::string_view line = rest.substr(0, rest.find('\n'));
    const bool has_end = line.size() < rest.size();
    ++number;
    try {
      out.write(worker.treat(line, has_end));
    } catch (const std::invalid_argument& fault) {
      reject_line(worker.job().in / file.found->name, number, file.text.size() - rest.size(), fault.what());
    }
    rest.remove_prefix(line.size() + (has_end ? 1 : 0));
  }
  require_unchanged(worker.job().in, *file.found);
  out.close();
  worker.count(file.text.size(), out.tell());
  worker.file_done();
}

void treat_small(const encryption_job& job, encryption_progress& done) {
  std::atomic<std::size_t> taken = 0;
  const auto next_file = [&]() -> const input_file* {
    const std::size_t at = taken.fetch_add(1, std::memory_order_relaxed);
    return at < job.files.size() ? &job.files[at] : nullptr;
  };
  run_workers(job, done, [&](line_worker& worker) {
    files_ahead files{job.in, next_file, files_on_their_way};
    for (auto file = files.next(); file.found != nullptr; file = files.next()) {
      worker.go_on();
      treat_small_file(file, worker);
    }
  });
}

// Past the page cache, but for what it has already.
reader_options large_input(const encryption_job& job) {
  const auto path = job.in / job.files.front().name;
  if (share_in_memory(job.in, job.files) >= 0.5) return {.method = "buffered"};
  std::error_code failure;
  const detail::os::file file = detail::os::file::open(
      path, {.what = detail::os::open_request::disposition::existing, .read = true, .write = false}, failure);
  if (failure) throw error{failure, "open", path};
  return {.method = detail::usable_reading_method(*detail::find_method("uring"), file).name};
}

// Past the page cache, where the file system allows it.
writer_options large_output(const encryption_job& job) {
  std::string why_not;
  for (const method_info& method : methods(job.out)) {
    if (method.name != "uring" && method.name != "uring-buffered") continue;
    if (method.available()) return {.method = detail::find_method(method.name)->name};
    why_not = method.why_not;
  }
  throw error{std::make_error_code(std::errc::operation_not_supported), "write by io_uring in", job.out,
              error::no_offset, why_not};
}

void treat_large(const encryption_job& job, encryption_progress& done) {
  encrypt_by_pipeline(job, done, large_input(job), large_output(job));
}

}  // namespace

void encrypt_async(const encryption_job& job, encryption_progress& done) {
  std::vector<input_file> small;
  std::vector<input_file> large;
  for (const input_file& file : job.files) (file.size <= largest_small_file ? small : large).push_back(file);
  if (!small.empty()) treat_small({job.in, job.out, small, job.plan}, done);
  if (!large.empty()) treat_large({job.in, job.out, large, job.plan}, done);
}

}  // namespace freshet::tool
