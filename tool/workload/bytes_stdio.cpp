#include "tool/workload/bytes_stdio.hpp"

#include <cerrno>
#include <system_error>
#include <utility>

#include <freshet/error.hpp>
#include <freshet/stdio.hpp>

namespace freshet::tool {

stdio_file::stdio_file(const byte_job& job, const char* mode)
    : path_{job.path}, buffer_(job.buffer), file_{std::fopen(path_.c_str(), mode)} {
  if (file_ == nullptr) fail("open");
  if (!buffer_.empty() && std::setvbuf(file_, buffer_.data(), _IOFBF, buffer_.size()) != 0) fail("set the buffer of");
}

stdio_file::~stdio_file() {
  if (file_ != nullptr) std::fclose(file_);
}

void stdio_file::fail(std::string_view operation) const {
  throw error{{errno, std::system_category()}, operation, path_};
}

void stdio_file::close() {
  const bool failed = std::ferror(file_) != 0;
  if (std::fclose(std::exchange(file_, nullptr)) != 0) fail("close");
  if (failed) throw error{std::make_error_code(std::errc::io_error), "use", path_};
}

namespace {

bool put_by_fwrite(char byte, std::FILE* file) { return std::fwrite(&byte, 1, 1, file) == 1; }

int get_by_fread(std::FILE* file) {
  unsigned char byte = 0;
  return std::fread(&byte, 1, 1, file) == 1 ? byte : EOF;
}

byte_count write_tuned(const byte_job& job) {
  stdio_file file{job, "wb"};
  stdio_tune(file.get());
  return write_stdio(file, job.size, [](char byte, std::FILE* to) { return put_by_fwrite(byte, to); });
}

byte_count read_tuned(const byte_job& job) {
  stdio_file file{job, "rb"};
  stdio_tune(file.get());
  return read_stdio(file, [](std::FILE* from) { return get_by_fread(from); });
}

byte_count write_fwrite(const byte_job& job) {
  return write_stdio(job, [](char byte, std::FILE* file) { return put_by_fwrite(byte, file); });
}

byte_count write_fwrite_unlocked(const byte_job& job) {
  return write_stdio(job, [](char byte, std::FILE* file) { return fwrite_unlocked(&byte, 1, 1, file) == 1; });
}

byte_count write_putc(const byte_job& job) {
  return write_stdio(job, [](char byte, std::FILE* file) { return std::putc(byte, file) != EOF; });
}

byte_count write_putc_unlocked(const byte_job& job) {
  return write_stdio(job, [](char byte, std::FILE* file) { return putc_unlocked(byte, file) != EOF; });
}

byte_count read_fread(const byte_job& job) {
  return read_stdio(job, [](std::FILE* file) { return get_by_fread(file); });
}

byte_count read_fread_unlocked(const byte_job& job) {
  return read_stdio(job, [](std::FILE* file) {
    unsigned char byte = 0;
    return fread_unlocked(&byte, 1, 1, file) == 1 ? int{byte} : EOF;
  });
}

byte_count read_getc(const byte_job& job) {
  return read_stdio(job, [](std::FILE* file) { return std::getc(file); });
}

byte_count read_getc_unlocked(const byte_job& job) {
  return read_stdio(job, [](std::FILE* file) { return getc_unlocked(file); });
}

}  // namespace

std::vector<byte_way> stdio_ways() {
  return {{"fwrite", direction::write, buffer_choice::any, write_fwrite},
          {"fwrite+tune", direction::write, buffer_choice::none, write_tuned},
          {"fwrite_unlocked", direction::write, buffer_choice::any, write_fwrite_unlocked},
          {"putc", direction::write, buffer_choice::any, write_putc},
          {"putc_unlocked", direction::write, buffer_choice::any, write_putc_unlocked},
          {"fread", direction::read, buffer_choice::any, read_fread},
          {"fread+tune", direction::read, buffer_choice::none, read_tuned},
          {"fread_unlocked", direction::read, buffer_choice::any, read_fread_unlocked},
          {"getc", direction::read, buffer_choice::any, read_getc},
          {"getc_unlocked", direction::read, buffer_choice::any, read_getc_unlocked}};
}

}  // namespace freshet::tool
