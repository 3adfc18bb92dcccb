// Measures what options of files change, each against the way without it, and prints tables in Markdown.
//   bench_options CASE DIRECTORY ROUNDS [MIB [rest|freed]]
// The ways of a case take turns in every round, and a ratio is that of two trials of one round. MIB is the size of a
// file where the case has one. Each trial finds memory at rest, or some that was just freed, if that is asked for
// (doc/measurements/page-cache-memory.md). "once" needs root and the control groups of memory.
#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <random>
#include <stdexcept>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include <freshet/reader.hpp>
#include <freshet/writer.hpp>

#include "bench/trial_words.hpp"
#include "src/os/file.hpp"

namespace {

using namespace freshet;
using path = std::filesystem::path;

constexpr std::uint64_t MiB = std::uint64_t{1} << 20;

double seconds_now() {
  return std::chrono::duration<double>{std::chrono::steady_clock::now().time_since_epoch()}.count();
}

double processor_seconds() {
  struct rusage used {};
  ::getrusage(RUSAGE_SELF, &used);
  const auto in_seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
  };
  return in_seconds(used.ru_utime) + in_seconds(used.ru_stime);
}

void require(bool good, const char* what) {
  if (!good) throw std::runtime_error{what};
}

/// One way to do the work of a case.
struct way {
  std::string name;
  std::function<void()> work;           ///< what is timed
  std::function<std::string()> result;  ///< what else is to be seen afterwards
};

struct comparison {
  double amount = 1;      ///< of the unit that a trial moves
  std::string unit;       ///< per second
  std::vector<way> ways;  ///< the first is what the others are held against
  std::function<void()> before = [] {};
  std::uint64_t memory = 1024 * MiB;  ///< that its files may take
};

std::string median_and_range(std::vector<double> values, const char* format) {
  std::ranges::sort(values);
  const std::size_t half = values.size() / 2;
  const double median = values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
  std::string text;
  char number[32];
  for (const auto& [value, around] : {std::pair{median, " ("}, {values.front(), "-"}, {values.back(), ")"}}) {
    std::snprintf(number, sizeof number, format, value);
    text.append(number).append(around);
  }
  return text;
}

// What the memory held directly before a trial.
enum class memory { anything, at_rest, just_freed };

memory memory_named(std::string_view name) {
  if (name == "rest") return memory::at_rest;
  if (name == "freed") return memory::just_freed;
  throw std::runtime_error{"the state of memory must be rest or freed"};
}

// As another file of the same size would, but without the disk. More is not taken at once by any way.
void free_memory(std::uint64_t bytes) {
  const std::uint64_t touched = std::min(bytes, 2048 * MiB);
  std::ignore = std::string(touched, 'x');
}

void print(const comparison& measured, int rounds, memory state) {
  const std::size_t count = measured.ways.size();
  std::vector<std::vector<double>> rates(count), ratios(count), bills(count);
  std::vector<std::string> results(count);
  for (int round = 0; round < rounds; ++round) {
    for (std::size_t turn = 0; turn < count; ++turn) {
      const std::size_t index = (turn + static_cast<std::size_t>(round)) % count;
      measured.before();
      if (state == memory::just_freed) free_memory(measured.memory);
      const bench::backed_memory held{state == memory::at_rest};
      const double bill = processor_seconds();
      const double begin = seconds_now();
      measured.ways[index].work();
      rates[index].push_back(measured.amount / (seconds_now() - begin));
      bills[index].push_back(processor_seconds() - bill);
      if (measured.ways[index].result) results[index] = measured.ways[index].result();
    }
    for (std::size_t i = 0; i < count; ++i) ratios[i].push_back(rates[i].back() / rates[0].back());
  }
  std::printf("| way | %s | ratio | processor, s | afterwards |\n|---|---|---|---|---|\n", measured.unit.c_str());
  for (std::size_t i = 0; i < count; ++i)
    std::printf("| %s | %s | %s | %s | %s |\n", measured.ways[i].name.c_str(),
                median_and_range(rates[i], "%.0f").c_str(), median_and_range(ratios[i], "%.2f").c_str(),
                median_and_range(bills[i], "%.2f").c_str(), results[i].c_str());
}

std::string cached_of(const path& file) {
  std::error_code error;
  const auto residency = detail::os::file::open_existing(file.native(), error).cached(error);
  require(!error, "the page cache cannot be asked");
  return std::to_string(residency.cached * detail::os::page_size() / MiB) + " MiB in the page cache";
}

void forget(const path& file) {
  std::error_code error;
  auto open = detail::os::file::open_existing(file.native(), error);
  open.sync_data(error);
  open.advise(detail::os::advice::dont_need, 0, 0, error);
  require(!error, "the file cannot be dropped from the page cache");
}

