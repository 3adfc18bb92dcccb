// Read a line, treat it, write it, and so on.
#include <stdexcept>
#include <string>

#include "tool/encrypt/line_streams.hpp"
#include "tool/encrypt/workers.hpp"

namespace freshet::tool {
namespace {

template <typename Input, typename Output>
void stream(const input_file& file, line_worker& worker) {
  line_source<Input> in{worker.job(), file};
  line_target<Output> out{worker.target_of(file)};
  std::string line;
  while (in.next(line)) {
    worker.go_on();
    try {
      const std::string_view made = worker.treat(line, in.has_end());
      out.write(made);
      worker.count(line.size() + (in.has_end() ? 1 : 0), made.size());
    } catch (const std::invalid_argument& fault) {
      in.reject(fault.what());
    }
  }
  in.close();
  out.publish();
}

}  // namespace

void encrypt_streaming(const encryption_job& job, encryption_progress& done) {
  if (job.plan.streams == stream_kind::std)
    treat_lists(job, done, stream<std::ifstream, std::ofstream>);
  else
    treat_lists(job, done, stream<freshet::ifstream, freshet::ofstream>);
}

}  // namespace freshet::tool
