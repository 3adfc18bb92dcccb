// Reads a whole file, transforms all of it, and writes all of it.
#include <fmt/format.h>

#include <string>
#include <vector>

#include "lab/encrypt/line_streams.hpp"
#include "lab/encrypt/workers.hpp"
#include "tool/base/text.hpp"
#include "tool/measure/memory.hpp"

namespace freshet::tool {
namespace {

// The memory holds all lines before and after. A system that overcommits memory would kill the program later.
void require_memory(const std::filesystem::path& path, std::uint64_t size) {
  constexpr std::uint64_t worth_asking = std::uint64_t{64} << 20;
  if (size < worth_asking) return;
  const std::uint64_t available = available_memory();
  if (available == 0 || size <= available / 2) return;
  throw error{std::make_error_code(std::errc::not_enough_memory), "hold", path, error::no_offset,
              fmt::format("buffering needs twice its size, {}, and {} are available; use another --strategy",
                          format_size(2 * size), format_size(available))};
}

template <typename Input>
std::vector<std::string> read_lines(line_source<Input>& in, const line_worker& worker) {
  std::vector<std::string> lines;
  std::string line;
  while (in.next(line)) {
    worker.throw_if_stopped();
    lines.push_back(line);
  }
  return lines;
}

template <typename Input>
void transform_lines(std::vector<std::string>& lines, const line_source<Input>& in, line_worker& worker) {
  std::uint64_t number = 0;
  std::uint64_t start = 0;
  for (std::string& line : lines) {
    worker.throw_if_stopped();
    const std::uint64_t length = line.size();
    const bool has_end = ++number < lines.size() || in.has_end();
    line = worker.transform(line, has_end, {in.path(), number, start});
    const std::uint64_t taken = length + (has_end ? 1 : 0);
    worker.count(taken, 0);
    start += taken;
  }
}

template <typename Input, typename Output>
void buffer(const input_file& file, line_worker& worker) {
  require_memory(worker.job().in / file.name, file.size);
  line_source<Input> in{worker.job(), file};
  std::vector<std::string> lines = read_lines(in, worker);
  transform_lines(lines, in, worker);
  in.close();
  line_target<Output> out{worker.job(), file};
  for (const std::string& line : lines) {
    worker.throw_if_stopped();
    out.write(line);
    worker.count(0, line.size());
  }
  out.publish();
}

}  // namespace

void encrypt_buffering(const encryption_job& job, encryption_progress& done) {
  if (job.plan.streams == stream_kind::std)
    process_lists(job, done, buffer<std::ifstream, std::ofstream>);
  else
    process_lists(job, done, buffer<freshet::ifstream, freshet::ofstream>);
}

}  // namespace freshet::tool