void write(const path& file, std::uint64_t bytes, const writer_options& options) {
  static const std::string piece = [] {
    std::string text(4096, 'x');
    for (std::size_t i = 0; i < text.size(); ++i) text[i] = static_cast<char>(i * 131 + (i >> 5U));
    return text;
  }();
  writer out{file, options};
  for (std::uint64_t written = 0; written < bytes; written += piece.size()) out.write(piece);
  out.close();
}

std::uint64_t read(const path& file, const reader_options& options) {
  reader in{file, options};
  std::uint64_t sum = 0;
  for (auto bytes = in.view(4096); !bytes.empty(); bytes = in.view(4096)) sum += std::to_integer<unsigned>(bytes[0]);
  in.close();
  return sum;
}

comparison atomic_files(const path& directory) {
  constexpr int files = 2000;
  static const std::string content(4096, 'x');
  const auto name = [=](int number) { return directory / std::to_string(number); };
  const auto by_hand = [=] {
    const int parent = ::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    for (int i = 0; i < files; ++i) {
      const path hidden = directory / "hidden";
      const int file = ::open(hidden.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
      require(::write(file, content.data(), content.size()) == 4096 && ::fsync(file) == 0 && ::close(file) == 0,
              "write");
      require(::rename(hidden.c_str(), name(i).c_str()) == 0 && ::fsync(parent) == 0, "rename");
    }
    ::close(parent);
  };
  const auto by_library = [=] {
    for (int i = 0; i < files; ++i) {
      writer out{name(i), {.atomic = true}};
      out.write(content);
      out.close();
    }
  };
  const auto before = [=] {
    for (int i = 0; i < files; ++i) std::filesystem::remove(name(i));
    ::sync();
  };
  return {
      files, "files/s", {{"fsync, rename, fsync of the directory", by_hand, {}}, {"`atomic`", by_library, {}}}, before};
}

comparison written(const path& directory, std::uint64_t mib, durability until) {
  const path file = directory / "file";
  comparison result{static_cast<double>(mib * MiB) / 1e6, "MB/s", {}, [=] {
                      std::filesystem::remove(file);
                      ::sync();
                    }};
  const auto add = [&](std::string name, writer_options options) {
    options.durability = until;
    result.ways.push_back({std::move(name), [=] { write(file, mib * MiB, options); }, [=] { return cached_of(file); }});
  };
  if (until == durability::at_close) {
    add("method `writebehind`", {.method = "writebehind"});
    add("method `dontcache`", {.method = "dontcache"});
  } else {
    add("`caching::automatic`", {});
    add("`caching::keep`", {.caching = caching::keep});
  }
  add("`caching::drop`", {.caching = caching::drop});
  add("`caching::bypass`", {.caching = caching::bypass});
  return result;
}

comparison each_write(const path& directory, std::uint64_t mib) {
  const path file = directory / "file";
  comparison result{static_cast<double>(mib * MiB) / 1e6, "MB/s", {}, [=] { std::filesystem::remove(file); }};
  const auto add = [&](std::string name, writer_options options) {
    options.block = MiB;
    result.ways.push_back({std::move(name), [=] { write(file, mib * MiB, options); }, {}});
  };
  add("`durability::none`", {});
  add("`durability::at_close`", {.durability = durability::at_close});
  add("`durability::each_write`", {.durability = durability::each_write});
  add("`each_write`, `caching::bypass`", {.durability = durability::each_write, .caching = caching::bypass});
  return result;
}

comparison read_once(const path& directory, std::uint64_t mib, bool is_cached) {
  const path file = directory / "file";
  write(file, mib * MiB, {});
  comparison result{static_cast<double>(mib * MiB) / 1e6, "MB/s", {}, [=] {
                      forget(file);
                      if (is_cached) read(file, {.caching = caching::keep});
                    }};
  const auto add = [&](std::string name, const reader_options& options) {
    result.ways.push_back({std::move(name), [=] { read(file, options); }, [=] { return cached_of(file); }});
  };
  add("`caching::automatic`", {});
  add("`caching::keep`", {.caching = caching::keep});
  add("`caching::keep`, `access::once`", {.access = access::once, .caching = caching::keep});
  add("`caching::drop`", {.caching = caching::drop});
  add("`caching::bypass`", {.caching = caching::bypass});
  return result;
}

comparison read_anywhere(const path& directory, std::uint64_t mib) {
  constexpr int reads = 4000;
  const path file = directory / "file";
  write(file, mib * MiB, {});
  const auto jump = [=](const reader_options& options) {
    std::mt19937_64 random{1};
    reader in{file, options};
    for (int i = 0; i < reads; ++i) {
      in.seek(random() % (mib * MiB - 1000));
      require(in.view(1000).size() == 1000, "read");
    }
  };
  const auto left = [=] { return cached_of(file); };
  return {reads,
          "reads/s",
          {{"`access::sequential`", [=] { jump({}); }, left},
           {"`access::random`", [=] { jump({.access = access::random}); }, left}},
          [=] { forget(file); }};
}

// Whether a file that is used again and again stays in the page cache while others are read, in a control group with
// little memory.
comparison keep_others(const path& directory, std::uint64_t mib) {
  const bool is_first_version = std::filesystem::exists("/sys/fs/cgroup/memory");
  const path group = path{is_first_version ? "/sys/fs/cgroup/memory" : "/sys/fs/cgroup"} / "freshet-bench-options";
  std::filesystem::create_directory(group);
  std::ofstream{group / (is_first_version ? "memory.limit_in_bytes" : "memory.max")} << 256 * MiB << std::flush;
  std::ofstream{group / "cgroup.procs"} << ::getpid() << std::flush;
  const path used = directory / "used";
  const path file = directory / "file";
  write(used, 96 * MiB, {});
  write(file, mib * MiB, {});
  const auto prepare = [=] {
    forget(file);
    forget(used);
    for (int i = 0; i < 3; ++i) read(used, {.caching = caching::keep});
  };
  const auto left = [=] { return "of the other file, " + cached_of(used); };
  return {static_cast<double>(mib * MiB) / 1e6,
          "MB/s",
          {{"`access::sequential`", [=] { read(file, {.caching = caching::keep}); }, left},
           {"`access::once`", [=] { read(file, {.access = access::once, .caching = caching::keep}); }, left},
           {"`caching::drop`", [=] { read(file, {.caching = caching::drop}); }, left}},
          prepare};
}

comparison checksums(const path& directory, std::uint64_t mib) {
  const path file = directory / "file";
  const double bytes = static_cast<double>(mib * MiB) / 1e6;
  const auto nowhere = [=](checksum_algorithm sum) {
    return [=] { write(file, mib * MiB, {.method = "null", .checksum = sum}); };
  };
  return {bytes,
          "MB/s",
          {{"no checksum", nowhere(checksum_algorithm::none), {}}, {"`xxh3`", nowhere(checksum_algorithm::xxh3), {}}}};
}

comparison temporaries(const path& directory) {
  constexpr int files = 5000;
  static const std::string content(std::size_t{64} << 10, 'x');
  const auto by_hand = [=] {
    for (int i = 0; i < files; ++i) {
      std::string name = directory / "XXXXXX";
      const int file = ::mkstemp(name.data());
      require(file >= 0 && ::unlink(name.c_str()) == 0, "mkstemp");
      require(::write(file, content.data(), content.size()) == static_cast<ssize_t>(content.size()), "write");
      ::close(file);
    }
  };
  const auto by_library = [=](std::uint64_t memory) {
    return [=] {
      for (int i = 0; i < files; ++i) {
        writer out{directory, {.temporary = true, .temporary_memory = memory}};
        out.write(content);
        out.close();
      }
    };
  };
  return {files,
          "files/s",
          {{"mkstemp, unlink, write", by_hand, {}},
           {"`temporary`", by_library(64 * MiB), {}},
           {"`temporary`, no memory", by_library(0), {}}}};
}

comparison named(std::string_view name, const path& directory, std::uint64_t mib) {
  if (name == "atomic") return atomic_files(directory);
  if (name == "write") return written(directory, mib, durability::none);
  if (name == "write-to-disk") return written(directory, mib, durability::at_close);
  if (name == "each-write") return each_write(directory, mib);
  if (name == "read-cold") return read_once(directory, mib, false);
  if (name == "read-warm") return read_once(directory, mib, true);
  if (name == "read-anywhere") return read_anywhere(directory, mib);
  if (name == "once") return keep_others(directory, mib);
  if (name == "checksum") return checksums(directory, mib);
  if (name == "temporary") return temporaries(directory);
  throw std::runtime_error{"there is no such case"};
}

}  // namespace

int main(int count, char** words) try {
  if (count < 4) return std::fputs("usage: bench_options CASE DIRECTORY ROUNDS [MIB [rest|freed]]\n", stderr), 2;
  const path directory = path{words[2]} / "bench-options";
  std::filesystem::create_directory(directory);
  const std::uint64_t mib = count > 4 ? std::strtoull(words[4], nullptr, 10) : 1024;
  comparison measured = named(words[1], directory, mib);
  measured.memory = mib * MiB;
  print(measured, std::atoi(words[3]), count > 5 ? memory_named(words[5]) : memory::anything);
  std::filesystem::remove_all(directory);
} catch (const std::exception& caught) {
  std::fprintf(stderr, "%s\n", caught.what());
  return 1;
}
