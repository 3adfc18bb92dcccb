// What a writer can write to besides regular files: descriptors, pipes, devices, and files that appear at close.
#include <freshet/writer.hpp>

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <future>
#include <set>
#include <string>

#include "tests/support/fault_injection.hpp"
#include "tests/support/temporary_directory.hpp"
#include "tests/support/writing.hpp"

namespace freshet {
namespace {

using test::all_from;
using test::content_of;
using test::fault_injection;

void put_file(const std::filesystem::path& path, std::string_view text) { std::ofstream{path} << text; }

class writing_to : public testing::Test {
 protected:
  test::temporary_directory directory_;
  std::filesystem::path path_ = directory_ / "file";
  std::error_code failure_;
};

TEST_F(writing_to, a_descriptor_goes_on_where_it_stands) {
  const int descriptor = ::open(path_.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
  ASSERT_EQ(::write(descriptor, "head ", 5), 5);
  auto out = writer::on_descriptor(descriptor);
  EXPECT_EQ(out.native_handle(), descriptor);
  EXPECT_EQ(out.method(), "buffered");
  out.write("middle ");
  EXPECT_EQ(out.tell(), 7U);
  out.close();
  ASSERT_EQ(::write(descriptor, "tail", 4), 4) << "a borrowed one stays open";
  ::close(descriptor);
  EXPECT_EQ(content_of(path_), "head middle tail");
}

TEST_F(writing_to, a_descriptor_that_is_taken_is_closed) {
  const int descriptor = ::open(path_.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
  auto out = writer::on_descriptor(descriptor, ownership::take, {.durability = durability::each_write});
  out.write("text");
  out.sync();
  EXPECT_EQ(out.durable_bytes(), 4U);
  out.close();
  EXPECT_EQ(::fcntl(descriptor, F_GETFD), -1);
  EXPECT_EQ(content_of(path_), "text");
}

TEST_F(writing_to, a_descriptor_of_which_only_some_options_count) {
  const int descriptor = ::open(path_.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
  auto out = writer::on_descriptor(descriptor, ownership::take, {.reserve = 1 << 20, .atomic = true});
  out.write("text");
  out.close();
  EXPECT_EQ(content_of(path_), "text");
  EXPECT_EQ(test::entries_in(directory_.path()), 1U);
}

TEST_F(writing_to, a_descriptor_that_cannot_be_written_is_refused) {
  put_file(path_, "old");
  const int descriptor = ::open(path_.c_str(), O_RDONLY | O_CLOEXEC);
  EXPECT_THROW(static_cast<void>(writer::on_descriptor(descriptor)), error);
  ::close(descriptor);
  EXPECT_THROW(static_cast<void>(writer::on_descriptor(descriptor)), error);
  EXPECT_THROW(static_cast<void>(writer::on_descriptor(-1)), error);
}

TEST_F(writing_to, standard_output_stays_open) {
  const int kept = ::dup(STDOUT_FILENO);
  const int file = ::open(path_.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
  ::dup2(file, STDOUT_FILENO);
  ::close(file);
  {
    auto out = writer::standard_output();
    out.write("shown");
  }
  EXPECT_NE(::fcntl(STDOUT_FILENO, F_GETFD), -1);
  ::dup2(kept, STDOUT_FILENO);
  ::close(kept);
  EXPECT_EQ(content_of(path_), "shown");
}

TEST_F(writing_to, a_pipe) {
  std::array<int, 2> ends{};
  ASSERT_EQ(::pipe2(ends.data(), O_CLOEXEC), 0);
  auto reader = std::async(std::launch::async, all_from, ends[0]);
  auto out = writer::on_descriptor(ends[1], ownership::take, {.durability = durability::at_close});
  for (int i = 0; i < 100; ++i) out.write(test::bytes_from(out.tell(), 10'007));
  out.sync();
  EXPECT_EQ(out.written_bytes(), 1'000'700U);
  EXPECT_EQ(out.durable_bytes(), 0U) << "a pipe has no device";
  out.close();
  const auto read = reader.get();
  EXPECT_EQ(read.size(), 1'000'700U);
  EXPECT_EQ(test::first_difference(read), read.size());
}

TEST_F(writing_to, a_pipe_that_nobody_reads) {
  const auto before = ::signal(SIGPIPE, SIG_IGN);
  std::array<int, 2> ends{};
  ASSERT_EQ(::pipe2(ends.data(), O_CLOEXEC), 0);
  ::close(ends[0]);
  auto out = writer::on_descriptor(ends[1], ownership::take);
  out.write("lost");
  out.close(failure_);
  EXPECT_EQ(failure_, std::errc::broken_pipe);
  EXPECT_EQ(out.written_bytes(), 0U);
  ::signal(SIGPIPE, before);
}

TEST_F(writing_to, a_fifo_by_its_name_whatever_the_method) {
  ASSERT_EQ(::mkfifo(path_.c_str(), 0600), 0);
  for (const std::string_view method : {"auto", "direct", "uring"}) {
    auto reader = std::async(std::launch::async, [&] { return all_from(::open(path_.c_str(), O_RDONLY | O_CLOEXEC)); });
    writer out{path_, {.method = method, .reserve = 1 << 20, .durability = durability::each_write}};
    EXPECT_EQ(out.method(), "buffered");
    out.write(test::bytes_from(0, 300'000));
    out.close();
    EXPECT_EQ(reader.get(), test::bytes_from(0, 300'000));
  }
}

TEST_F(writing_to, a_full_device_reports) {
  writer out{"/dev/full"};
  out.write("does not fit");
  EXPECT_EQ(out.tell(), 12U);
  try {
    out.close();
    ADD_FAILURE() << "was closed without an error";
  } catch (const error& caught) {
    EXPECT_EQ(caught.code(), std::errc::no_space_on_device);
    EXPECT_EQ(caught.path(), "/dev/full");
    EXPECT_EQ(caught.operation(), "write");
    EXPECT_EQ(caught.offset(), 0U);
  }
  EXPECT_EQ(out.last_error(), std::errc::no_space_on_device);
  EXPECT_FALSE(out.is_open());
  EXPECT_EQ(out.written_bytes(), 0U);
  out.write("more", failure_);
  EXPECT_EQ(failure_, std::errc::no_space_on_device) << "the first error sticks";
}

TEST_F(writing_to, a_full_device_without_asking) { EXPECT_NO_THROW(writer{"/dev/full"}.write("does not fit")); }

class writing_atomically : public writing_to {
 protected:
  writer_options options_{.atomic = true};
};

TEST_F(writing_atomically, the_file_appears_at_close) {
  for (const auto& each : test::working(test::all_ways(), directory_.path())) {
    SCOPED_TRACE(each);
    auto options = each.options();
    options.atomic = true;
    writer out{path_, options};
    out.write(test::bytes_from(0, 300'001));
    out.flush();
    EXPECT_FALSE(std::filesystem::exists(path_));
    out.close();
    EXPECT_EQ(out.durable_bytes(), 300'001U);
    test::expect_prefix(path_, 300'001);
    std::filesystem::remove(path_);
    EXPECT_EQ(test::entries_in(directory_.path()), 0U);
  }
}

TEST_F(writing_atomically, what_was_there_stays_until_close) {
  put_file(path_, "old");
  writer out{path_, options_};
  out.write("new");
  out.sync();
  EXPECT_EQ(content_of(path_), "old");
  out.close();
  EXPECT_EQ(content_of(path_), "new");
  EXPECT_EQ(test::entries_in(directory_.path()), 1U);
}

TEST_F(writing_atomically, without_close_it_is_given_up) {
  put_file(path_, "old");
  writer{path_, options_}.write("new");
  EXPECT_EQ(content_of(path_), "old");
  writer again{path_, options_};
  again.write("new");
  again = {};
  EXPECT_EQ(content_of(path_), "old");
  EXPECT_EQ(test::entries_in(directory_.path()), 1U);
}

TEST_F(writing_atomically, a_new_file_only) {
  options_.mode = open_mode::create_new;
  writer late{path_, options_};
  writer out{path_, options_};
  out.write("first");
  out.close();
  EXPECT_EQ(content_of(path_), "first");
  late.write("second");
  late.close(failure_);
  EXPECT_EQ(failure_, std::errc::file_exists);
  EXPECT_EQ(content_of(path_), "first");
  EXPECT_THROW((writer{path_, options_}), error);
  EXPECT_EQ(test::entries_in(directory_.path()), 1U);
}

TEST_F(writing_atomically, a_link_s_target_is_replaced) {
  for (const bool exists : {true, false}) {
    const auto target = directory_ / "target";
    if (exists) put_file(target, "old");
    std::filesystem::create_symlink("target", path_);
    writer out{path_, options_};
    out.write("new");
    out.close();
    EXPECT_TRUE(std::filesystem::is_symlink(path_));
    EXPECT_EQ(content_of(target), "new");
    std::filesystem::remove(path_);
    std::filesystem::remove(target);
  }
  std::filesystem::create_symlink("file", path_);
  const writer out{path_, options_, failure_};
  EXPECT_TRUE(failure_) << "a link to itself";
}

TEST_F(writing_atomically, a_device_or_pipe_is_not_replaced) {
  ASSERT_EQ(::mkfifo(path_.c_str(), 0600), 0);
  const writer out{path_, options_, failure_};
  EXPECT_EQ(failure_, std::errc::invalid_argument);
  EXPECT_TRUE(std::filesystem::is_fifo(path_));
}

// With files without a name (O_TMPFILE), and on file systems that do not support them.
TEST_F(writing_atomically, failures_on_the_way_leave_what_was_there) {
  std::set<detail::os::call> failed;
  for (const auto unnamed : {std::errc{}, std::errc::operation_not_supported}) {
    for (const auto mode : {open_mode::truncate, open_mode::create_new}) {
      for (const auto kind : {detail::os::call::open, detail::os::call::status, detail::os::call::write,
                              detail::os::call::sync_data, detail::os::call::link, detail::os::call::rename}) {
        SCOPED_TRACE(static_cast<int>(kind));
        std::filesystem::remove(path_);
        if (mode == open_mode::truncate) put_file(path_, "old");
        fault_injection faults;
        if (unnamed != std::errc{}) faults.fail(detail::os::call::open, 1, unnamed);
        if (kind == detail::os::call::open) faults.fail(kind, unnamed != std::errc{} ? 2 : 1, std::errc::io_error);
        options_.mode = mode;
        writer out{path_, options_, failure_};
        const std::uint64_t calls_to_open = faults.count(kind);
        if (kind != detail::os::call::open) faults.fail(kind, calls_to_open + 1, std::errc::io_error);
        if (!failure_) {
          out.write("new", failure_);
          EXPECT_FALSE(failure_);
          out.close(failure_);
        }
        if (kind != detail::os::call::open && faults.count(kind) == calls_to_open) continue;
        failed.insert(kind);
        EXPECT_EQ(failure_, std::errc::io_error);
        EXPECT_EQ(test::entries_in(directory_.path()), mode == open_mode::truncate ? 1U : 0U);
        if (mode == open_mode::truncate) {
          EXPECT_EQ(content_of(path_), "old");
        }
      }
    }
  }
  EXPECT_EQ(failed.size(), 6U) << "a call was never made";
}

// XFS has space for new files again once it has flushed.
TEST_F(writing_atomically, flushes_the_file_system_where_no_space_is_left) {
  for (const auto kind : {detail::os::call::open, detail::os::call::link}) {
    fault_injection faults;
    faults.fail(kind, 1, std::errc::no_space_on_device);
    writer out{path_, options_};
    out.write("new");
    out.close();
    EXPECT_EQ(faults.count(detail::os::call::sync_file), 1U);
    EXPECT_EQ(content_of(path_), "new");
    std::filesystem::remove(path_);
  }
}

TEST_F(writing_atomically, reports_a_full_disk_after_one_flush) {
  fault_injection faults;
  for (const unsigned attempt : {1U, 2U}) faults.fail(detail::os::call::open, attempt, std::errc::no_space_on_device);
  const writer out{path_, options_, failure_};
  EXPECT_EQ(failure_, std::errc::no_space_on_device);
  EXPECT_EQ(faults.count(detail::os::call::sync_file), 1U);
}

TEST_F(writing_atomically, works_without_unnamed_files) {
  for (const auto mode : {open_mode::truncate, open_mode::create_new}) {
    std::filesystem::remove(path_);
    options_.mode = mode;
    fault_injection faults;
    faults.fail(detail::os::call::open, 1, std::errc::operation_not_supported);
    writer out{path_, options_};
    out.write("new");
    EXPECT_FALSE(std::filesystem::exists(path_));
    out.close();
    EXPECT_EQ(content_of(path_), "new");
    EXPECT_EQ(test::entries_in(directory_.path()), 1U);
  }
}

// First the data, then the name, then the directory.
TEST_F(writing_atomically, whoever_finds_the_name_finds_all_of_it) {
  fault_injection watch;
  writer out{path_, options_};
  out.write("new");
  out.close();
  EXPECT_EQ(watch.count(detail::os::call::sync_data), 1U);
  EXPECT_GE(watch.count(detail::os::call::link), 1U) << "the first attempt takes Linux 6.10, or root";
  EXPECT_EQ(watch.count(detail::os::call::rename), 0U) << "the name was free";
  EXPECT_EQ(watch.count(detail::os::call::sync_directory), 1U);
}

class writing_hidden : public writing_atomically {
 protected:
  writing_hidden() { options_ = {.hidden_until_closed = true}; }
};

TEST_F(writing_hidden, the_file_appears_at_close_and_nothing_is_synced) {
  fault_injection watch;
  for (const std::string_view before : {"", "old"}) {
    if (!before.empty()) put_file(path_, before);
    writer out{path_, options_};
    out.write(test::bytes_from(0, 300'001));
    out.flush();
    EXPECT_EQ(std::filesystem::exists(path_) ? content_of(path_) : "", before);
    out.close();
    test::expect_prefix(path_, 300'001);
    EXPECT_EQ(test::entries_in(directory_.path()), 1U);
    std::filesystem::remove(path_);
  }
  for (const auto kind : {detail::os::call::sync_data, detail::os::call::sync_file, detail::os::call::sync_directory})
    EXPECT_EQ(watch.count(kind), 0U);
}

TEST_F(writing_hidden, durability_is_kept_all_the_same) {
  options_.durability = durability::at_close;
  fault_injection watch;
  writer out{path_, options_};
  out.write("new");
  out.close();
  EXPECT_EQ(watch.count(detail::os::call::sync_data), 1U);
  EXPECT_EQ(watch.count(detail::os::call::sync_directory), 1U);
  EXPECT_EQ(out.durable_bytes(), 3U);
}

TEST_F(writing_hidden, without_close_it_is_given_up) {
  put_file(path_, "old");
  writer{path_, options_}.write("new");
  EXPECT_EQ(content_of(path_), "old");
  EXPECT_EQ(test::entries_in(directory_.path()), 1U);
}

}  // namespace
}  // namespace freshet
