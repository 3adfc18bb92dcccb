#include "tool/workload/bytes_stdio.hpp"

#include <fmt/format.h>
#include <stdio_ext.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <numeric>
#include <span>
#include <system_error>
#include <utility>
#include <vector>

#include <freshet/error.hpp>
#include <freshet/stdio.hpp>

#include "tool/base/text.hpp"

namespace freshet::tool {

stdio_file::stdio_file(std::filesystem::path path, std::size_t buffer, const char* mode)
    : path_{std::move(path)}, buffer_(buffer), file_{std::fopen(path_.c_str(), mode)} {
  if (file_ == nullptr) fail("open");
  if (!buffer_.empty() && std::setvbuf(file_, buffer_.data(), _IOFBF, buffer_.size()) != 0) fail("set the buffer of");
}

stdio_file::~stdio_file() {
  if (file_ != nullptr) std::fclose(file_);
}

void stdio_file::fail(std::string_view operation) const {
  throw error{{errno, std::system_category()}, operation, path_};
}

std::string stdio_file::describe() const {
  return describe_stdio(__fbufsize(file_), __fsetlocking(file_, FSETLOCKING_QUERY) != FSETLOCKING_BYCALLER);
}

void stdio_file::close() {
  const bool failed = std::ferror(file_) != 0;
  if (std::fclose(std::exchange(file_, nullptr)) != 0) fail("close");
  if (failed) throw error{std::make_error_code(std::errc::io_error), "use", path_};
}

std::string describe_stdio(std::size_t buffer, bool locks) {
  return fmt::format("stdio with {}{}", format_size(buffer), locks ? "" : ", without locks");
}

byte_work end_stdio(stdio_file& file, byte_count done, std::size_t buffer, bool locks) {
  byte_work work{.done = done, .used = file.describe()};
  // A file of which nothing was written or read has no buffer yet.
  const std::size_t wanted = buffer == 0 || done.bytes == 0 ? __fbufsize(file.get()) : buffer;
  work.wanted = describe_stdio(wanted, locks);
  file.close();
  return work;
}

namespace {

constexpr auto put_by_fwrite = [](char byte, std::FILE* file) { return std::fwrite(&byte, 1, 1, file) == 1; };

constexpr auto get_by_fread = [](std::FILE* file) {
  unsigned char byte = 0;
  return std::fread(&byte, 1, 1, file) == 1 ? int{byte} : EOF;
};

constexpr auto get_by_fread_unlocked = [](std::FILE* file) {
  unsigned char byte = 0;
  return fread_unlocked(&byte, 1, 1, file) == 1 ? int{byte} : EOF;
};

byte_work write_tuned(const byte_job& job) {
  stdio_file file{job.path, job.buffer, "wb"};
  const std::size_t buffer = stdio_tune(file.get());
  return end_stdio(file, write_stdio(file, job.size, put_by_fwrite), buffer, false);
}

byte_work read_tuned(const byte_job& job) {
  stdio_file file{job.path, job.buffer, "rb"};
  const std::size_t buffer = stdio_tune(file.get());
  return end_stdio(file, read_stdio(file, get_by_fread), buffer, false);
}

constexpr std::size_t large_block = std::size_t{64} << 10;

byte_work write_blocks(const byte_job& job) {
  stdio_file file{job.path, job.buffer, "wb"};
  for_each_piece(job.size, [&](std::span<const unsigned char> piece) {
    while (!piece.empty()) {
      const auto part = piece.first(std::min(large_block, piece.size()));
      if (std::fwrite(part.data(), 1, part.size(), file.get()) != part.size()) file.fail("write");
      piece = piece.subspan(part.size());
    }
  });
  return end_stdio(file, {.bytes = job.size}, job.buffer);
}

byte_work read_blocks(const byte_job& job) {
  stdio_file file{job.path, job.buffer, "rb"};
  std::vector<unsigned char> memory(large_block);
  byte_count seen;
  while (const std::size_t length = std::fread(memory.data(), 1, large_block, file.get())) {
    seen.bytes += length;
    seen.sum = std::accumulate(memory.begin(), memory.begin() + static_cast<std::ptrdiff_t>(length), seen.sum);
    throw_if_interrupted();
  }
  return end_stdio(file, seen, job.buffer);
}

}  // namespace

std::vector<byte_way> stdio_ways() {
  return {
      stdio_writing("fwrite", put_by_fwrite),
      {"fwrite+tune", direction::write, buffer_choice::none, write_tuned},
      stdio_writing("fwrite_unlocked", [](char byte, std::FILE* to) { return fwrite_unlocked(&byte, 1, 1, to) == 1; }),
      stdio_writing("putc", [](char byte, std::FILE* to) { return std::putc(byte, to) != EOF; }),
      stdio_writing("putc_unlocked", [](char byte, std::FILE* to) { return putc_unlocked(byte, to) != EOF; }),
      {"fwrite-64K", direction::write, buffer_choice::any, write_blocks, true},
      stdio_reading("fread", get_by_fread),
      {"fread+tune", direction::read, buffer_choice::none, read_tuned},
      stdio_reading("fread_unlocked", get_by_fread_unlocked),
      stdio_reading("getc", [](std::FILE* from) { return std::getc(from); }),
      stdio_reading("getc_unlocked", [](std::FILE* from) { return getc_unlocked(from); }),
      {"fread-64K", direction::read, buffer_choice::any, read_blocks, true}};
}

}  // namespace freshet::tool
