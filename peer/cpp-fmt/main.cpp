// {fmt}: print() to an output_file().
#include <fcntl.h>
#include <fmt/os.h>

#include <filesystem>
#include <memory>
#include <system_error>

#include "content.hpp"
#include "peer.hpp"

namespace {

// fmt's own message does not name the file.
[[noreturn]] void fail(std::string_view operation, const peer::job& job, const std::system_error& failure) {
  errno = failure.code().value();
  peer::fail(operation, job.file);
}

std::unique_ptr<fmt::ostream> open(const peer::job& job) try {
  // In fmt 9, output_file() does not compile with both flags and a buffer size; the constructor that it calls does.
  fmt::detail::ostream_params how;
  how.oflag = fmt::file::WRONLY | (job.overwrite ? 0 : fmt::file::CREATE) | (job.write_through ? O_DSYNC : 0);
  if (!job.overwrite && !job.reserve) how.oflag |= fmt::file::TRUNC;
  how.buffer_size = job.buffer;
  return std::make_unique<fmt::ostream>(fmt::output_file(job.file.c_str(), how));
} catch (const std::system_error& failure) {
  fail("open", job, failure);
}

void print_lines(fmt::ostream& out, const peer::job& job) {
  std::uint64_t written = 0;
  for (std::uint64_t line = 1; written + peer::length_of(line) <= job.size; ++line) {
    out.print("{}All work and no play makes {} a dull boy.\n", peer::tabs_of(line), peer::name_of(line));
    written += peer::length_of(line);
  }
  out.close();
  // fmt does not detect short writes.
  if (std::filesystem::file_size(job.file) < written) throw std::system_error{ENOSPC, std::generic_category()};
  peer::cut(job, written);
}

void write_text(const peer::job& job) {
  if (job.reserve) peer::set_space_aside(job);
  auto out = open(job);
  try {
    print_lines(*out, job);
  } catch (const std::system_error& failure) {
    // Its destructor writes the rest, and terminates the program if that fails as well.
    static_cast<void>(out.release());
    fail("write", job, failure);
  }
}

}  // namespace

int main(int count, char** words) {
  return peer::run(
      count, words,
      {.buffer = 64 << 10, .reserve = true, .write_through = true, .overwrite = true, .write_text = write_text});
}
