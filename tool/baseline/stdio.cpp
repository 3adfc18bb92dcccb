#include <cstdio>
#include <span>
#include <string_view>

#include "tool/baseline/baseline.hpp"
#include "tool/workload/bytes_stdio.hpp"

namespace freshet::tool {
namespace {

// fwrite or fwrite_unlocked.
using write_function = std::size_t (*)(const void*, std::size_t, std::size_t, std::FILE*);

template <write_function Write>
struct stdio_out {
  stdio_file& file;

  void write(std::string_view text) { write(std::as_bytes(std::span{text})); }
  void write(std::span<const std::byte> bytes) {
    if (Write(bytes.data(), 1, bytes.size(), file.get()) != bytes.size()) file.fail("write");
  }
};

template <write_function Write>
amount write_into(const baseline_job& job) {
  stdio_file file{job.path, job.buffer, job.keep_content ? "r+b" : "wb"};
  stdio_out<Write> out{file};
  const amount written = write_workload(out, job.content);
  file.close();
  return written;
}

}  // namespace

amount write_stdio(const baseline_job& job) { return write_into<std::fwrite>(job); }
amount write_stdio_unlocked(const baseline_job& job) { return write_into<fwrite_unlocked>(job); }

}  // namespace freshet::tool
