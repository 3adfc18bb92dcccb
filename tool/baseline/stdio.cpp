#include <cerrno>
#include <cstdio>
#include <memory>
#include <system_error>
#include <vector>

#include <freshet/error.hpp>

#include "tool/baseline/baseline.hpp"

namespace freshet::tool {
namespace {

// fwrite or fwrite_unlocked.
using write_function = std::size_t (*)(const void*, std::size_t, std::size_t, std::FILE*);

template <write_function Write>
class stdio_file {
 public:
  explicit stdio_file(const baseline_job& job)
      : path_{job.path}, buffer_(job.buffer), file_{std::fopen(path_.c_str(), job.keep_content ? "r+b" : "wb")} {
    if (!file_) fail("open");
    if (!buffer_.empty()) std::setvbuf(file_.get(), buffer_.data(), _IOFBF, buffer_.size());
  }

  void write(std::string_view text) { write(std::as_bytes(std::span{text})); }
  void write(std::span<const std::byte> bytes) {
    if (Write(bytes.data(), 1, bytes.size(), file_.get()) != bytes.size()) fail("write");
  }
  void close() {
    if (std::fclose(file_.release()) != 0) fail("close");
  }

 private:
  struct closer {
    void operator()(std::FILE* file) const noexcept { std::fclose(file); }
  };

  [[noreturn]] void fail(std::string_view operation) const {
    throw error{{errno, std::system_category()}, operation, path_};
  }

  std::filesystem::path path_;
  std::vector<char> buffer_;  // outlives the file that uses it
  std::unique_ptr<std::FILE, closer> file_;
};

using locked = stdio_file<std::fwrite>;
using unlocked = stdio_file<fwrite_unlocked>;

template <typename File>
amount write_into(const baseline_job& job) {
  File file{job};
  const amount written = write_workload(file, job.content);
  file.close();
  return written;
}

}  // namespace

amount write_stdio(const baseline_job& job) { return write_into<locked>(job); }
amount write_stdio_unlocked(const baseline_job& job) { return write_into<unlocked>(job); }

}  // namespace freshet::tool
