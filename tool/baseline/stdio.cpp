#include <cstdio>
#include <span>
#include <string_view>

#include "tool/base/text.hpp"
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

// `buffer`: bytes; 0: the C library's own.
template <write_function Write>
amount write_into(const baseline_job& job, std::size_t buffer) {
  stdio_file file{job.path, buffer, job.keep_content ? "r+b" : "wb"};
  stdio_out<Write> out{file};
  const amount written = write_workload(out, job.content);
  file.close();
  return written;
}

}  // namespace

amount write_stdio(const baseline_job& job) { return write_into<std::fwrite>(job, job.buffer); }

// A tuned program, as `ofstream-tuned`, and with the same buffer.
amount write_stdio_unlocked(const baseline_job& job) {
  return write_into<fwrite_unlocked>(job, job.buffer == 0 ? default_block : job.buffer);
}

}  // namespace freshet::tool
