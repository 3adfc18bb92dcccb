// The streams of the standard library.
#include <fstream>
#include <system_error>
#include <vector>

#include <freshet/error.hpp>

#include "lab/bytes/ways.hpp"

namespace freshet::tool {
namespace {

[[noreturn]] void fail(std::string_view operation, const byte_job& job) {
  throw error{std::make_error_code(std::errc::io_error), operation, job.path};
}

// Opens a stream or a filebuf with the job's buffer, which libstdc++ accepts only before the file is open.
template <typename File>
void open(File& file, std::filebuf& buffer, std::vector<char>& memory, const byte_job& job, std::ios::openmode mode) {
  if (!memory.empty() && buffer.pubsetbuf(memory.data(), static_cast<std::streamsize>(memory.size())) == nullptr)
    fail("set the buffer of", job);
  file.open(job.path, mode | std::ios::binary);
  if (!file.is_open()) fail("open", job);
}

byte_work write_ofstream(const byte_job& job) {
  std::vector<char> memory(job.buffer);
  std::ofstream file;
  open(file, *file.rdbuf(), memory, job, std::ios::out);
  const byte_count done = put_each(job.size, [&](char byte) { file.put(byte); });
  file.close();
  if (!file) fail("write", job);
  return {done};
}

byte_work write_filebuf(const byte_job& job) {
  std::vector<char> memory(job.buffer);
  std::filebuf file;
  open(file, file, memory, job, std::ios::out);
  const byte_count done = put_each(job.size, [&](char byte) {
    if (file.sputc(byte) == std::filebuf::traits_type::eof()) fail("write", job);
  });
  if (file.close() == nullptr) fail("close", job);
  return {done};
}

byte_work read_ifstream(const byte_job& job) {
  std::vector<char> memory(job.buffer);
  std::ifstream file;
  open(file, *file.rdbuf(), memory, job, std::ios::in);
  const byte_count done = get_each([&] { return file.get(); });
  if (file.bad()) fail("read", job);
  return {done};
}

byte_work read_filebuf(const byte_job& job) {
  std::vector<char> memory(job.buffer);
  std::filebuf file;
  open(file, file, memory, job, std::ios::in);
  return {get_each([&] { return file.sbumpc(); })};
}

}  // namespace

std::vector<byte_way> std_stream_ways() {
  return {{"ofstream.put", direction::write, buffer_choice::any, write_ofstream},
          {"filebuf.sputc", direction::write, buffer_choice::any, write_filebuf},
          {"ifstream.get", direction::read, buffer_choice::any, read_ifstream},
          {"filebuf.sbumpc", direction::read, buffer_choice::any, read_filebuf}};
}

}  // namespace freshet::tool
