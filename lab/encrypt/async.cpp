// Reads ahead of the workers and writes behind them. The blocks of large files are read and written by io_uring around
// the pipeline. Each worker reads several small files ahead while it encrypts one. The output of a small file is
// written with plain write calls, because the page cache takes it at once and a ring would pass it to a kernel thread.
#include <atomic>
#include <filesystem>
#include <vector>

#include <freshet/error.hpp>
#include <freshet/methods.hpp>
#include <freshet/writer.hpp>

#include "lab/encrypt/encryption.hpp"
#include "lab/encrypt/files_ahead.hpp"
#include "lab/encrypt/workers.hpp"
#include "src/method/registry.hpp"
#include "tool/base/place.hpp"

namespace freshet::tool {
namespace {

void encrypt_small_file(const files_ahead::whole_file& file, line_worker& worker) {
  const std::filesystem::path path = worker.job().in / file.info->name;
  writer out{worker.target_of(*file.info), {.hidden_until_closed = true}};
  std::uint64_t number = 0;
  for (std::string_view rest = file.text; !rest.empty();) {
    const std::string_view line = rest.substr(0, rest.find('\n'));
    const bool has_end = line.size() < rest.size();
    out.write(worker.transform(line, has_end, {path, ++number, file.text.size() - rest.size()}));
    rest.remove_prefix(line.size() + (has_end ? 1 : 0));
  }
  require_unchanged(worker.job().in, *file.info);
  out.close();
  worker.count(file.text.size(), out.tell());
  worker.finish_file();
}

void encrypt_small_files(const encryption_job& job, encryption_progress& done) {
  std::atomic<std::size_t> taken = 0;
  const auto next_file = [&]() -> const input_file* {
    const std::size_t index = taken.fetch_add(1, std::memory_order_relaxed);
    return index < job.files.size() ? &job.files[index] : nullptr;
  };
  run_workers(job, done, [&](line_worker& worker) {
    files_ahead files{job.in, next_file, files_in_flight};
    for (auto file = files.next(); file.info != nullptr; file = files.next()) {
      worker.throw_if_stopped();
      encrypt_small_file(file, worker);
    }
  });
}

// Reads past the page cache, unless the cache already has most of the input.
reader_options large_input(const encryption_job& job) {
  const auto path = job.in / job.files.front().name;
  if (share_in_memory(job.in, job.files) >= 0.5) return {.method = "buffered"};
  std::error_code failure;
  const detail::os::file file = detail::os::file::open_existing(path, failure);
  if (failure) throw error{failure, "open", path};
  return {.method = detail::usable_reading_method(*detail::find_method("uring"), file).name};
}

// Writes past the page cache if the file system allows that.
writer_options large_output(const encryption_job& job) {
  std::string why_not;
  for (const method_info& method : methods(job.out)) {
    if (method.name != "uring" && method.name != "uring-buffered") continue;
    if (method.available()) return {.method = detail::find_method(method.name)->name};
    why_not = method.why_not;
  }
  refuse(std::errc::operation_not_supported, "write by io_uring in", job.out, why_not);
}

void encrypt_large_files(const encryption_job& job, encryption_progress& done) {
  encrypt_by_pipeline(job, done, large_input(job), large_output(job));
}

}  // namespace

void encrypt_async(const encryption_job& job, encryption_progress& done) {
  std::vector<input_file> small;
  std::vector<input_file> large;
  for (const input_file& file : job.files) (file.size <= largest_small_file ? small : large).push_back(file);
  if (!small.empty()) encrypt_small_files({job.in, job.out, small, job.plan}, done);
  if (!large.empty()) encrypt_large_files({job.in, job.out, large, job.plan}, done);
}

}  // namespace freshet::tool
