// Limits of a process that are set after its start.
#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <system_error>
#include <vector>

#include <freshet/writer.hpp>

#include "tests/surroundings/surroundings.hpp"

namespace freshet::test {
namespace {

using std::filesystem::path;

bool set_limit(__rlimit_resource_t which, std::uint64_t value) {
  const rlimit wanted{value, value};
  return ::setrlimit(which, &wanted) == 0;
}

// Leaves so many descriptors to be opened, whatever is open.
bool limit_descriptors(std::uint64_t left) {
  std::vector<int> taken;
  while (taken.size() <= left) taken.push_back(::dup(STDERR_FILENO));
  const int first_refused = taken.back();
  for (const int each : taken) ::close(each);
  return first_refused >= 0 && set_limit(RLIMIT_NOFILE, static_cast<std::uint64_t>(first_refused));
}

// Leaves so many bytes of addresses.
bool limit_addresses(std::uint64_t left) {
  std::uint64_t pages = 0;
  std::ifstream{"/proc/self/statm"} >> pages;
  return pages != 0 && set_limit(RLIMIT_AS, pages * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE)) + left);
}

bool limit_size(std::uint64_t most) { return ::signal(SIGXFSZ, SIG_IGN) != SIG_ERR && set_limit(RLIMIT_FSIZE, most); }

struct limit {
  const char* name;
  bool (*set)(std::uint64_t);
  std::vector<std::uint64_t> values;
  made_surrounding made = {};
};

std::vector<limit> limits() {
  return {
      {"no_descriptors", limit_descriptors, {0}, {.may_refuse_open = true, .starves = true}},
      {"descriptors", limit_descriptors, {1, 2, 3, 4, 5}, {.starves = true}},
      {"file_size", limit_size, {0, 1, 4097, 1'000'001}, {.fate = data_fate::must_fail}},
      {"enough_file_size", limit_size, {(std::uint64_t{64} << 20) + 1}},
      {"addresses", limit_addresses, {70'001, 300'000, 1 << 20, (5 << 20) + 4097, (64 << 20) + 1}, {.starves = true}},
      {"threads", [](std::uint64_t most) { return set_limit(RLIMIT_NPROC, most); }, {0, 1}, {.is_of_nobody = true}},
      {"locked_memory",
       [](std::uint64_t most) { return set_limit(RLIMIT_MEMLOCK, most); },
       {0, 1, 65'537},
       {.is_of_nobody = true}},
  };
}

// The library keeps queues and memory for the next file.
void use_library(const path& directory) {
  const path file = directory / "used";
  std::error_code error;  // there may be no io_uring
  writer out{file, {.method = "uring"}, error};
  if (error) return;
  out.write(std::string(3 << 20, 'u'));
  out.close();
  std::filesystem::remove(file);
}

surrounding with(const limit& one, std::uint64_t value, bool after_use) {
  const auto make = [one, value, after_use](const path& scratch) {
    made_surrounding made = one.made;
    made.directory = scratch / "place";
    std::filesystem::create_directory(made.directory);
    made.limit = [one, value, after_use, directory = made.directory] {
      if (after_use) use_library(directory);
      return one.set(value);
    };
    return made;
  };
  return {std::string{one.name} + '_' + std::to_string(value) + (after_use ? "_after_use" : ""), make,
          one.made.is_of_nobody};
}

}  // namespace

std::vector<surrounding> small_limits() {
  std::vector<surrounding> all;
  for (const limit& each : limits()) {
    for (const std::uint64_t value : each.values) all.push_back(with(each, value, false));
    all.push_back(with(each, each.values.back(), true));
  }
  return all;
}

}  // namespace freshet::test
