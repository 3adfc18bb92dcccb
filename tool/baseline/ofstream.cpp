#include <cerrno>
#include <fstream>
#include <system_error>
#include <vector>

#include <freshet/error.hpp>

#include "tool/base/text.hpp"
#include "tool/baseline/baseline.hpp"
#include "tool/baseline/naive.hpp"

namespace freshet::tool {
namespace {

std::ios::openmode mode_for(const baseline_job& job) {
  // `out` alone empties the file; together with `in` it keeps its content.
  return job.keep_content ? std::ios::in | std::ios::out : std::ios::out;
}

// Streams do not say why they failed; the errno of the last system call usually does.
void check(const std::ofstream& out, std::string_view operation, const std::filesystem::path& path) {
  if (!out) throw error{{errno != 0 ? errno : EIO, std::system_category()}, operation, path};
}

class stream_file {
 public:
  /// Without `buffer`, the stream keeps its own.
  stream_file(const baseline_job& job, std::size_t buffer) : path_{job.path}, buffer_(buffer) {
    errno = 0;
    // libstdc++ takes a buffer only before open().
    if (buffer != 0) out_.rdbuf()->pubsetbuf(buffer_.data(), static_cast<std::streamsize>(buffer_.size()));
    out_.open(path_, mode_for(job) | std::ios::binary);
    check(out_, "open", path_);
  }

  void write(std::string_view text) {
    if (!out_.write(text.data(), static_cast<std::streamsize>(text.size()))) check(out_, "write", path_);
  }
  void write(std::span<const std::byte> bytes) { write({reinterpret_cast<const char*>(bytes.data()), bytes.size()}); }
  void close() {
    out_.close();
    check(out_, "close", path_);
  }

 private:
  std::filesystem::path path_;
  std::vector<char> buffer_;  // outlives the stream that uses it
  std::ofstream out_;
};

}  // namespace

amount write_ofstream_naive(const baseline_job& job) {
  errno = 0;
  std::ofstream out{job.path, mode_for(job)};
  check(out, "open", job.path);
  const amount written = write_text_naively(out, job.content.size);
  check(out, "write", job.path);
  out.close();
  check(out, "close", job.path);
  return written;
}

amount write_ofstream(const baseline_job& job) {
  stream_file file{job, job.buffer};
  const amount written = write_workload(file, job.content);
  file.close();
  return written;
}

amount write_ofstream_tuned(const baseline_job& job) {
  stream_file file{job, job.buffer == 0 ? default_block : job.buffer};
  const amount written = write_workload(file, job.content);
  file.close();
  return written;
}

}  // namespace freshet::tool
