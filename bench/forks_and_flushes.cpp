// Measures what a file costs whose position a fork made common property, and one that is flushed every 8 KiB, beside
// std::ofstream. Each way writes a new file of 1 GiB in records of 100 bytes, in a process of its own; the ways of a
// round take turns, in an order that changes. The table has the median, least and greatest of all rounds, and of the
// ratio to freshet::ofstream in the same round; its second row shows what chance does.
//   FRESHET_PROFILE=none FRESHET_BENCH_DIR=. bench_forks_and_flushes [ROUNDS [REST]]      (default: 7, of 8 GiB each)
// After REST seconds (default: 0) a virtual machine's host may have taken the memory of the file before back.
#include <freshet/stream.hpp>
#include <freshet/writer.hpp>

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "scratch_directory.hpp"

namespace {

constexpr std::uint64_t file_size = std::uint64_t{1} << 30;
constexpr std::uint64_t forks_after = std::uint64_t{1} << 20;
constexpr std::size_t few = 8192;

void fork_once() {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(0);
  if (child < 0 || ::waitpid(child, nullptr, 0) != child) throw std::runtime_error{"cannot fork"};
}

template <typename Out>
void write_records(Out& out, bool forks = false) {
  const std::string record(99, 'r');
  for (std::uint64_t done = 0; done < file_size; done += record.size() + 1) {
    out.write(record.data(), static_cast<std::streamsize>(record.size()));
    out.put('\n');
    if (forks && done >= forks_after) forks = false, fork_once();
  }
}

template <typename Stream>
void write_stream(Stream out, bool forks = false) {
  write_records(out, forks);
  out.close();
  if (!out) throw std::runtime_error{"cannot write"};
}

void write_writer(const std::string& path, const freshet::writer_options& options) {
  freshet::writer out{path, options};
  const std::string record = std::string(99, 'r') + '\n';
  for (std::uint64_t done = 0; done < file_size; done += record.size()) out.write(record);
  out.close();
}

struct way {
  const char* name;
  std::function<void(const std::string&)> write;
};

const std::array<way, 8> ways = {{
    {"`freshet::ofstream`", [](const auto& path) { write_stream(freshet::ofstream{path}); }},
    {"the same again", [](const auto& path) { write_stream(freshet::ofstream{path}); }},
    {"the same, which forks after 1 MiB", [](const auto& path) { write_stream(freshet::ofstream{path}, true); }},
    {"the same, `flush_every` 8 KiB",
     [](const auto& path) {
       write_stream(freshet::ofstream{path, {.flush_every = few}});
     }},
    {"`freshet::writer`", [](const auto& path) { write_writer(path, {}); }},
    {"the same, `flush_every` 8 KiB", [](const auto& path) { write_writer(path, {.flush_every = few}); }},
    {"`std::ofstream`", [](const auto& path) { write_stream(std::ofstream{path}); }},
    {"the same, which forks after 1 MiB", [](const auto& path) { write_stream(std::ofstream{path}, true); }},
}};

struct cost {
  double wall, cpu;
};

cost measure(const way& one, int rest) {
  const std::string path = freshet::bench::scratch() / "file";
  std::filesystem::remove(path);
  std::this_thread::sleep_for(std::chrono::seconds{rest});
  const auto begin = std::chrono::steady_clock::now();
  const pid_t child = ::fork();
  if (child == 0) {
    try {
      one.write(path);
    } catch (...) {
      ::_exit(1);
    }
    ::_exit(0);
  }
  int status = -1;
  rusage used{};
  if (child < 0 || ::wait4(child, &status, 0, &used) != child || status != 0)
    throw std::runtime_error{std::string{"cannot write by "} + one.name};
  const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - begin;
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
  };
  return {wall.count(), seconds(used.ru_utime) + seconds(used.ru_stime)};
}

std::string range(std::vector<double> values) {
  std::ranges::sort(values);
  std::array<char, 64> text;
  std::snprintf(text.data(), text.size(), "%.2f (%.2f-%.2f)", values[values.size() / 2], values.front(), values.back());
  return text.data();
}

}  // namespace

int main(int count, char** words) {
  const int rounds = std::max(count > 1 ? std::atoi(words[1]) : 7, 1);
  const int rest = count > 2 ? std::atoi(words[2]) : 0;
  std::array<std::vector<double>, ways.size()> wall, cpu, ratio;
  for (int round = 0; round < rounds; ++round) {
    std::array<cost, ways.size()> costs{};
    for (std::size_t turn = 0; turn < ways.size(); ++turn) {
      const std::size_t which = (static_cast<std::size_t>(round) * 3 + turn) % ways.size();
      costs[which] = measure(ways[which], rest);
    }
    for (std::size_t each = 0; each < ways.size(); ++each) {
      wall[each].push_back(costs[each].wall);
      cpu[each].push_back(costs[each].cpu);
      ratio[each].push_back(costs[each].wall / costs[0].wall);
    }
    std::fprintf(stderr, "round %d of %d\n", round + 1, rounds);
  }
  std::puts("| way | seconds to close | CPU seconds | time : `freshet::ofstream` |\n|---|---|---|---|");
  for (std::size_t each = 0; each < ways.size(); ++each)
    std::printf("| %s | %s | %s | %s |\n", ways[each].name, range(wall[each]).c_str(), range(cpu[each]).c_str(),
                range(ratio[each]).c_str());
}
