// Programs that call the system themselves: one call for each piece that they have.
#include <aio.h>
#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <span>
#include <string_view>
#include <system_error>
#include <utility>

#include <freshet/error.hpp>

#include "tool/baseline/baseline.hpp"

namespace freshet::tool {
namespace {

// A file that is written at its end.
class system_file {
 public:
  explicit system_file(const baseline_job& job)
      : path_{job.path},
        descriptor_{::open(job.path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC | (job.keep_content ? 0 : O_TRUNC), 0666)} {
    if (descriptor_ < 0) fail("open", errno);
  }
  system_file(const system_file&) = delete;
  system_file& operator=(const system_file&) = delete;
  ~system_file() {
    if (descriptor_ >= 0) ::close(descriptor_);
  }

  void close() {
    const int descriptor = std::exchange(descriptor_, -1);
    if (::close(descriptor) != 0) fail("close", errno);
  }

 protected:
  [[nodiscard]] int descriptor() const noexcept { return descriptor_; }
  [[noreturn]] void fail(const char* operation, int code) const {
    throw error{{code, std::system_category()}, operation, path_};
  }

 private:
  std::filesystem::path path_;
  int descriptor_;
};

class written_by_calls : public system_file {
 public:
  using system_file::system_file;

  void write(std::string_view text) { write(std::as_bytes(std::span{text})); }
  void write(std::span<const std::byte> bytes) {
    while (!bytes.empty()) {
      const ssize_t count = ::write(descriptor(), bytes.data(), bytes.size());
      if (count < 0 && errno == EINTR) continue;
      if (count <= 0) fail("write", count < 0 ? errno : EIO);
      bytes = bytes.subspan(static_cast<std::size_t>(count));
    }
  }
};

class written_by_aio : public system_file {
 public:
  using system_file::system_file;

  void write(std::string_view text) { write(std::as_bytes(std::span{text})); }
  void write(std::span<const std::byte> bytes) {
    while (!bytes.empty()) {
      const std::size_t count = write_once(bytes);
      offset_ += static_cast<off_t>(count);
      bytes = bytes.subspan(count);
    }
  }

 private:
  std::size_t write_once(std::span<const std::byte> bytes) {
    aiocb request = {};
    request.aio_fildes = descriptor();
    request.aio_offset = offset_;
    request.aio_buf = const_cast<std::byte*>(bytes.data());  // which aio_write() only reads
    request.aio_nbytes = bytes.size();
    if (::aio_write(&request) != 0) fail("write", errno);
    const aiocb* const waited = &request;
    int state = 0;
    while ((state = ::aio_error(&request)) == EINPROGRESS) ::aio_suspend(&waited, 1, nullptr);
    const ssize_t count = ::aio_return(&request);
    if (state != 0 || count <= 0) fail("write", state != 0 ? state : EIO);
    return static_cast<std::size_t>(count);
  }

  off_t offset_ = 0;
};

template <typename Out>
amount write_with(const baseline_job& job) {
  Out out{job};
  const amount written = write_workload(out, job.content);
  out.close();
  return written;
}

}  // namespace

amount write_by_calls(const baseline_job& job) { return write_with<written_by_calls>(job); }
amount write_by_aio(const baseline_job& job) { return write_with<written_by_aio>(job); }

}  // namespace freshet::tool
