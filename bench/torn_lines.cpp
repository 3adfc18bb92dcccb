// Counts the lines that are torn where four processes write 100,000 of them each to one file, every line flushed:
//   bench_torn_lines WAY FILE
// WAY: std, stream or writer (files opened to append), fifo, or inherited (a stream that the processes share).
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <freshet/stream.hpp>
#include <freshet/writer.hpp>

#include <cstdio>
#include <exception>
#include <fstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace {

constexpr unsigned processes = 4;
constexpr unsigned lines_each = 100'000;

std::string line_of(unsigned process, unsigned number) {
  return std::string(std::size_t{75} + number % 26, static_cast<char>(0x61U + process));
}

void write_lines(std::ostream& out, unsigned process) {
  for (unsigned number = 0; number < lines_each; ++number) out << line_of(process, number) + '\n' << std::flush;
}

void write_lines(freshet::writer& out, unsigned process) {
  for (unsigned number = 0; number < lines_each; ++number) {
    out.write(line_of(process, number) + '\n');
    out.flush();
  }
  out.close();
}

template <typename Write>
std::vector<pid_t> start(Write write) {
  std::vector<pid_t> children;
  for (unsigned process = 0; process < processes; ++process) {
    children.push_back(fork());
    if (children.back() == 0) {
      write(process);
      _exit(0);
    }
  }
  return children;
}

void wait_for(const std::vector<pid_t>& children) {
  for (const pid_t child : children) {
    int status = 0;
    if (waitpid(child, &status, 0) != child || status != 0) throw std::runtime_error{"a process failed"};
  }
}

void report(std::istream& in) {
  unsigned lines = 0, torn = 0;
  for (std::string line; std::getline(in, line); ++lines)
    if (line.size() < 75 || line.size() > 100 || line.find_first_not_of(line[0]) != std::string::npos) ++torn;
  std::printf("%u lines, %u torn\n", lines, torn);
}

void write_by_all(std::string_view way, const std::string& path) {
  if (way == "inherited") {
    freshet::ofstream out{path};
    out << std::flush;
    return wait_for(start([&](unsigned process) { write_lines(out, process); }));
  }
  wait_for(start([&](unsigned process) {
    if (way == "std") {
      std::ofstream out{path, std::ios::app};
      write_lines(out, process);
    } else if (way == "stream") {
      freshet::ofstream out{path, std::ios::app};
      write_lines(static_cast<std::ostream&>(out), process);
    } else {
      freshet::writer out{path, {.mode = freshet::open_mode::append}};
      write_lines(out, process);
    }
  }));
}

void run(std::string_view way, const std::string& path) {
  unlink(path.c_str());
  if (way != "fifo") {
    write_by_all(way, path);
    std::ifstream in{path};
    return report(in);
  }
  if (mkfifo(path.c_str(), 0600) != 0) throw std::runtime_error{"no FIFO can be made"};
  const auto children = start([&](unsigned process) {
    freshet::ofstream out{path};
    write_lines(static_cast<std::ostream&>(out), process);
  });
  std::ifstream in{path};
  report(in);
  wait_for(children);
}

}  // namespace

int main(int count, char** words) try {
  if (count != 3) {
    std::fputs("bench_torn_lines WAY FILE\n", stderr);
    return 2;
  }
  run(words[1], words[2]);
} catch (const std::exception& failure) {
  std::fprintf(stderr, "%s\n", failure.what());
  return 1;
}
