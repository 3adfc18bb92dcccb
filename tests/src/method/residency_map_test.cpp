// Where the bytes of a file were before it was read, though reading it changes that.
#include "src/method/residency_map.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <system_error>
#include <vector>

#include "src/os/file.hpp"
#include "tests/support/reading.hpp"
#include "tests/support/temporary_directory.hpp"

namespace freshet {
namespace {

using detail::residence;

constexpr std::size_t MiB = std::size_t{1} << 20;

// Where the device's read_ahead_kb is 8192, the kernel is up to 16 MiB ahead of a file that is read through the page
// cache.
TEST(a_residency_map, does_not_take_what_the_kernel_reads_ahead_for_what_was_there) {
  constexpr std::size_t size = 64 * MiB;
  constexpr std::size_t ahead = 16 * MiB;
  const test::temporary_directory directory;
  const auto path = directory / "file";
  test::make_file(path, size);
  std::error_code error;
  auto file = detail::os::file::open_existing(path, error);
  file.sync(error);
  file.advise(detail::os::advice::dont_need, 0, 0, error);
  if (file.cached(error).cached != 0) GTEST_SKIP() << "the file stays in the page cache here";
  file.advise(detail::os::advice::random, 0, 0, error);  // so that this test alone reads ahead
  detail::residency_map map{file, size};
  std::vector<std::byte> part(MiB);
  std::size_t in_memory = 0;
  for (std::size_t offset = 0; offset < size; offset += MiB / 4) {
    EXPECT_EQ(map.at(offset).where, residence::absent) << offset;
    for (; in_memory < std::min(offset + ahead, size); in_memory += MiB) file.read_at(part, in_memory, error);
  }
  EXPECT_EQ(map.at(0).where, residence::cached) << "read again, it is there";
}

}  // namespace
}  // namespace freshet
