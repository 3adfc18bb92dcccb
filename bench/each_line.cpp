// Compares freshet::each_line with what it replaces, on a cached file of 1 GiB with lines of 1000 characters: functions
// that cost nothing with `wc -l` and then `cp` of the file, and OpenSSL's Base64 of each line with a loop over
// std::getline that writes to a std::ofstream. Each round runs all of them in random order, each into a new file.
// Prints the median and the spread of the seconds of each, and how many times as fast as its peer it is.
//   [ROUNDS=9] [THREADS=0] [FRESHET_BENCH_DIR=.] bench_each_line
#include <fmt/format.h>
#include <openssl/evp.h>
#include <freshet/each_line.hpp>
#include <freshet/writer.hpp>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <random>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "scratch_directory.hpp"

namespace {

using freshet::line_sink;
using freshet::bench::scratch;

constexpr std::size_t file_size = std::size_t{1} << 30;
constexpr std::size_t line_length = 1000;

const std::filesystem::path& in() {
  static const auto path = scratch() / "in";
  return path;
}
const std::filesystem::path& out() {
  static const auto path = scratch() / "out";
  return path;
}

unsigned setting(const char* name, unsigned fallback) {
  const char* const value = std::getenv(name);
  return value != nullptr ? static_cast<unsigned>(std::stoul(value)) : fallback;
}

void make_input() {
  freshet::writer file{in(), {.method = "buffered"}};
  std::mt19937_64 random{1};
  std::string line(line_length, '\n');
  while (file.tell() + line_length <= file_size) {
    for (std::size_t at = 0; at + 1 < line_length; ++at) line[at] = static_cast<char>(' ' + random() % 95);
    for (int copies = 0; copies < 100; ++copies) file.write(line);
  }
  file.close();
}

void unchanged(std::string_view line, line_sink& to) { to.write_line(line); }
void nothing(std::string_view /*line*/, line_sink& /*to*/) {}

// Returns how many characters it writes to `to`, which must have room for one more.
std::size_t encode(std::string_view line, char* to) {
  return static_cast<std::size_t>(EVP_EncodeBlock(reinterpret_cast<unsigned char*>(to),
                                                  reinterpret_cast<const unsigned char*>(line.data()),
                                                  static_cast<int>(line.size())));
}
constexpr std::size_t encoded_length(std::size_t length) { return (length + 2) / 3 * 4; }

void base64(std::string_view line, line_sink& to) {
  const auto room = to.room(encoded_length(line.size()) + 1);
  const std::size_t length = encode(line, room.data());
  room[length] = '\n';
  to.advance(length + 1);
}

template <typename Function>
void by_each_line(const Function& function) {
  freshet::each_line(in(), out(), function, {.threads = setting("THREADS", 0)});
}

void base64_by_getline() {
  std::ifstream from{in(), std::ios::binary};
  std::ofstream to{out(), std::ios::binary};
  std::string room;
  for (std::string line; std::getline(from, line);) {
    room.resize(encoded_length(line.size()) + 1);
    const std::size_t length = encode(line, room.data());
    room[length] = '\n';
    to.write(room.data(), static_cast<std::streamsize>(length + 1));
  }
  to.close();
  if (!to) throw std::runtime_error{"cannot write"};
}

void wc_and_cp() {
  const auto command = fmt::format("wc -l '{0}' >/dev/null && cp '{0}' '{1}'", in().string(), out().string());
  if (std::system(command.c_str()) != 0) throw std::runtime_error{command};
}

struct way {
  std::string name;
  std::function<void()> run;
  std::size_t peer;  // index of the way it is compared with
  std::vector<double> seconds{};

  void measure() {
    std::filesystem::remove(out());
    const auto start = std::chrono::steady_clock::now();
    run();
    seconds.push_back(std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  }
};

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

// Compares each round with the same round of the peer.
std::vector<double> ratios(const way& own, const way& peer) {
  std::vector<double> result;
  for (std::size_t round = 0; round < own.seconds.size(); ++round)
    result.push_back(peer.seconds[round] / own.seconds[round]);
  return result;
}

std::string with_spread(const std::vector<double>& values) {
  const auto [least, most] = std::ranges::minmax(values);
  return fmt::format("{:5.2f} ({:.2f}-{:.2f})", median(values), least, most);
}

}  // namespace

int main() try {
  std::vector<way> ways{{"wc -l, cp", wc_and_cp, 0},
                        {"each_line, unchanged", [] { by_each_line(unchanged); }, 0},
                        {"each_line, nothing", [] { by_each_line(nothing); }, 0},
                        {"getline, Base64", base64_by_getline, 3},
                        {"each_line, Base64", [] { by_each_line(base64); }, 3}};
  make_input();
  std::vector<std::size_t> order{0, 1, 2, 3, 4};
  std::mt19937 random{std::random_device{}()};
  const unsigned rounds = setting("ROUNDS", 9);
  for (unsigned round = 0; round < rounds; ++round) {
    std::ranges::shuffle(order, random);
    for (const std::size_t next : order) ways[next].measure();
  }
  fmt::print("{:<22}{:<20}times as fast as\n", "", "seconds");
  for (const way& each : ways)
    fmt::print("{:<22}{:<20}{} {}\n", each.name, with_spread(each.seconds), with_spread(ratios(each, ways[each.peer])),
               ways[each.peer].name);
} catch (const std::exception& failure) {
  std::fprintf(stderr, "bench_each_line: %s\n", failure.what());
  return 1;
}
