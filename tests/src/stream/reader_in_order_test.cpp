// How much is read at once of what has no positions: a device may take its time for each byte that it is asked for, and
// what one process takes of a pipe, no other gets.
#include <freshet/reader.hpp>
#include <freshet/stream.hpp>

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cstddef>
#include <filesystem>
#include <string>

#include "src/os/interceptor.hpp"
#include "tests/support/fault_injection.hpp"
#include "tests/support/openable.hpp"
#include "tests/support/reading.hpp"

namespace freshet {
namespace {

using detail::os::call;
using test::belongs_at;

constexpr std::size_t std_reads = 8192;  // std::filebuf leaves a byte of its buffer free

// For how many bytes the system was asked since `calls` began.
std::size_t asked_for(const test::fault_injection& calls) {
  std::size_t all = 0;
  for (const call kind : {call::read, call::read_at})
    for (const auto& each : calls.seen(kind)) all += each.length;
  return all;
}

TEST(reading_in_order, asks_a_device_for_no_more_than_the_standard_streams_do) {
  const test::fault_injection calls;
  reader device{"/dev/urandom"};
  EXPECT_EQ(device.view(4).size(), 4U);
  EXPECT_EQ(asked_for(calls), std_reads);
  std::string large(100'000, '\0');
  EXPECT_EQ(device.read(large), large.size());
  EXPECT_EQ(asked_for(calls), 4 + large.size()) << "what is left in memory, and one piece of the program's own size";
}

TEST(reading_in_order, asks_a_device_for_no_more_than_the_standard_streams_do_by_a_stream) {
  const test::fault_injection calls;
  ifstream device{"/dev/urandom"};
  std::array<char, 4> few{};
  EXPECT_TRUE(device.read(few.data(), few.size()));
  EXPECT_EQ(asked_for(calls), std_reads);
}

TEST(reading_in_order, leaves_to_others_what_the_program_does_not_want_of_a_pipe) {
  test::named_pipe pipe{test::bytes_from(0, 50'000)};
  reader by_path{pipe.path()};
  EXPECT_TRUE(belongs_at(0, by_path.view(4)));
  ASSERT_EQ(pipe.held(), 50'000 - std_reads);
  auto adopted = reader::on_descriptor(pipe.descriptor_to_read(), ownership::take);
  EXPECT_TRUE(belongs_at(std_reads, adopted.view(4)));
  ASSERT_EQ(pipe.held(), 50'000 - 2 * std_reads);
  reader named{pipe.path(), {.block = 16 << 10}};
  EXPECT_TRUE(belongs_at(2 * std_reads, named.view(4)));
  ASSERT_EQ(pipe.held(), 50'000 - 4 * std_reads) << "the program named the block";
}

TEST(reading_in_order, leaves_to_others_what_the_program_does_not_want_of_a_socket) {
  std::array<int, 2> ends{};
  ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()), 0);
  const test::descriptor_owner other{ends[1]};
  auto in = reader::on_descriptor(ends[0], ownership::take);
  ASSERT_TRUE(test::write_to(other.get(), test::bytes_from(0, 20'000)));
  EXPECT_TRUE(belongs_at(0, in.view(4)));
  EXPECT_EQ(test::drain(in.native_handle()).size(), 20'000 - std_reads);
}

// Nothing aligns the reads of a pipe: each asks for as much as the first.
TEST(reading_in_order, goes_on_after_pieces_of_odd_sizes) {
  test::named_pipe pipe{test::bytes_from(0, 8'191)};
  reader in{pipe.path()};
  EXPECT_EQ(in.available().size(), 8'191U);
  in.skip(8'191);
  pipe.put(test::bytes_from(8'191, 5'000));
  EXPECT_TRUE(belongs_at(8'191, in.available()));
  EXPECT_EQ(in.available().size(), 5'000U);
}

// Such a name does not tell that the file is a device: the first block is read at an offset, like a regular file's.
TEST(reading_in_order, goes_on_after_the_first_block_of_a_device_by_another_name) {
  const test::temporary_directory directory;
  std::filesystem::create_symlink("/dev/zero", directory / "device");
  const test::fault_injection calls;
  reader in{directory / "device"};
  const std::size_t first = in.available().size();
  in.skip(first);
  EXPECT_EQ(in.available().size(), std_reads);
  const auto seeks = calls.seen(call::seek);
  ASSERT_EQ(seeks.size(), 1U);
  EXPECT_EQ(seeks[0].offset, first);
}

}  // namespace
}  // namespace freshet
