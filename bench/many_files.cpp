// One job with many files, by std's streams or freshet's; bench/many_files.sh compares the two.
//
// usage: bench_many_files std|freshet open|write|read COUNT DIRECTORY
//   open   COUNT files open at once, 1 MB written to each, 1000 bytes at a time in turn
//   write  COUNT files of 4 bytes, one after the other
//   read   COUNT times one file of 4 bytes
// Prints the CPU seconds and the peak of its memory in MiB.
#include <freshet/stream.hpp>

#include <sys/resource.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace {

template <typename Output>
void write_to_many(const std::filesystem::path& directory, std::size_t count) {
  const std::string piece(1000, 'x');
  std::vector<Output> files;
  files.reserve(count);
  for (std::size_t i = 0; i < count; ++i) files.emplace_back(directory / std::to_string(i));
  for (int round = 0; round < 1000; ++round)
    for (auto& each : files) each.write(piece.data(), static_cast<std::streamsize>(piece.size()));
  for (auto& each : files) {
    each.close();
    if (!each) throw std::runtime_error{"a file could not be written"};
  }
}

template <typename Output>
void write_small(const std::filesystem::path& directory, std::size_t count) {
  const std::string name = directory / "file";
  for (std::size_t i = 0; i < count; ++i) Output{name} << "abcd";
}

template <typename Input>
void read_small(const std::filesystem::path& directory, std::size_t count) {
  const std::string name = directory / "file";
  std::ofstream{name} << "abcd";
  for (std::size_t i = 0; i < count; ++i) {
    std::string text;
    Input{name} >> text;
    if (text != "abcd") throw std::runtime_error{"wrong content"};
  }
}

template <typename Output, typename Input>
void run(std::string_view job, const std::filesystem::path& directory, std::size_t count) {
  if (job == "open") return write_to_many<Output>(directory, count);
  if (job == "write") return write_small<Output>(directory, count);
  if (job == "read") return read_small<Input>(directory, count);
  throw std::runtime_error{"the jobs are open, write and read"};
}

double seconds(const timeval& time) {
  return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
}

}  // namespace

int main(int count, char** words) try {
  if (count != 5) throw std::runtime_error{"usage: bench_many_files std|freshet open|write|read COUNT DIRECTORY"};
  const auto files = std::strtoul(words[3], nullptr, 10);
  if (std::string_view{words[1]} == "std")
    run<std::ofstream, std::ifstream>(words[2], words[4], files);
  else
    run<freshet::ofstream, freshet::ifstream>(words[2], words[4], files);
  rusage used{};
  ::getrusage(RUSAGE_SELF, &used);
  std::printf("%.3f %ld\n", seconds(used.ru_utime) + seconds(used.ru_stime), used.ru_maxrss / 1024);
} catch (const std::exception& failure) {
  std::fprintf(stderr, "%s\n", failure.what());
  return 1;
}
