#include "lab/encrypt/workers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <mutex>
#include <new>
#include <stdexcept>
#include <system_error>
#include <thread>

#include <freshet/error.hpp>

#include "tool/base/interrupt.hpp"

namespace freshet::tool {
namespace {

// Thrown to end a thread because another one failed.
struct stopped {};

// The failure of the thread that failed first.
class first_failure {
 public:
  void note(std::exception_ptr failure) {
    const std::lock_guard lock{mutex_};
    if (!failure_) failure_ = std::move(failure);
  }
  void rethrow() const {
    if (failure_) std::rethrow_exception(failure_);
  }

 private:
  std::mutex mutex_;
  std::exception_ptr failure_;
};

[[noreturn]] void throw_out_of_memory(const line_worker& worker, const input_file& file) {
  throw error{std::make_error_code(std::errc::not_enough_memory), "encrypt", worker.job().in / file.name};
}

void process_list(std::span<const input_file> list, line_worker& worker,
                  const std::function<void(const input_file&, line_worker&)>& process) {
  for (const input_file& file : list) {
    worker.throw_if_stopped();
    try {
      process(file, worker);
    } catch (const std::bad_alloc&) {
      throw_out_of_memory(worker, file);
    } catch (const std::length_error&) {
      throw_out_of_memory(worker, file);
    }
    worker.finish_file();
  }
}

unsigned count_workers(const encryption_job& job) {
  return static_cast<unsigned>(std::min<std::size_t>(job.plan.threads, job.files.size()));
}

}  // namespace

void line_worker::throw_if_stopped() const {
  throw_if_interrupted();
  if (stop_.stop_requested()) throw stopped{};
}

std::string_view line_worker::transform(std::string_view line, bool has_end, const line_place& place) try {
  const std::size_t needed = cipher_.room_for(line.size()) + 1;
  if (room_.size() < needed) room_.resize(std::max(needed, 2 * room_.size()));
  std::size_t length = cipher_.transform(line, room_);
  if (has_end) room_[length++] = '\n';
  return {room_.data(), length};
} catch (const std::invalid_argument& problem) {
  throw error{std::make_error_code(std::errc::bad_message), "decrypt", place.file, place.offset,
              fmt::format("line {}: {}", place.number, problem.what())};
}

void line_worker::count(std::uint64_t bytes_read, std::uint64_t bytes_written) {
  // Counting every line at once would have all threads write to the same memory for each line.
  constexpr std::uint64_t enough = std::uint64_t{1} << 20;
  bytes_read_ += bytes_read;
  bytes_written_ += bytes_written;
  if (bytes_read_ >= enough) publish_counts();
}

void line_worker::publish_counts() {
  done_.bytes_read += std::exchange(bytes_read_, 0);
  done_.bytes_written += std::exchange(bytes_written_, 0);
}

void line_worker::finish_file() {
  publish_counts();
  ++done_.files;
}

void run_workers(const encryption_job& job, encryption_progress& done, const std::function<void(line_worker&)>& work) {
  const unsigned count = count_workers(job);
  first_failure failure;
  const std::stop_source stop;
  const auto run = [&](unsigned number) {
    try {
      line_worker worker{job, done, stop.get_token(), number};
      job.around_thread ? job.around_thread([&] { work(worker); }) : work(worker);
    } catch (const stopped&) {
      // The thread that failed has noted its failure.
    } catch (...) {
      failure.note(std::current_exception());
      stop.request_stop();
    }
  };
  std::vector<std::jthread> threads;
  try {
    for (unsigned number = 0; number < count; ++number) threads.emplace_back(run, number);
  } catch (const std::system_error& refused) {
    failure.note(std::make_exception_ptr(error{refused.code(), fmt::format("start {} threads", count), {}}));
    stop.request_stop();
  }
  threads.clear();
  failure.rethrow();
}

void process_lists(const encryption_job& job, encryption_progress& done,
                   const std::function<void(const input_file&, line_worker&)>& process) {
  if (job.files.empty()) return;
  const auto lists = share_out(job.files, count_workers(job));
  run_workers(job, done, [&](line_worker& worker) { process_list(lists[worker.number()], worker, process); });
}

}  // namespace freshet::tool
