// A disk that becomes full at each phase of a file: the error arrives by close(), the file has what was written, and
// the space is given back.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <cstdint>
#include <fstream>
#include <string>
#include <vector>

#include "tests/support/mounted_image.hpp"
#include "tests/support/soak.hpp"
#include "tests/support/temporary_directory.hpp"
#include "tests/support/writing.hpp"
#include "tests/surroundings/surroundings.hpp"

namespace freshet::test {
namespace {

using std::filesystem::path;

constexpr std::uint64_t MiB = 1 << 20;

struct phase {
  const char* name;
  std::uint64_t left;   // bytes that are free
  std::uint64_t bytes;  // that are written
  std::uint64_t reserve = 0;
  bool flushes = true;
};
constexpr phase phases[] = {{"reservation", MiB, 1000, 8 * MiB}, {"first block", 0, 8 * MiB},
                            {"middle", 3 * MiB, 8 * MiB},        {"flush", 0, 1000},
                            {"close", 0, 1000, 0, false},        {"tail", MiB, MiB + 100}};

std::uint64_t free_bytes(const path& directory) {
  struct statvfs space {};
  const int opened = ::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  ::syncfs(opened);  // what is delayed has no place yet
  ::fstatvfs(opened, &space);
  ::close(opened);
  return std::uint64_t{space.f_bfree} * space.f_frsize;
}

// Leaves at most `left` bytes free.
void fill(const path& ballast, std::uint64_t left) {
  const int file = ::open(ballast.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  off_t length = 0;
  std::uint64_t free = free_bytes(ballast.parent_path());
  std::uint64_t wanted = free > left ? free - left : 0;
  while (wanted >= 512) {
    if (::fallocate(file, 0, length, static_cast<off_t>(wanted)) == 0) {
      length += static_cast<off_t>(wanted);
      free = free_bytes(ballast.parent_path());
      wanted = free > left ? std::min(wanted, free - left) : 0;
    } else {
      wanted /= 2;
    }
  }
  ::close(file);
}

// Writes one file; returns the first error.
std::error_code write_file(writer& out, const phase& one) {
  std::error_code error, at_close;
  const std::string bytes = bytes_from(0, one.bytes);
  for (std::size_t from = 0; from < bytes.size() && !error; from += 300'007)
    out.write(std::string_view{bytes}.substr(from, 300'007), error);
  if (!error && one.flushes) out.flush(error);
  out.close(at_close);
  return error ? error : at_close;
}

// Why the file is not what a full disk may leave; empty if it is.
std::string wrong_rest(const path& file, const writer_options& options, std::uint64_t written) {
  const bool is_hidden = options.hidden_until_closed || options.atomic;
  if (is_hidden) return std::filesystem::exists(file) ? "a hidden file is there" : "";
  const std::string content = content_of(file);
  if (content.size() != written) return "not as long as written_bytes() says";
  if (first_difference(content) != content.size()) return "other bytes than were written";
  struct stat status {};
  const bool is_known = ::stat(file.c_str(), &status) == 0;
  return is_known && static_cast<std::uint64_t>(status.st_blocks) * 512 > written + 64 * 1024 ? "keeps space" : "";
}

std::string try_phase(const path& file, const phase& one, const writer_options& options) {
  std::error_code error;
  std::uint64_t written = 0;
  bool is_open = false;
  {
    writer out{file, options, error};
    is_open = out.is_open();
    if (is_open) error = write_file(out, one);
    written = out.written_bytes();
  }
  if (!error) return "no error";
  if (error != std::errc::no_space_on_device) return "another error: " + error.message();
  if (std::string wrong = is_open ? wrong_rest(file, options, written) : ""; !wrong.empty()) return wrong;
  std::filesystem::remove(file);
  return entries_in(file.parent_path()) == 0 ? "" : "a name is left";
}

std::vector<writer_options> all_options(const path& directory) {
  std::vector<writer_options> all{{}};
  for (const way& each : working(all_ways(), directory))
    for (const bool is_hidden : {false, true}) {
      auto options = each.options();
      options.hidden_until_closed = is_hidden;
      all.push_back(options);
    }
  all.push_back({.durability = durability::each_write});
  all.push_back({.durability = durability::at_close});
  all.push_back({.atomic = true});
  all.push_back({.mode = open_mode::append});
  all.push_back({.caching = caching::drop});
  return all;
}

std::string label(const phase& one, const writer_options& options) {
  return std::string{one.name} + ", " + std::string{options.method} + (options.ordered ? "" : ", unordered") +
         (options.size_ahead ? ", size ahead" : "") + (options.hidden_until_closed ? ", hidden" : "") +
         (options.atomic ? ", atomic" : "") + ", mode " + std::to_string(static_cast<int>(options.mode)) + ": ";
}

std::string try_phases(const path& root) {
  const path directory = root / "place";
  std::filesystem::create_directory(directory);
  const auto options = sample(all_options(directory), 8);
  std::string faults;
  for (const phase& one : phases) {
    fill(root / "ballast", one.left);
    const std::uint64_t before = free_bytes(directory);
    for (writer_options each : options) {
      if (one.reserve != 0 && each.mode == open_mode::append) continue;  // then nothing is reserved
      each.reserve = one.reserve;
      if (const std::string wrong = try_phase(directory / "file", one, each); !wrong.empty())
        faults += label(one, each) + wrong + '\n';
      std::filesystem::remove(directory / "file");
      if (const std::uint64_t after = free_bytes(directory); after + 64 * 1024 < before)
        faults += label(one, each) + std::to_string(before - after) + " bytes are not given back\n";
    }
    std::filesystem::remove(root / "ballast");
  }
  return faults;
}

class full_disks : public testing::TestWithParam<std::string> {};

TEST_P(full_disks, are_reported_by_each_method_at_each_phase) {
  const temporary_directory scratch;
  std::ignore = sample_seed();
  const std::string faults = say_in_child([&] {
    const mounted_image mounted{scratch.path(), GetParam(), GetParam() == "xfs" ? 320 * MiB : 64 * MiB};
    return mounted.why_not().empty() ? try_phases(mounted.path()) : '?' + mounted.why_not();
  });
  if (faults.starts_with('?')) GTEST_SKIP() << faults.substr(1);
  EXPECT_EQ(faults, "");
}

INSTANTIATE_TEST_SUITE_P(all, full_disks, testing::Values("ext4", "xfs", "tmpfs"),
                         [](const auto& which) { return which.param; });

// Mounts tmpfs for one file, its root.
std::string mount_for_one_file(const path& where) {
  std::filesystem::create_directory(where);
  return ::mount("none", where.c_str(), "tmpfs", 0, "size=64M,nr_inodes=1") == 0 ? "" : "?mounting takes root";
}

TEST(full_directories, are_reported_by_open) {
  const temporary_directory scratch;
  const std::string faults = say_in_child([&] {
    std::string why_not = mount_for_one_file(scratch / "mounted");
    if (!why_not.empty()) return why_not;
    std::string wrong;
    for (const writer_options& each : all_options("/dev/shm")) {
      std::error_code error;
      const writer out{(scratch / "mounted") / "file", each, error};
      if (error != std::errc::no_space_on_device || entries_in(scratch / "mounted") != 0)
        wrong += label(phases[0], each) + error.message() + '\n';
    }
    return wrong;
  });
  if (faults.starts_with('?')) GTEST_SKIP() << faults.substr(1);
  EXPECT_EQ(faults, "");
}

}  // namespace
}  // namespace freshet::test
