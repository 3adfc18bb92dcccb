#include <freshet/each_line.hpp>

#include <tbb/global_control.h>
#include <tbb/info.h>
#include <tbb/parallel_pipeline.h>
#include <tbb/task_arena.h>

#include <atomic>
#include <optional>
#include <string>

#include "src/each_line/fetching.hpp"
#include "src/each_line/line_block.hpp"
#include "src/each_line/putting.hpp"
#include "src/each_line/treating.hpp"

namespace freshet {
namespace {

std::string describe(const std::filesystem::path& path, std::uint64_t line, std::string_view reason) {
  std::string text = "line " + std::to_string(line);
  if (!path.empty()) text.append(" of '").append(path.string()).append("'");
  return text.append(": ").append(reason);
}

}  // namespace

line_error::line_error(const std::filesystem::path& path, std::uint64_t line, std::string_view reason)
    : std::runtime_error{describe(path, line, reason)}, path_{path}, line_{line} {}

}  // namespace freshet

namespace freshet::detail {
namespace {

// What is done before one of them begins or ends is seen after the next one does. oneTBB sees to that, too, but unseen
// by the thread sanitizer, with which it is not built; beside a block of lines this costs nothing.
class handover {
 public:
  handover() noexcept { meet(); }
  handover(const handover&) = delete;
  handover& operator=(const handover&) = delete;
  ~handover() { meet(); }

 private:
  static void meet() noexcept {
    static std::atomic<unsigned> met = 0;
    met.fetch_add(1, std::memory_order_acq_rel);
  }
};

void run_round(fetching& first, treating& second, putting& third) {
  using mode = tbb::filter_mode;
  const auto fetch = [&](tbb::flow_control& control) {
    const handover here;
    line_block* const block = first.next();
    if (block == nullptr) control.stop();
    return block;
  };
  const auto treat = [&](line_block* block) {
    const handover here;
    second.treat(*block);
    return block;
  };
  const auto put = [&](line_block* block) {
    const handover here;
    third.put(*block);
  };
  const handover here;
  tbb::parallel_pipeline(first.in_flight(), tbb::make_filter<void, line_block*>(mode::serial_in_order, fetch) &
                                                tbb::make_filter<line_block*, line_block*>(mode::parallel, treat) &
                                                tbb::make_filter<line_block*, void>(mode::serial_in_order, put));
}

each_line_progress run(line_job& job, const treatment_maker& make) {
  fetching first{job};
  treating second{job, make};
  putting third{job};
  // oneTBB starts no more threads than there are processors, unless it is told to. Never told fewer, for that would
  // hold for the whole program.
  const unsigned threads = job.sizes.threads;
  std::optional<tbb::global_control> more;
  if (threads > static_cast<unsigned>(tbb::info::default_concurrency()))
    more.emplace(tbb::global_control::max_allowed_parallelism, threads);
  tbb::task_arena arena{static_cast<int>(threads)};
  const handover here;
  arena.execute([&] {
    while (!first.ended()) run_round(first, second, third);
  });
  return third.finish();
}

}  // namespace

each_line_progress treat_files(std::span<const file_pair> files, const treatment_maker& make,
                               const each_line_options& options) {
  line_job job{.files = files, .options = options, .sizes = sizes_for(options)};
  return run(job, make);
}

each_line_progress treat_stream(reader& in, writer& out, const treatment_maker& make,
                                const each_line_options& options) {
  line_job job{.in = &in, .out = &out, .options = options, .sizes = sizes_for(options)};
  return run(job, make);
}

}  // namespace freshet::detail
