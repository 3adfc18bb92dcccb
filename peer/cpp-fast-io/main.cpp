// fast_io: print() to an obuf_file, whose buffer has a fixed size.
#include <fast_io.h>
#include <fast_io_device.h>

#include <cerrno>
#include <string>

#include "content.hpp"
#include "peer.hpp"

namespace {

// fast_io's errors have a code, and no message that names the file.
[[noreturn]] void fail(std::string_view operation, const peer::job& job, const fast_io::error& failure) {
  errno = static_cast<int>(failure.code);
  peer::fail(operation, job.file);
}

fast_io::obuf_file open_file(const peer::job& job) try {
  return fast_io::obuf_file{job.file, fast_io::open_mode::out};
} catch (const fast_io::error& failure) {
  fail("open", job, failure);
}

void write_text(const peer::job& job) {
  auto out = open_file(job);
  try {
    std::uint64_t written = 0;
    for (std::uint64_t line = 1; written + peer::length_of(line) <= job.size; ++line) {
      fast_io::io::print(out, peer::tabs_of(line), peer::before_name, peer::name_of(line), peer::after_name);
      written += peer::length_of(line);
    }
    out.close();
  } catch (const fast_io::error& failure) {
    fail("write", job, failure);
  }
}

}  // namespace

int main(int count, char** words) { return peer::run(count, words, {.buffer = 0, .write_text = write_text}); }
