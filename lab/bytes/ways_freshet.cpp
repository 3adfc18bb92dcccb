// The files of this library, with the settings of the profile except for the block size.
#include <freshet/reader.hpp>
#include <freshet/stream.hpp>
#include <freshet/writer.hpp>

#include <string>

#include "lab/bytes/ways.hpp"

namespace freshet::tool {
namespace {

// The profile chooses the method, so each is right.
template <typename File>
byte_work by_profile(const byte_count& done, File& file) {
  return {.done = done, .wanted = "auto", .used = std::string{file.method()}};
}

byte_work write_writer(const byte_job& job) {
  writer file{job.path, {.block = job.buffer}};
  byte_work work = by_profile(put_each(job.size, [&](char byte) { file.put(byte); }), file);
  file.close();
  return work;
}

byte_work read_reader(const byte_job& job) {
  reader file{job.path, {.block = job.buffer}};
  byte_work work = by_profile(get_each([&] { return file.get(); }), file);
  file.close();
  return work;
}

template <typename Stream>
void throw_failure(const Stream& file) {
  if (const auto& failure = file.last_error()) throw error{*failure};
}

byte_work write_stream(const byte_job& job) {
  ofstream file{job.path, writer_options{.block = job.buffer}};
  throw_failure(file);
  byte_work work = by_profile(put_each(job.size, [&](char byte) { file.put(byte); }), file);
  file.close();
  throw_failure(file);
  return work;
}

byte_work read_stream(const byte_job& job) {
  ifstream file{job.path, reader_options{.block = job.buffer}};
  throw_failure(file);
  const byte_count done = get_each([&] { return file.get(); });
  throw_failure(file);
  return by_profile(done, file);
}

}  // namespace

std::vector<byte_way> freshet_ways() {
  return {{"writer.put", direction::write, buffer_choice::blocks, write_writer},
          {"stream.put", direction::write, buffer_choice::blocks, write_stream},
          {"reader.get", direction::read, buffer_choice::blocks, read_reader},
          {"stream.get", direction::read, buffer_choice::blocks, read_stream}};
}

}  // namespace freshet::tool
