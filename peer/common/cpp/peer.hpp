// What all C++ peers share: the arguments, the protocol, and what streams cannot do themselves.
#pragma once

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <limits>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>

namespace peer {

// What to write, and how.
struct job {
  std::string file;
  std::uint64_t size = 0;
  std::size_t buffer = 0;
  bool reserve = false;
  bool write_through = false;
  bool no_cache = false;
  bool sequential = false;
  bool overwrite = false;
  std::string choice;  // the word given to this peer's own option
};

// The method that `closed` reports.
inline std::string method_at_work = "buffered";
inline void report_method(std::string_view method) { method_at_work = method; }

using write_function = void (*)(const job&);

// The options and workloads of a peer, and the functions that perform them.
struct abilities {
  std::optional<std::size_t> buffer = {};  // default of --buffer, 0: the library's own; empty: no such option
  bool reserve = false;
  bool write_through = false;
  bool no_cache = false;
  bool sequential = false;
  bool overwrite = false;
  std::string_view choice = {};              // this peer's own option, with its dashes; empty: none
  bool (*is_choice)(std::string_view) = {};  // whether the option takes that word; null: any word
  write_function write_text = nullptr;
  write_function write_bytes = nullptr;  // null: not this workload
};

// O_DIRECT needs addresses, lengths and offsets in multiples of this; it suffices for all current disks.
constexpr std::size_t alignment = 4096;

struct wrong_usage : std::runtime_error {
  using runtime_error::runtime_error;
};

// Exits with the reason in errno: cannot `operation` `file`.
[[noreturn]] inline void fail(std::string_view operation, const std::string& file) {
  // Streams do not say why they failed; errno of the last system call usually does.
  throw std::system_error{errno != 0 ? errno : EIO, std::generic_category(),
                          "cannot " + std::string{operation} + " " + file};
}

template <std::unsigned_integral Number>
Number number_from(std::string_view option, std::string_view word) {
  Number number = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
  if (error != std::errc{} || end != word.data() + word.size() || number > std::numeric_limits<std::int64_t>::max())
    throw wrong_usage{std::string{option} + " takes a number of bytes, not '" + std::string{word} + "'"};
  return number;
}

inline bool one_of(std::string_view option, std::string_view word, std::string_view yes, std::string_view no) {
  if (word != yes && word != no) throw wrong_usage{std::string{option} + " does not take '" + std::string{word} + "'"};
  return word == yes;
}

// Returns the workload's function.
inline write_function read_arguments(int count, char** words, const abilities& can, job& job) {
  bool bytes = false;
  bool sized = false;
  job.buffer = can.buffer.value_or(0);
  for (int i = 1; i < count; ++i) {
    const std::string_view option = words[i];
    const auto value = [&]() -> std::string_view {
      if (++i == count) throw wrong_usage{std::string{option} + " takes a value"};
      return words[i];
    };
    if (option == "--workload") {
      bytes = one_of(option, value(), "bytes", "text");
    } else if (option == "--file") {
      job.file = value();
    } else if (option == "--size") {
      job.size = number_from<std::uint64_t>(option, value());
      sized = true;
    } else if (option == "--target") {
      job.overwrite = one_of(option, value(), "overwrite", "new");
    } else if (option == "--buffer" && can.buffer) {
      job.buffer = number_from<std::size_t>(option, value());
      if (job.buffer == 0) throw wrong_usage{"--buffer must be at least 1"};
    } else if (option == "--reserve" && can.reserve) {
      job.reserve = true;
    } else if (option == "--write-through" && can.write_through) {
      job.write_through = true;
    } else if (option == "--no-cache" && can.no_cache) {
      job.no_cache = true;
    } else if (option == "--sequential" && can.sequential) {
      job.sequential = true;
    } else if (option == can.choice && !option.empty()) {
      job.choice = value();
      if (can.is_choice != nullptr && !can.is_choice(job.choice))
        throw wrong_usage{std::string{option} + " does not take '" + job.choice + "'"};
    } else {
      throw wrong_usage{"'" + std::string{option} + "' is unknown or not supported"};
    }
  }
  if (job.file.empty() || !sized) throw wrong_usage{"--file and --size must be given"};
  if (job.overwrite && !can.overwrite) throw wrong_usage{"--target overwrite is not supported"};
  if (job.no_cache && job.buffer % alignment != 0)
    throw wrong_usage{"past the cache, --buffer must be a multiple of " + std::to_string(alignment)};
  const write_function write = bytes ? can.write_bytes : can.write_text;
  if (write == nullptr) throw wrong_usage{"this workload is not supported"};
  return write;
}

// Prints a line of the protocol, and waits for one.
inline void meet(std::string_view line) {
  if (!(std::cout << line << std::endl)) fail("write to", "standard output");
  std::cin.ignore(std::numeric_limits<std::streamsize>::max(), '\n');
}

// Runs the peer. Returns the exit status.
inline int run(int count, char** words, const abilities& can) try {
  job job;
  const write_function write = read_arguments(count, words, can, job);
  meet("ready");
  write(job);
  meet("closed " + method_at_work);
  return 0;
} catch (const wrong_usage& wrong) {
  std::cerr << wrong.what() << std::endl;
  return 2;
} catch (const std::exception& failure) {
  std::cerr << failure.what() << std::endl;
  return 1;
}

// Removes what reserving or an older file left beyond the end of a closed file.
inline void cut(const job& job, std::uint64_t length) {
  if (job.reserve || job.overwrite) std::filesystem::resize_file(job.file, length);
}

// The standard's streams cannot reserve space, so this does it before they open the file.
inline void set_space_aside(const job& job) {
  const int file = ::open(job.file.c_str(), O_WRONLY | O_CLOEXEC | (job.overwrite ? 0 : O_CREAT | O_TRUNC), 0666);
  if (file == -1) fail("open", job.file);
  // posix_fallocate() returns its error instead of setting errno.
  if (job.size > 0 && (errno = ::posix_fallocate(file, 0, static_cast<off_t>(job.size))) != 0)
    fail("set space aside for", job.file);
  if (::close(file) != 0) fail("close", job.file);
}

// The mode to open a std::ofstream with.
inline std::ios::openmode prepare(const job& job) {
  if (job.reserve) set_space_aside(job);
  errno = 0;
  // With `in` and `out` a file is opened unchanged; with `out` alone it is emptied.
  return job.reserve || job.overwrite ? std::ios::in | std::ios::out : std::ios::out;
}

}  // namespace peer
