// Measures programs that know their file as a std::ostream, with std::ofstream and freshet::ofstream beside each other.
// The three streams of a round, of which two are std's, write over files in the page cache, in an order that changes.
// The table has the median, least and greatest ratio of all rounds; std : std shows what chance does.
//   FRESHET_PROFILE=none FRESHET_BENCH_DIR=/dev/shm bench_through_ostream [ROUNDS]       (default: 15)
#include <freshet/stream.hpp>

#include <sys/resource.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

#include "scratch_directory.hpp"

namespace {

struct job {
  const char* name;
  std::function<void(std::ostream&)> write;
};

void write_rows(std::ostream& out) {
  const std::string customer = "Homer J. Simpson";
  for (int row = 0; row < 100'000; ++row)
    out << row << ',' << customer << ',' << row * 7919L % 100'000 << ",paid," << row * 0.25 << '\n';
}

void write_texts(std::ostream& out) {
  for (int row = 0; row < 400'000; ++row) {
    out << "some text" << ',';
    out.put('x');
    out.write("0123456789", 10);
  }
}

template <bool flushes>
void write_log(std::ostream& out) {
  for (int line = 0; line < 100'000; ++line) {
    out << "line " << line << " of the log\n";
    if (flushes) out.flush();
  }
}

const std::array<job, 4> jobs = {{{"rows of a csv file", write_rows},
                                  {"short texts", write_texts},
                                  {"lines of a log", write_log<false>},
                                  {"the same, flushed one by one", write_log<true>}}};

struct cost {
  double wall, cpu;
};

double cpu_seconds() {
  rusage used{};
  getrusage(RUSAGE_SELF, &used);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
  };
  return seconds(used.ru_utime) + seconds(used.ru_stime);
}

template <typename Stream, typename Mode>
cost measure(const job& one, const char* name, const Mode& mode) {
  // A file for each job: what later writes cost depends on how large the first ones were.
  const std::string path = freshet::bench::scratch() / (std::string{one.name} + " by " + name);
  std::ofstream{path, std::ios::app}.close();
  const auto begin = std::chrono::steady_clock::now();
  const double used = cpu_seconds();
  Stream out{path, mode};
  one.write(out);
  out.close();
  if (!out) throw std::runtime_error{"cannot write " + path};
  return {std::chrono::duration<double>{std::chrono::steady_clock::now() - begin}.count(), cpu_seconds() - used};
}

cost measure_std(const job& one, const char* name) {
  return measure<std::ofstream>(one, name, std::ios::in | std::ios::out);
}
cost measure_freshet(const job& one) {
  return measure<freshet::ofstream>(one, "freshet", freshet::writer_options{.mode = freshet::open_mode::overwrite});
}

void print(const char* of, std::vector<double> ratios) {
  std::ranges::sort(ratios);
  std::printf("  %s %.2f (%.2f-%.2f)", of, ratios[ratios.size() / 2], ratios.front(), ratios.back());
}

void compare(const job& one, int rounds) {
  std::vector<double> wall, cpu, wall_by_chance, cpu_by_chance;
  for (int round = 0; round < rounds; ++round) {
    std::array<cost, 3> costs{};
    for (int turn = 0; turn < 3; ++turn) {
      const int which = (round + turn) % 3;
      costs[static_cast<std::size_t>(which)] = which == 0   ? measure_std(one, "std")
                                               : which == 1 ? measure_std(one, "again")
                                                            : measure_freshet(one);
    }
    wall.push_back(costs[2].wall / costs[0].wall);
    cpu.push_back(costs[2].cpu / costs[0].cpu);
    wall_by_chance.push_back(costs[1].wall / costs[0].wall);
    cpu_by_chance.push_back(costs[1].cpu / costs[0].cpu);
  }
  std::printf("%-30s freshet : std", one.name);
  print("time", wall);
  print("CPU", cpu);
  std::printf("; std : std");
  print("time", wall_by_chance);
  print("CPU", cpu_by_chance);
  std::printf("\n");
}

}  // namespace

int main(int count, char** words) {
  const int rounds = count > 1 ? std::atoi(words[1]) : 15;
  for (const job& each : jobs) compare(each, std::max(rounds, 1));
}
