#include <freshet/each_line.hpp>

#include <tbb/parallel_pipeline.h>
#include <tbb/task_arena.h>

#include <atomic>
#include <string>

#include "src/each_line/helpers.hpp"
#include "src/each_line/line_job.hpp"
#include "src/each_line/stages.hpp"

namespace freshet {

namespace detail {
namespace {

std::string describe(const std::filesystem::path& path, std::uint64_t line, std::string_view reason) {
  std::string text = "line " + std::to_string(line);
  if (!path.empty()) text.append(" of '").append(path.string()).append("'");
  return text.append(": ").append(reason);
}

// Everything before one of these begins or ends happens before the next one does. oneTBB guarantees the same, but it is
// not built with the thread sanitizer, which therefore cannot see it. The cost is negligible for a block of lines.
class tsan_fence {
 public:
  tsan_fence() noexcept { synchronize(); }
  tsan_fence(const tsan_fence&) = delete;
  tsan_fence& operator=(const tsan_fence&) = delete;
  ~tsan_fence() { synchronize(); }

 private:
  static void synchronize() noexcept {
    static std::atomic<unsigned> count = 0;
    count.fetch_add(1, std::memory_order_acq_rel);
  }
};

void run_round(read_stage& first, transform_stage& second, write_stage& third) {
  using mode = tbb::filter_mode;
  const auto read = [&](tbb::flow_control& control) {
    const tsan_fence fence;
    line_block* const block = first.next();
    if (block == nullptr) control.stop();
    return block;
  };
  const auto transform = [&](line_block* block) {
    const tsan_fence fence;
    second.transform(*block);
    return block;
  };
  const auto write = [&](line_block* block) {
    const tsan_fence fence;
    third.write(*block);
  };
  const tsan_fence fence;
  tbb::parallel_pipeline(first.in_flight(), tbb::make_filter<void, line_block*>(mode::serial_in_order, read) &
                                                tbb::make_filter<line_block*, line_block*>(mode::parallel, transform) &
                                                tbb::make_filter<line_block*, void>(mode::serial_in_order, write));
}

each_line_progress run(line_job& job, const line_transform_maker& make) {
  read_stage first{job};
  transform_stage second{job, make};
  write_stage third{job};
  // All places are for threads that are started here.
  const auto threads = static_cast<int>(job.sizes.threads);
  tbb::task_arena arena{threads, static_cast<unsigned>(threads)};
  arena.initialize();  // where this fails, oneTBB waits for ever at the next try: only the caller may catch it
  const tsan_fence fence;
  const line_helpers helpers{arena, job.sizes.threads - 1};
  arena.execute([&] {
    while (!first.ended()) run_round(first, second, third);
  });
  return job.progress.finish();
}

}  // namespace

each_line_progress transform_files(std::span<const file_pair> files, const line_transform_maker& make,
                                   const each_line_options& options) {
  check_files(files, options);
  line_job job{.files = files, .options = options, .sizes = choose_sizes(options)};
  return run(job, make);
}

each_line_progress transform_stream(reader& in, writer& out, const line_transform_maker& make,
                                    const each_line_options& options) {
  check_streams(in, out);
  line_job job{.in = &in, .out = &out, .options = options, .sizes = choose_sizes(options)};
  return run(job, make);
}

}  // namespace detail

line_error::line_error(const std::filesystem::path& path, std::uint64_t line, std::string_view reason)
    : std::runtime_error{detail::describe(path, line, reason)}, path_{path}, line_{line} {}

}  // namespace freshet
