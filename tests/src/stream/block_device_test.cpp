// Block devices are files whose size cannot change.
#include <freshet/reader.hpp>
#include <freshet/stream.hpp>
#include <freshet/writer.hpp>

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <string>
#include <system_error>

#include "tests/support/openable.hpp"
#include "tests/support/writing.hpp"

namespace freshet {
namespace {

using std::ios_base;
using test::bytes_from;

class block_devices : public testing::Test {
 protected:
  void SetUp() override {
    if (!device_.why_not().empty()) GTEST_SKIP() << device_.why_not();
  }

  static constexpr std::size_t size = test::block_device::size;
  test::block_device device_;
};

TEST_F(block_devices, take_what_they_hold_and_not_a_byte_more) {
  const std::string bytes = bytes_from(8, size);
  writer out{device_.path()};
  out.write(bytes);
  out.flush();
  EXPECT_EQ(device_.content(), bytes);
  std::error_code failure;
  out.put('x');
  out.close(failure);
  EXPECT_EQ(failure, std::errc::no_space_on_device);
  EXPECT_EQ(out.written_bytes(), size);
  EXPECT_EQ(device_.content(), bytes);
}

TEST_F(block_devices, stay_as_they_are_behind_what_is_written) {
  const std::string before = device_.content();
  const test::temporary_directory directory;
  auto methods = test::working({"buffered", "direct", "uring", "adaptive"}, directory.path());
  methods.push_back("auto");
  for (const auto mode : {open_mode::truncate, open_mode::overwrite})
    for (const std::string_view method : methods) {
      writer out{device_.path(), {.method = method, .reserve = 100'000, .mode = mode}};
      out.write(std::string(70'001, '+'));
      out.close();
      EXPECT_EQ(out.written_bytes(), 70'001U);
      EXPECT_EQ(device_.content(), std::string(70'001, '+') + before.substr(70'001)) << method;
    }
}

TEST_F(block_devices, have_no_room_behind_their_end) {
  writer out{device_.path(), {.mode = open_mode::append}};
  EXPECT_EQ(out.tell(), size);
  out.put('x');
  std::error_code failure;
  out.close(failure);
  EXPECT_EQ(failure, std::errc::no_space_on_device);
  EXPECT_EQ(device_.content(), bytes_from(0, size));
}

TEST_F(block_devices, are_durable_where_that_is_asked_for) {
  for (const auto durability : {durability::at_close, durability::each_write}) {
    writer out{device_.path(), {.durability = durability}};
    out.write("some");
    out.close();
    EXPECT_EQ(out.durable_bytes(), 4U);
  }
}

TEST_F(block_devices, cannot_be_replaced) {
  EXPECT_THROW(writer(device_.path(), {.atomic = true}), error);
  EXPECT_THROW(writer(device_.path(), {.caching = caching::bypass}), error);
  EXPECT_EQ(device_.content(), bytes_from(0, size));
}

TEST_F(block_devices, are_read_in_blocks_like_files) {
  reader in{device_.path()};
  EXPECT_GE(in.available().size(), 64U << 10);
  in.skip(size - 10);
  EXPECT_EQ(in.available().size(), 10U);
  std::error_code failure;
  in.seek(2 * size, failure);
  EXPECT_EQ(in.get(), reader::end_of_file);
}

// As the processes of a fork share the position of a file.
template <typename Stream>
std::string share_with_a_child(test::block_device& device) {
  Stream both{device.path(), ios_base::in | ios_base::out};
  both.seekp(1000);
  both << "parent" << std::flush;
  const pid_t child = ::fork();
  if (child == 0) {
    both << "child" << std::flush;
    ::_exit(both ? 0 : 1);
  }
  int status = -1;
  ::waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  both << "again" << std::flush;
  both.close();
  return device.content().substr(1000, 20);
}

TEST_F(block_devices, share_their_position_with_a_child) {
  EXPECT_EQ(share_with_a_child<fstream>(device_).substr(0, 16), "parentchildagain");
  EXPECT_EQ(share_with_a_child<std::fstream>(device_).substr(0, 16), "parentchildagain");
}

}  // namespace
}  // namespace freshet
