#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <cstring>
#include <utility>

#include "src/os/file.hpp"
#include "tests/support/temporary_directory.hpp"

namespace freshet::detail::os {
namespace {

TEST(os_memory, maps_memory_shared_with_the_file) {
  const test::temporary_directory directory;
  std::error_code error;
  file target = file::open(directory / "f", {.read = true}, error);
  target.set_size(3 * page_size(), error);
  auto mapped = mapping::map(target, page_size(), page_size(), error);
  ASSERT_FALSE(error) << error.message();
  std::memcpy(mapped.bytes().data(), "abc", 3);
  mapped.sync(error);
  EXPECT_FALSE(error);
  std::array<std::byte, 3> read{};
  EXPECT_EQ(target.read_at(read, page_size(), error), 3U);
  EXPECT_EQ(std::memcmp(read.data(), "abc", 3), 0);
  const mapping moved{std::move(mapped)};
  EXPECT_TRUE(mapped.bytes().empty());
  EXPECT_EQ(moved.bytes().size(), page_size());
  EXPECT_TRUE(mapping::map(file::wrap(no_native_handle, false), 0, page_size(), error).bytes().empty());
  EXPECT_EQ(error, std::errc::bad_file_descriptor);
}

TEST(os_memory, comes_aligned_zeroed_and_whole) {
  const std::size_t huge = 2 << 20;
  for (const std::size_t length : {std::size_t{1}, page_size(), 16 * page_size(), huge, huge + 1, 5 * huge}) {
    std::byte* const memory = allocate_pages(length);
    ASSERT_NE(memory, nullptr);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(memory) % (length < huge ? page_size() : huge), 0U);
    EXPECT_EQ(memory[length - 1], std::byte{0});
    std::memset(memory, 1, length);
    free_pages(memory, length);
  }
  EXPECT_EQ(allocate_pages(std::size_t{1} << 60), nullptr);
  free_pages(nullptr, 1);
}

TEST(os_memory, grows_with_its_content) {
  std::byte* memory = allocate_pages(5000);
  ASSERT_NE(memory, nullptr);
  memory[4999] = std::byte{7};
  memory = grow_pages(memory, 5000, 10'000'000);
  ASSERT_NE(memory, nullptr);
  EXPECT_EQ(memory[4999], std::byte{7});
  memory[9'999'999] = std::byte{1};
  EXPECT_EQ(grow_pages(memory, 10'000'000, std::size_t{1} << 60), nullptr);
  EXPECT_EQ(memory[4999], std::byte{7});
  free_pages(memory, 10'000'000);
}

}  // namespace
}  // namespace freshet::detail::os
