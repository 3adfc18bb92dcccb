// Reads a line, transforms it, writes it, and so on.
#include <string>

#include "lab/encrypt/line_streams.hpp"
#include "lab/encrypt/workers.hpp"

namespace freshet::tool {
namespace {

template <typename Input, typename Output>
void stream(const input_file& file, line_worker& worker) {
  line_source<Input> in{worker.job(), file};
  line_target<Output> out{worker.job(), file};
  std::string line;
  while (in.next(line)) {
    worker.throw_if_stopped();
    const std::string_view result = worker.transform(line, in.has_end(), in.place());
    out.write(result);
    worker.count(line.size() + (in.has_end() ? 1 : 0), result.size());
  }
  in.close();
  out.publish();
}

}  // namespace

void encrypt_streaming(const encryption_job& job, encryption_progress& done) {
  if (job.plan.streams == stream_kind::std)
    process_lists(job, done, stream<std::ifstream, std::ofstream>);
  else
    process_lists(job, done, stream<freshet::ifstream, freshet::ofstream>);
}

}  // namespace freshet::tool
