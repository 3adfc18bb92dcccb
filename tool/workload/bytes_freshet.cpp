// The files of this library, with the settings of the profile except for the block size.
#include <freshet/reader.hpp>
#include <freshet/stream.hpp>
#include <freshet/writer.hpp>

#include "tool/workload/bytes.hpp"

namespace freshet::tool {
namespace {

byte_count write_writer(const byte_job& job) {
  writer file{job.path, {.block = job.buffer}};
  const byte_count written = put_each(job.size, [&](char byte) { file.put(byte); });
  file.close();
  return written;
}

byte_count read_reader(const byte_job& job) {
  reader file{job.path, {.block = job.buffer}};
  const byte_count done = get_each([&] { return file.get(); });
  file.close();
  return done;
}

template <typename Stream>
void throw_failure(const Stream& file) {
  if (const auto& failure = file.last_error()) throw error{*failure};
}

byte_count write_stream(const byte_job& job) {
  ofstream file{job.path, writer_options{.block = job.buffer}};
  throw_failure(file);
  const byte_count done = put_each(job.size, [&](char byte) { file.put(byte); });
  file.close();
  throw_failure(file);
  return done;
}

byte_count read_stream(const byte_job& job) {
  ifstream file{job.path, reader_options{.block = job.buffer}};
  throw_failure(file);
  const byte_count done = get_each([&] { return file.get(); });
  throw_failure(file);
  return done;
}

}  // namespace

std::vector<byte_way> freshet_ways() {
  return {{"writer.put", direction::write, buffer_choice::blocks, write_writer},
          {"stream.put", direction::write, buffer_choice::blocks, write_stream},
          {"reader.get", direction::read, buffer_choice::blocks, read_reader},
          {"stream.get", direction::read, buffer_choice::blocks, read_stream}};
}

}  // namespace freshet::tool
