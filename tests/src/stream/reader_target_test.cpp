// What a reader can read besides regular files: descriptors, pipes, devices, files whose size is unknown, and files
// that are written at the same time.
#include <freshet/reader.hpp>

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <future>
#include <string>
#include <utility>

#include "src/os/interceptor.hpp"
#include "src/source/input.hpp"
#include "tests/support/fault_injection.hpp"
#include "tests/support/joining_thread.hpp"
#include "tests/support/ordinary_user.hpp"
#include "tests/support/reading.hpp"
#include "tests/support/temporary_directory.hpp"

namespace freshet {
namespace {

using test::belongs_at;
using test::text_of;
using testing::HasSubstr;

void put_file(const std::filesystem::path& path, std::string_view text) { std::ofstream{path} << text; }

// Writes `length` bytes in pieces of odd sizes, then closes the descriptor.
void send(int descriptor, std::size_t length) {
  for (std::size_t sent = 0; sent < length;) {
    const auto piece = test::bytes_from(sent, std::min<std::size_t>(10'007, length - sent));
    const auto taken = ::write(descriptor, piece.data(), piece.size());
    if (taken <= 0) break;
    sent += static_cast<std::size_t>(taken);
  }
  ::close(descriptor);
}

class reading_from : public testing::Test {
 protected:
  test::temporary_directory directory_;
  std::filesystem::path path_ = directory_ / "file";
  std::error_code failure_;
};

TEST_F(reading_from, a_descriptor_goes_on_where_it_stands_and_leaves_it_where_it_ended) {
  put_file(path_, "head middle tail");
  const int descriptor = ::open(path_.c_str(), O_RDONLY | O_CLOEXEC);
  ASSERT_EQ(::lseek(descriptor, 5, SEEK_SET), 5);
  {
    auto in = reader::on_descriptor(descriptor);
    EXPECT_EQ(in.native_handle(), descriptor);
    EXPECT_EQ(in.tell(), 5U);
    EXPECT_EQ(in.size(), 16U);
    EXPECT_EQ(text_of(in.view(7)), "middle ");
    EXPECT_EQ(in.method(), "buffered");
    in.seek(0);
    EXPECT_EQ(text_of(in.view(5)), "head ");
    in.skip(7);
  }
  char rest[10];
  EXPECT_EQ(::read(descriptor, rest, sizeof rest), 4) << "a borrowed one stays open";
  EXPECT_EQ((std::string{rest, 4}), "tail");
  ::close(descriptor);
}

TEST_F(reading_from, a_descriptor_that_is_taken_is_closed) {
  put_file(path_, "text");
  const int descriptor = ::open(path_.c_str(), O_RDWR | O_CLOEXEC);
  auto in = reader::on_descriptor(descriptor, ownership::take, {.method = "direct"});
  EXPECT_EQ(text_of(in.view(10)), "text");
  EXPECT_EQ(in.method(), "buffered");
  in.close();
  EXPECT_EQ(::fcntl(descriptor, F_GETFD), -1);
}

TEST_F(reading_from, a_descriptor_that_cannot_be_read_is_refused) {
  const int descriptor = ::open(path_.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
  EXPECT_THROW(static_cast<void>(reader::on_descriptor(descriptor)), error);
  ::close(descriptor);
  EXPECT_THROW(static_cast<void>(reader::on_descriptor(descriptor)), error);
  EXPECT_THROW(static_cast<void>(reader::on_descriptor(-1)), error);
}

TEST_F(reading_from, standard_input_stays_open) {
  put_file(path_, "typed");
  const int kept = ::dup(STDIN_FILENO);
  const int file = ::open(path_.c_str(), O_RDONLY | O_CLOEXEC);
  ::dup2(file, STDIN_FILENO);
  ::close(file);
  {
    auto in = reader::standard_input();
    EXPECT_EQ(text_of(in.view(5)), "typed");
  }
  EXPECT_NE(::fcntl(STDIN_FILENO, F_GETFD), -1);
  ::dup2(kept, STDIN_FILENO);
  ::close(kept);
}

TEST_F(reading_from, a_pipe_from_front_to_back_only) {
  std::array<int, 2> ends{};
  ASSERT_EQ(::pipe2(ends.data(), O_CLOEXEC), 0);
  test::joining_thread sender{send, ends[1], 1'000'000};
  auto in = reader::on_descriptor(ends[0], ownership::take);
  EXPECT_TRUE(belongs_at(0, in.view(300'000)));
  EXPECT_EQ(in.size(), 0U);
  in.skip(200'000);
  EXPECT_EQ(in.tell(), 500'000U);
  EXPECT_TRUE(belongs_at(500'000, in.view(100)));
  std::string more(400'000, '\0');
  EXPECT_EQ(in.read(more), more.size());
  EXPECT_EQ(test::first_difference(more, 500'100), more.size());
  EXPECT_EQ(in.view(1'000'000).size(), 99'900U);
  EXPECT_EQ(in.get(), reader::end_of_file);
  in.skip(100);
  EXPECT_EQ(in.tell(), 1'000'000U);
}

TEST_F(reading_from, a_pipe_what_has_come_without_waiting_for_more) {
  std::array<int, 2> ends{};
  ASSERT_EQ(::pipe2(ends.data(), O_CLOEXEC), 0);
  auto in = reader::on_descriptor(ends[0], ownership::take);
  ASSERT_EQ(::write(ends[1], "one", 3), 3);
  EXPECT_EQ(text_of(in.available()), "one");
  in.skip(3);
  ASSERT_EQ(::write(ends[1], "two", 3), 3);
  EXPECT_EQ(in.get(), 't');
  ::close(ends[1]);
}

TEST_F(reading_from, a_pipe_or_socket_reports_a_seek) {
  std::array<int, 2> ends{};
  ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()), 0);
  ASSERT_EQ(::write(ends[1], "some", 4), 4);
  auto in = reader::on_descriptor(ends[0], ownership::take);
  EXPECT_EQ(in.get(), 's');
  in.seek(2);
  EXPECT_EQ(in.get(), 'm') << "what is in memory can be gone to";
  in.seek(100, failure_);
  EXPECT_EQ(failure_, std::errc::invalid_seek);
  ::close(ends[1]);
}

TEST_F(reading_from, a_named_pipe_whatever_method_is_named) {
  ASSERT_EQ(::mkfifo(path_.c_str(), 0600), 0);
  auto methods = test::working({"buffered", "direct", "uring"}, directory_.path());
  methods.push_back("auto");
  for (const auto method : methods) {
    test::joining_thread sender{[&] { send(::open(path_.c_str(), O_WRONLY | O_CLOEXEC), 300'000); }};
    reader in{path_, {.method = method, .block = 4096}};
    EXPECT_TRUE(belongs_at(0, in.view(300'000))) << method;
    EXPECT_EQ(in.get(), reader::end_of_file);
    EXPECT_EQ(in.method(), "buffered");
  }
}

TEST_F(reading_from, a_device_without_an_end) {
  reader in{"/dev/zero"};
  const auto zeros = in.view(1'000'000);
  EXPECT_EQ(text_of(zeros), std::string(1'000'000, '\0'));
  in.skip(1'000'000);
  EXPECT_EQ(in.tell(), 2'000'000U);
  EXPECT_EQ(in.get(), 0);
  reader nothing{"/dev/null"};
  EXPECT_EQ(nothing.get(), reader::end_of_file);
}

TEST_F(reading_from, files_that_do_not_know_their_size) {
  reader proc{"/proc/self/maps"};
  EXPECT_EQ(proc.size(), 0U);
  EXPECT_THAT(text_of(proc.view(1 << 20)), HasSubstr("[stack]"));
  const std::filesystem::path claims_a_page = "/sys/kernel/mm/transparent_hugepage/enabled";
  if (!std::filesystem::exists(claims_a_page)) GTEST_SKIP() << "no " << claims_a_page;
  reader sys{claims_a_page};
  EXPECT_EQ(sys.size(), 4096U);
  EXPECT_THAT(text_of(sys.view(1 << 20)), HasSubstr("never"));
  EXPECT_EQ(sys.get(), reader::end_of_file);
}

TEST_F(reading_from, a_file_that_was_cut_below_the_size_it_was_told_to_have) {
  test::make_file(path_, 1000);
  reader in{path_};
  EXPECT_EQ(in.size(), 1000U);
  std::filesystem::resize_file(path_, 500);
  EXPECT_TRUE(belongs_at(0, in.view(500)));
  EXPECT_EQ(in.get(failure_), reader::end_of_file);
  EXPECT_EQ(failure_, std::errc::io_error);
  EXPECT_EQ(in.tell(), 500U);
}

TEST_F(reading_from, a_file_that_was_cut_below_what_was_read) {
  for (const std::size_t left : {10'000U, 0U}) {
    test::make_file(path_, 102'400);
    reader in{path_};
    EXPECT_TRUE(belongs_at(0, in.view(65'536)));
    std::filesystem::resize_file(path_, left);
    EXPECT_EQ(in.get(failure_), reader::end_of_file);
    EXPECT_EQ(failure_, std::errc::io_error) << left;
    EXPECT_EQ(in.tell(), 65'536U);
  }
}

// Cuts a file before the `first` system call of a kind, and extends it again before the `second` one.
class cut_and_regrowth final : public detail::os::interceptor {
 public:
  cut_and_regrowth(std::filesystem::path path, detail::os::call first, detail::os::call second)
      : path_{std::move(path)}, first_{first}, second_{second}, replaced_{detail::os::intercept(this)} {}
  ~cut_and_regrowth() override { detail::os::intercept(replaced_); }

  std::error_code before(detail::os::intercepted_call& next) override {
    if (next.kind == first_ && !std::exchange(cut_, true))
      std::filesystem::resize_file(path_, 500);
    else if (next.kind == second_ && cut_ && !std::exchange(regrown_, true))
      std::filesystem::resize_file(path_, 2000);
    return {};
  }

  [[nodiscard]] bool happened() const noexcept { return cut_ && regrown_; }

 private:
  std::filesystem::path path_;
  detail::os::call first_;
  detail::os::call second_;
  bool cut_ = false;
  bool regrown_ = false;
  detail::os::interceptor* replaced_;
};

TEST_F(reading_from, a_file_that_was_cut_and_has_grown_before_its_size_was_asked_for) {
  test::make_file(path_, 1000);
  reader in{path_, {.block = 4096}};
  EXPECT_EQ(in.size(), 1000U);
  std::filesystem::resize_file(path_, 500);
  EXPECT_TRUE(belongs_at(0, in.view(500)));
  const cut_and_regrowth meanwhile{path_, detail::os::call::read_at, detail::os::call::status};
  EXPECT_EQ(in.get(failure_), reader::end_of_file);
  EXPECT_TRUE(meanwhile.happened());
  EXPECT_EQ(failure_, std::errc::io_error);
  EXPECT_EQ(in.tell(), 500U);
}

TEST_F(reading_from, a_file_below_proc_by_no_mapping) {
  reader refused{"/proc/cpuinfo", {.method = "mmap"}, failure_};
  EXPECT_EQ(failure_, std::errc::operation_not_supported);
  EXPECT_FALSE(refused.is_open());
  put_file(path_, "");
  reader empty{path_, {.method = "mmap"}};
  EXPECT_EQ(empty.get(), reader::end_of_file);
  for (const std::string_view method : {"buffered", "adaptive"})
    EXPECT_FALSE((reader{"/proc/cpuinfo", {.method = method}}.view(1000).empty())) << method;
}

TEST_F(reading_from, a_descriptor_with_direct_io_as_it_is) {
  const test::temporary_directory on_disk{test::disk_place()};
  const auto path = on_disk / "file";
  test::make_file(path, 300'001);
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_DIRECT);
  if (descriptor < 0) GTEST_SKIP() << "no direct I/O here";
  ASSERT_EQ(::lseek(descriptor, 5, SEEK_SET), 5);
  {
    auto in = reader::on_descriptor(descriptor);
    EXPECT_TRUE(belongs_at(5, in.view(1)));
    for (const std::uint64_t offset : {0U, 5U, 4095U, 4096U, 299'999U, 100'000U, 299'000U}) {
      in.seek(offset);
      EXPECT_TRUE(belongs_at(offset, in.view(70'000))) << offset;
      EXPECT_EQ(in.tell(), std::min<std::uint64_t>(offset + 70'000, 300'001));
    }
    EXPECT_EQ(in.get(), reader::end_of_file);
    in.seek(400'000);
    EXPECT_EQ(in.get(), reader::end_of_file);
    in.seek(0);
    std::string all(300'001, '\0');
    EXPECT_EQ(in.read(all), all.size());
    EXPECT_EQ(test::first_difference(all, 0), all.size());
  }
  EXPECT_NE(::fcntl(descriptor, F_GETFL) & O_DIRECT, 0) << "the flag belongs to whoever opened it";
  ::close(descriptor);
}

TEST_F(reading_from, a_pipe_that_does_not_wait_goes_on_when_there_is_more) {
  std::array<int, 2> ends{};
  ASSERT_EQ(::pipe2(ends.data(), O_CLOEXEC | O_NONBLOCK), 0);
  auto in = reader::on_descriptor(ends[0], ownership::take);
  EXPECT_EQ(in.get(failure_), reader::end_of_file);
  EXPECT_EQ(failure_, std::errc::resource_unavailable_try_again);
  ASSERT_EQ(::write(ends[1], "later", 5), 5);
  EXPECT_EQ(text_of(in.view(5)), "later");
  EXPECT_EQ(in.get(failure_), reader::end_of_file);
  EXPECT_EQ(failure_, std::errc::resource_unavailable_try_again);
  EXPECT_EQ(in.tell(), 5U);
  ::close(ends[1]);
  EXPECT_EQ(in.get(), reader::end_of_file);
}

TEST_F(reading_from, a_file_that_says_it_is_regular_and_has_no_offsets) {
  test::make_file(path_, 300'000);
  std::string all(300'000, '\0');
  for (const bool by_pieces : {true, false}) {
    test::fault_injection faults;
    faults.fail_always(detail::os::call::read_at, std::errc::invalid_seek);
    reader in{path_};
    EXPECT_TRUE(by_pieces ? belongs_at(0, in.view(300'000)) : in.read(all) == 300'000);
    EXPECT_EQ(in.get(), reader::end_of_file);
    EXPECT_EQ(faults.count(detail::os::call::read_at), 1U);
    in.seek(0, failure_);
    EXPECT_EQ(failure_, std::errc::invalid_seek);
  }
  EXPECT_EQ(test::first_difference(all, 0), all.size());
}

TEST_F(reading_from, a_file_that_may_not_be_read) {
  put_file(path_, "secret");
  std::filesystem::permissions(directory_.path(), std::filesystem::perms::all);
  std::filesystem::permissions(path_, std::filesystem::perms::none);
  const test::ordinary_user nobody;
  reader in{path_, {}, failure_};
  EXPECT_EQ(failure_, std::errc::permission_denied);
  EXPECT_FALSE(in.is_open());
}

TEST_F(reading_from, a_file_that_another_writes_shows_the_change_after_refresh) {
  for (const auto method : test::working(test::reading_methods, directory_.path())) {
    SCOPED_TRACE(method);
    test::make_file(path_, 300'000);
    reader in{path_, {.method = method, .block = 16 << 10, .depth = 4}};
    EXPECT_TRUE(belongs_at(0, in.view(100)));
    in.seek(40'000);
    EXPECT_TRUE(belongs_at(40'000, in.view(100)));
    std::fstream{path_}.seekp(40'000) << std::string(100'000, '!');
    in.refresh();
    EXPECT_EQ(in.tell(), 40'100U);
    EXPECT_EQ(text_of(in.view(60'000)), std::string(60'000, '!'));
    in.seek(0);
    EXPECT_TRUE(belongs_at(0, in.view(40'000)));
    EXPECT_EQ(text_of(in.view(100'000)), std::string(100'000, '!'));
    EXPECT_TRUE(belongs_at(140'000, in.view(160'000)));
  }
}

TEST_F(reading_from, a_block_whose_records_are_read_in_any_order_once) {
  test::make_file(path_, 60'000);
  reader in{path_};
  EXPECT_NE(in.peek(), reader::end_of_file);
  const test::fault_injection calls;
  for (std::uint64_t offset = 0; offset < 1'000'000; offset += 7919) {
    in.seek(offset % 59'000);
    EXPECT_TRUE(belongs_at(offset % 59'000, in.view(100)));
  }
  EXPECT_EQ(calls.count(detail::os::call::read_at), 0U);
}

TEST_F(reading_from, a_pipe_keeps_what_it_has_after_refresh) {
  std::array<int, 2> ends{};
  ASSERT_EQ(::pipe2(ends.data(), O_CLOEXEC), 0);
  auto in = reader::on_descriptor(ends[0], ownership::take);
  ASSERT_EQ(::write(ends[1], "one two", 7), 7);
  EXPECT_EQ(text_of(in.view(3)), "one");
  in.refresh();
  EXPECT_EQ(text_of(in.view(4)), " two");
  ::close(ends[1]);
  reader closed;
  closed.refresh(failure_);
  EXPECT_EQ(failure_, std::errc::bad_file_descriptor);
}

TEST_F(reading_from, a_file_that_another_writes_shows_the_change_after_a_seek) {
  put_file(path_, "before");
  const int descriptor = ::open(path_.c_str(), O_RDWR | O_CLOEXEC);
  ASSERT_EQ(::lseek(descriptor, 3, SEEK_SET), 3);
  const auto in = detail::input::share(descriptor, path_, {.block = 4096});
  ASSERT_TRUE(in->next_window());
  EXPECT_EQ(text_of(in->window()), "before");
  ASSERT_EQ(::pwrite(descriptor, "after", 5, 0), 5);
  in->seek(1);
  EXPECT_TRUE(in->window().empty());
  EXPECT_EQ(in->offset(), 1U);
  ASSERT_TRUE(in->next_window());
  EXPECT_EQ(text_of(in->window()), "ftere");
  in->close();
  EXPECT_EQ(::lseek(descriptor, 0, SEEK_CUR), 3);
  ::close(descriptor);
}

}  // namespace
}  // namespace freshet
