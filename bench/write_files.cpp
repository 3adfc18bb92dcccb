// Writes files as a program does that copies 4 KiB at a time into a writer, and prints the seconds that each took until
// it was closed. adaptive.py runs it.
//   bench_write_files PATH MIB METHOD FILES THREADS [at-rest]
// writes PATH-T-N for each of THREADS threads and FILES files of MIB MiB one after another. METHOD may have a block in
// KiB and a depth ("uring:2048:2"); "auto" is the library's own choice. With "at-rest", memory that the host backs is
// held, so that the files get other memory, as after some idle seconds of the whole machine.
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <freshet/statistics.hpp>
#include <freshet/writer.hpp>

#include "bench/trial_words.hpp"

namespace {

using namespace freshet;

struct job {
  std::string path;
  std::uint64_t bytes = 0;
  writer_options options;
  unsigned files = 1;
};

double seconds_now() {
  return std::chrono::duration<double>{std::chrono::steady_clock::now().time_since_epoch()}.count();
}

std::string write_file(const std::string& path, const job& from) {
  static const std::string piece = [] {
    std::string text(4096, 'x');
    for (std::size_t i = 0; i < text.size(); ++i) text[i] = static_cast<char>(i * 131 + (i >> 5U));
    return text;
  }();
  const double begin = seconds_now();
  writer out{path, from.options};
  for (std::uint64_t written = 0; written < from.bytes; written += piece.size()) out.write(piece);
  const file_statistics statistics = out.statistics();
  out.close();
  char line[200];
  std::snprintf(line, sizeof line, R"({"begin": %.6f, "seconds": %.6f, "changes": %llu, "log": ")", begin,
                seconds_now() - begin, static_cast<unsigned long long>(statistics.all_changes));
  return line + describe(statistics) + "\"}";
}

void write_files(const std::string& prefix, const job& from, std::vector<std::string>& lines) {
  for (unsigned number = 0; number < from.files; ++number)
    lines.push_back(write_file(prefix + "-" + std::to_string(number), from));
}

}  // namespace

int main(int count, char** words) {
  if (count < 6) return std::fputs("usage: bench_write_files PATH MIB METHOD FILES THREADS [at-rest]\n", stderr), 2;
  const job from{words[1], std::strtoull(words[2], nullptr, 10) << 20U, bench::options_from<writer_options>(words[3]),
                 static_cast<unsigned>(std::atoi(words[4]))};
  const auto threads = static_cast<unsigned>(std::atoi(words[5]));
  const bench::backed_memory held{count > 6};
  std::vector<std::vector<std::string>> lines(threads);
  std::vector<std::jthread> running;
  const double begin = seconds_now();
  for (unsigned number = 0; number < threads; ++number)
    running.emplace_back([&, number] { write_files(from.path + "-" + std::to_string(number), from, lines[number]); });
  running.clear();
  const double seconds = seconds_now() - begin;
  std::printf("{\"seconds\": %.6f, \"files\": [", seconds);
  const char* separator = "";
  for (const auto& each : lines)
    for (const std::string& line : each) std::printf("%s%s", std::exchange(separator, ",\n"), line.c_str());
  std::printf("]}\n");
}
