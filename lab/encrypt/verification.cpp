// Reads what was written, and compares it with the input, encrypted once more.
#include <algorithm>
#include <span>
#include <string>
#include <vector>

#include <freshet/error.hpp>
#include <freshet/reader.hpp>

#include "lab/encrypt/line_streams.hpp"
#include "lab/encrypt/workers.hpp"

namespace freshet::tool {
namespace {

[[noreturn]] void throw_wrong(const std::filesystem::path& path, std::uint64_t offset) {
  throw error{std::make_error_code(std::errc::bad_message), "verify", path, offset,
              "it does not hold what its input becomes; remove it, and --resume makes it again"};
}

void verify_file(const input_file& file, line_worker& worker) {
  line_source<freshet::ifstream> in{worker.job(), file};
  const std::filesystem::path path = worker.target_of(file);
  reader out{path};
  std::string line;
  std::vector<char> held;
  std::uint64_t offset = 0;
  while (in.next(line)) {
    worker.throw_if_stopped();
    const std::string_view expected = worker.transform(line, in.has_end(), in.place());
    held.resize(expected.size());
    if (out.read(std::span{held}) != held.size() || !std::ranges::equal(held, expected)) throw_wrong(path, offset);
    offset += expected.size();
    worker.count(line.size() + (in.has_end() ? 1 : 0), 0);
  }
  if (out.size() != offset) throw_wrong(path, offset);
  in.close();
}

}  // namespace

void verify_output(const encryption_job& job, encryption_progress& done) { process_lists(job, done, verify_file); }

}  // namespace freshet::tool
