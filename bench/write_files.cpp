// Writes files of text as a program does that forms a line from four pieces, and prints the seconds that each took
// until it was closed. adaptive.py runs it.
//   bench_write_files PATH MIB METHOD FILES THREADS [none|at_close|each_write [read]]
// writes PATH-T-N for each of THREADS threads and FILES files of MIB MiB one after another. METHOD may have a block in
// KiB and a depth ("uring:2048:2"); "auto" is the library's own choice. With `read`, it then reads each once, and
// prints the seconds that this took, too.
#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <future>
#include <string>
#include <string_view>
#include <system_error>
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

double processor_seconds() {
  rusage used{};
  getrusage(RUSAGE_SELF, &used);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
  };
  return seconds(used.ru_utime) + seconds(used.ru_stime);
}

void write_lines(writer& out, std::uint64_t bytes) {
  constexpr std::array<std::string_view, 6> names{
      "Jack",          "Justin Michel",    "Fred Flintstone",
      "Barney Rubble", "Homer J. Simpson", "John Jacob Jingleheimer Schmidt"};
  constexpr std::string_view tabs = "\t\t\t\t\t\t\t\t";
  constexpr std::string_view begin = "All work and no play makes ";
  constexpr std::string_view end = " a dull boy.\n";
  std::uint64_t written = 0;
  for (std::size_t number = 1; written < bytes; ++number) {
    const std::string_view name = names[number % names.size()];
    const std::string_view indent = tabs.substr(0, number % tabs.size());
    out.write(indent);
    out.write(begin);
    out.write(name);
    out.write(end);
    written += indent.size() + begin.size() + name.size() + end.size();
  }
}

std::string path_of(const job& of, unsigned thread, unsigned number) {
  return of.path + "-" + std::to_string(thread) + "-" + std::to_string(number);
}

std::string write_file(const std::string& path, const job& from) {
  const double begin = seconds_now();
  writer out{path, from.options};
  write_lines(out, from.bytes);
  out.close();
  const double seconds = seconds_now() - begin;
  const file_statistics statistics = out.statistics();
  std::array<char, 200> line{};
  std::snprintf(line.data(), line.size(), R"({"begin": %.6f, "seconds": %.6f, "changes": %llu, "log": ")", begin,
                seconds, static_cast<unsigned long long>(statistics.all_changes));
  return line.data() + describe(statistics) + "\"}";
}

// For all files one after another, by calls of 256 KiB, as adaptive.py reads what another process wrote.
double seconds_to_read(const job& written, unsigned threads) {
  const double begin = seconds_now();
  std::vector<char> buffer(256U << 10U);
  for (unsigned thread = 0; thread < threads; ++thread)
    for (unsigned number = 0; number < written.files; ++number) {
      const int file = ::open(path_of(written, thread, number).c_str(), O_RDONLY | O_CLOEXEC);
      if (file < 0) throw std::system_error{errno, std::generic_category(), "open"};
      while (::read(file, buffer.data(), buffer.size()) > 0) continue;
      ::close(file);
    }
  return seconds_now() - begin;
}

void write_files(const job& from, unsigned thread, std::vector<std::string>& lines) {
  for (unsigned number = 0; number < from.files; ++number)
    lines.push_back(write_file(path_of(from, thread, number), from));
}

durability durability_of(std::string_view name) {
  if (name == "none") return durability::none;
  if (name == "at_close") return durability::at_close;
  if (name == "each_write") return durability::each_write;
  std::fprintf(stderr, "bench_write_files: no durability '%s'\n", name.data());
  std::exit(2);
}

}  // namespace

int main(int count, char** words) try {
  if (count < 6) {
    std::fputs("usage: bench_write_files PATH MIB METHOD FILES THREADS [none|at_close|each_write [read]]\n", stderr);
    return 2;
  }
  job from{words[1], std::strtoull(words[2], nullptr, 10) << 20U, bench::options_from<writer_options>(words[3]),
           static_cast<unsigned>(std::atoi(words[4]))};
  from.options.durability = durability_of(count > 6 ? words[6] : "none");
  const auto threads = static_cast<unsigned>(std::atoi(words[5]));
  std::vector<std::vector<std::string>> lines(threads);
  std::vector<std::future<void>> running;
  const double begin = seconds_now();
  for (unsigned number = 0; number < threads; ++number)
    running.push_back(std::async(std::launch::async, [&, number] { write_files(from, number, lines[number]); }));
  for (auto& each : running) each.get();
  const double seconds = seconds_now() - begin;
  std::string reread;
  if (count > 7) reread = "\"reread\": " + std::to_string(seconds_to_read(from, threads)) + ", ";
  std::printf("{\"seconds\": %.6f, \"cpu\": %.3f, %s\"files\": [", seconds, processor_seconds(), reread.c_str());
  const char* separator = "";
  for (const auto& each : lines)
    for (const std::string& line : each) std::printf("%s%s", std::exchange(separator, ",\n"), line.c_str());
  std::printf("]}\n");
  return 0;
} catch (const std::exception& caught) {
  std::fprintf(stderr, "bench_write_files: %s\n", caught.what());
  return 1;
}
