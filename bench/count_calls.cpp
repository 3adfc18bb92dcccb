// Writes or reads a file in one way, for programs that count the system calls and the instructions of it:
//   bench_count_calls WAY FILE
// WAY: small (1,000 files), lines, bytes, read (64 MiB, which FILE has), log (100,000 lines appended, each flushed),
// records (appended, of 1,000 bytes), or the name of a method.
#include <freshet/reader.hpp>
#include <freshet/stream.hpp>
#include <freshet/writer.hpp>

#include <cstdio>
#include <exception>
#include <string>
#include <string_view>

namespace {

constexpr std::size_t MiB = std::size_t{1} << 20;

void write_small_files(const std::string& path) {
  for (int i = 0; i < 1'000; ++i) freshet::ofstream{path} << i << '\n';
}

void write_lines(const std::string& path) {
  freshet::ofstream out{path};
  for (int i = 0; i < 1'000'000; ++i) out << "line " << i << '\n';
}

void append_lines(const std::string& path) {
  freshet::ofstream out{path, std::ios::app};
  for (int i = 0; i < 100'000; ++i) out << "line " << i << '\n' << std::flush;
}

void append_records(const std::string& path) {
  freshet::writer out{path, {.mode = freshet::open_mode::append}};
  const std::string record(1'000, 'x');
  for (int i = 0; i < 100'000; ++i) out.write(record);
  out.close();
}

void write_bytes(const std::string& path) {
  freshet::writer out{path};
  for (std::size_t i = 0; i < 16 * MiB; ++i) out.put(static_cast<char>(i));
  out.close();
}

void read_all(const std::string& path) {
  std::string piece(MiB / 16, '\0');
  freshet::reader in{path};
  while (in.read(piece) != 0) {
  }
}

void write_by(std::string_view method, const std::string& path) {
  freshet::writer out{path, {.method = method, .block = MiB / 4}};
  const std::string piece(MiB, 'x');
  for (int i = 0; i < 64; ++i) out.write(piece);
  out.close();
}

void run(std::string_view way, const std::string& path) {
  if (way == "small") return write_small_files(path);
  if (way == "lines") return write_lines(path);
  if (way == "bytes") return write_bytes(path);
  if (way == "read") return read_all(path);
  if (way == "log") return append_lines(path);
  if (way == "records") return append_records(path);
  write_by(way, path);
}

}  // namespace

int main(int count, char** words) try {
  if (count != 3) {
    std::fputs("bench_count_calls WAY FILE\n", stderr);
    return 2;
  }
  run(words[1], words[2]);
} catch (const std::exception& failure) {
  std::fprintf(stderr, "%s\n", failure.what());
  return 1;
}
