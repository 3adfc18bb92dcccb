// Tests what freshet's streams add to the standard's, and their errors.
#include <freshet/stream.hpp>

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <fstream>
#include <sstream>
#include <string>
#include <string_view>
#include <type_traits>

#include "tests/support/fault_injection.hpp"
#include "tests/support/temporary_directory.hpp"
#include "tests/support/writing.hpp"

namespace freshet {
namespace {

using detail::os::call;
using std::ios_base;
using test::bytes_from;
using test::content_of;
using test::fault_injection;

static_assert(std::is_base_of_v<std::ostream, ofstream> && std::is_base_of_v<std::istream, ifstream> &&
              std::is_base_of_v<std::iostream, fstream> && std::is_base_of_v<std::streambuf, filebuf>);
static_assert(!std::is_copy_constructible_v<ofstream> && !std::is_copy_constructible_v<filebuf>);
static_assert(std::is_nothrow_move_constructible_v<filebuf> && std::is_nothrow_move_constructible_v<ofstream> &&
              std::is_nothrow_move_assignable_v<fstream>);
static_assert(!std::is_convertible_v<const char*, ofstream> && !std::is_convertible_v<std::string, ifstream>);

class streams : public testing::Test {
 protected:
  void write(std::string_view content) { std::ofstream{path_, std::ios::binary} << content; }

  test::temporary_directory directory_;
  const std::filesystem::path path_ = directory_ / "file";
};

TEST_F(streams, open_every_kind_of_path) {
  ofstream{path_.c_str()} << 'a';
  ofstream{path_.string(), ios_base::app} << 'b';
  ofstream{path_, ios_base::app} << 'c';
  ofstream out;
  out.open(path_.c_str(), ios_base::app);
  out << 'd';
  out.close();
  ofstream{path_, {.mode = open_mode::append}} << 'e';
  EXPECT_EQ(content_of(path_), "abcde");
}

TEST_F(streams, report_why_opening_failed) {
  ifstream in{path_};
  EXPECT_TRUE(in.fail());
  ASSERT_TRUE(in.last_error());
  EXPECT_EQ(in.last_error()->operation(), "open");
  EXPECT_EQ(in.last_error()->code(), std::errc::no_such_file_or_directory);
  EXPECT_EQ(in.last_error()->path(), path_);

  ofstream out{path_, {.block = 3}};
  EXPECT_TRUE(out.fail());
  EXPECT_EQ(out.last_error()->code(), std::errc::invalid_argument);
  fstream both{path_, ios_base::trunc};
  EXPECT_TRUE(both.fail());
  EXPECT_EQ(both.last_error()->code(), std::errc::invalid_argument);
}

TEST_F(streams, report_write_errors) {
  ofstream out{path_};
  fault_injection fault;
  fault.fail_always(call::write, std::errc::no_space_on_device);
  fault.fail_always(call::write_at, std::errc::no_space_on_device);
  out << "lost" << std::flush;
  EXPECT_TRUE(out.bad());
  ASSERT_TRUE(out.last_error());
  EXPECT_EQ(out.last_error()->operation(), "write");
  EXPECT_EQ(out.last_error()->code(), std::errc::no_space_on_device);
  EXPECT_EQ(out.tellp(), std::streampos{-1});
  out.clear();
  EXPECT_EQ(out.tellp(), std::streampos{-1}) << "the buffer has not forgotten";
  out << "more" << std::flush;
  EXPECT_TRUE(out.bad());
  out.clear();
  out.close();
  EXPECT_TRUE(out.fail());
  EXPECT_EQ(content_of(path_), "");
}

TEST_F(streams, throw_if_exceptions_are_enabled) {
  ofstream out{path_};
  out.exceptions(ios_base::badbit);
  fault_injection fault;
  fault.fail_always(call::write, std::errc::io_error);
  EXPECT_THROW(out << "lost" << std::flush, ios_base::failure);
  ifstream in{path_};
  in.exceptions(ios_base::eofbit);
  EXPECT_THROW(in.get(), ios_base::failure);
}

TEST_F(streams, distinguish_a_failed_read_from_the_end) {
  write("some bytes");
  fault_injection fault;
  fault.fail_always(call::read, std::errc::io_error);
  fault.fail_always(call::read_at, std::errc::io_error);
  ifstream in{path_};
  EXPECT_EQ(in.get(), std::char_traits<char>::eof());
  EXPECT_TRUE(in.bad());
  ASSERT_TRUE(in.last_error());
  EXPECT_EQ(in.last_error()->code(), std::errc::io_error);
  fstream both{path_};
  both.exceptions(ios_base::badbit);
  EXPECT_THROW(both.get(), ios_base::failure);
}

TEST_F(streams, distinguish_a_failed_read_while_white_space_is_skipped) {
  write("some bytes");
  fault_injection fault;
  fault.fail_always(call::read, std::errc::io_error);
  fault.fail_always(call::read_at, std::errc::io_error);
  ifstream in{path_};
  std::string word;
  EXPECT_FALSE(in >> word);
  EXPECT_TRUE(in.bad());
  ASSERT_TRUE(in.last_error());
  EXPECT_EQ(in.last_error()->code(), std::errc::io_error);
}

TEST_F(streams, know_their_position_without_a_system_call) {
  ofstream out{path_};
  EXPECT_EQ(out.tellp(), std::streampos{0});
  fault_injection watch;
  std::streamoff expected = 0;
  for (int i = 0; i < 1000; ++i) {
    out << "line " << i << '\n';
    expected += 6 + static_cast<std::streamoff>(std::to_string(i).size());
    ASSERT_EQ(out.tellp(), std::streampos{expected});
    ASSERT_EQ(static_cast<std::ostream&>(out).tellp(), std::streampos{expected});
  }
  for (int kind = 0; kind <= static_cast<int>(call::wait); ++kind)
    EXPECT_EQ(watch.count(static_cast<call>(kind)), 0U) << kind;
}

TEST_F(streams, keep_positions_beyond_four_gibibytes) {
  constexpr std::streamoff far = std::streamoff{5} << 30;
  {
    ofstream out{path_};
    out.seekp(far);
    out << "far";
    EXPECT_EQ(out.tellp(), std::streampos{far + 3});
  }
  EXPECT_EQ(std::filesystem::file_size(path_), far + 3);
  ifstream in{path_};
  in.seekg(far + 1);
  EXPECT_EQ(in.get(), 'a');
  EXPECT_EQ(in.tellg(), std::streampos{far + 2});
}

TEST_F(streams, seek_back_to_fill_in_a_header) {
  for (const auto& way : test::working(test::all_ways(), directory_.path())) {
    auto options = way.options(4096);
    options.reserve = 400'000;
    const std::string body = bytes_from(8, 300'000);
    ofstream out{path_, options};
    out << "????????" << body;
    out.seekp(0);
    out << "12345678";
    out.seekp(0, ios_base::end);
    out << "end";
    out.close();
    EXPECT_TRUE(out) << way;
    EXPECT_EQ(content_of(path_), "12345678" + body + "end") << way;
    struct ::stat status {};
    ASSERT_EQ(::stat(path_.c_str(), &status), 0);
    EXPECT_LT(status.st_blocks * 512, 380'000) << way << ": what was reserved stayed";
  }
}

TEST_F(streams, seek_back_to_overwrite_many_blocks) {
  for (const auto& way : test::working(test::all_ways(), directory_.path())) {
    const std::string body = bytes_from(0, 300'000), other = bytes_from(5, 100'001);
    ofstream out{path_, way.options(4096)};
    out << body;
    out.seekp(10'000);
    out << other;
    EXPECT_EQ(out.tellp(), std::streampos{110'001}) << way;
    out.close();
    EXPECT_TRUE(out) << way;
    EXPECT_EQ(content_of(path_), body.substr(0, 10'000) + other + body.substr(110'001)) << way;
  }
}

// A file that is changed in places must not be truncated.
TEST_F(streams, keep_existing_data_when_a_later_write_fails) {
  const std::string before = bytes_from(0, 100'000);
  write(before);
  fstream both{path_};
  both.seekp(10);
  fault_injection fault;
  fault.fail_always(call::write_at, std::errc::io_error);
  both << "lost" << std::flush;
  EXPECT_TRUE(both.bad());
  both.clear();
  both.close();
  EXPECT_EQ(content_of(path_), before);
}

TEST_F(streams, use_the_requested_method) {
  if (const auto reason = test::why_not("direct", directory_.path()); !reason.empty()) GTEST_SKIP() << reason;
  ofstream out{path_, ios_base::out, {.method = "direct", .block = 4096}};
  ASSERT_TRUE(out.is_open()) << out.last_error()->what();
  EXPECT_EQ(out.method(), "direct");
  EXPECT_EQ(out.native_handle(), out.rdbuf()->native_handle());
  EXPECT_NE(out.native_handle(), no_native_handle);
  out << bytes_from(0, 10'000);
  out.close();
  EXPECT_EQ(out.native_handle(), no_native_handle);
  EXPECT_EQ(out.method(), "");
  test::expect_prefix(path_, 10'000);
}

TEST_F(streams, appear_complete_or_not_at_all) {
  { ofstream{path_, {.atomic = true}} << "given up"; }
  EXPECT_FALSE(std::filesystem::exists(path_));
  ofstream out{path_, {.atomic = true}};
  out << "complete";
  out.close();
  EXPECT_TRUE(out);
  EXPECT_EQ(content_of(path_), "complete");
}

TEST_F(streams, reserve_without_changing_the_size) {
  ofstream out{path_};
  out << "text";
  out.reserve(1 << 20);
  EXPECT_TRUE(out);
  out.flush();
  EXPECT_EQ(std::filesystem::file_size(path_), 4U);
  out.reserve(std::uint64_t{1} << 60);
  EXPECT_TRUE(out.fail());
  EXPECT_TRUE(out.last_error());
  out.clear();
  out << " and more";
  out.close();
  EXPECT_TRUE(out);
  EXPECT_EQ(content_of(path_), "text and more");
}

TEST_F(streams, write_to_another_buffer_after_rdbuf) {
  ofstream out{path_};
  std::stringbuf elsewhere;
  std::streambuf* const own = static_cast<std::ostream&>(out).rdbuf(&elsewhere);
  EXPECT_EQ(own, out.rdbuf());
  out << "text" << 'c' << 1 << 2.5;
  out.put('p').write("w", 1);
  EXPECT_EQ(out.tellp(), std::streampos{11});
  static_cast<std::ostream&>(out).rdbuf(own);
  out << "own" << 3;
  out.close();
  EXPECT_EQ(elsewhere.str(), "textc12.5pw");
  EXPECT_EQ(content_of(path_), "own3");
}

TEST_F(streams, flush_the_stream_they_are_tied_to) {
  ofstream first{directory_ / "first"};
  ofstream second{path_};
  second.tie(&first);
  first << "before";
  second << 'x';
  EXPECT_EQ(content_of(directory_ / "first"), "before");
  first << 1;
  second << 2;
  EXPECT_EQ(content_of(directory_ / "first"), "before1");
}

TEST_F(streams, write_at_once_with_unitbuf) {
  ofstream out{path_};
  out << std::unitbuf << "text";
  EXPECT_EQ(content_of(path_), "text");
  out << 1;
  out.put('p');
  EXPECT_EQ(content_of(path_), "text1p");

  ofstream unbuffered;
  unbuffered.rdbuf()->pubsetbuf(nullptr, 0);
  unbuffered.open(path_);
  unbuffered << "a" << 'b' << 3;
  unbuffered.rdbuf()->sputc('d');
  EXPECT_EQ(content_of(path_), "ab3d");
  EXPECT_EQ(unbuffered.tellp(), std::streampos{4});
}

// Like std::ifstream and unlike freshet::reader: a program that follows a log must survive its truncation.
TEST_F(streams, treat_a_truncated_file_as_ended) {
  const auto read_and_cut = [&](auto in) {
    EXPECT_TRUE(in.ignore(100'000));
    std::filesystem::resize_file(path_, 10);
    EXPECT_FALSE(in.ignore(800'000).good());
    EXPECT_TRUE(in.eof());
    EXPECT_FALSE(in.bad());
    in.clear();
    EXPECT_TRUE(in.seekg(0));
    EXPECT_EQ(static_cast<char>(in.get()), test::byte_at(0));
  };
  write(bytes_from(0, 1'000'000));
  read_and_cut(ifstream{path_});
  write(bytes_from(0, 1'000'000));
  read_and_cut(fstream{path_});
}

// C++23 names it; libstdc++ 12 has it under a name of its own, and libc++ 17 not at all.
template <typename Base>
constexpr ios_base::openmode find_noreplace() {
  if constexpr (requires { Base::noreplace; })
    return Base::noreplace;
  else if constexpr (requires { Base::__noreplace; })
    return Base::__noreplace;
  else
    return {};
}
constexpr ios_base::openmode noreplace = find_noreplace<ios_base>();

TEST_F(streams, with_noreplace_open_only_files_that_do_not_exist) {
  if (noreplace == ios_base::openmode{}) GTEST_SKIP() << "the standard library has no noreplace";
  for (const auto mode :
       {ios_base::out, ios_base::out | ios_base::trunc, ios_base::in | ios_base::out | ios_base::trunc}) {
    write("kept");
    fstream both{path_, mode | noreplace};
    EXPECT_FALSE(both.is_open());
    ASSERT_TRUE(both.last_error());
    EXPECT_EQ(both.last_error()->code(), std::errc::file_exists);
    EXPECT_EQ(content_of(path_), "kept");
    std::filesystem::remove(path_);
    both.open(path_, mode | noreplace);
    both << "new";
    both.close();
    EXPECT_EQ(content_of(path_), "new");
  }
}

TEST_F(streams, refuse_noreplace_where_the_standard_does) {
  if (noreplace == ios_base::openmode{}) GTEST_SKIP() << "the standard library has no noreplace";
  for (const auto mode : {ios_base::in, ios_base::app, ios_base::in | ios_base::out, ios_base::in | ios_base::app}) {
    fstream both{path_, mode | noreplace};
    EXPECT_FALSE(both.is_open());
    EXPECT_FALSE(std::filesystem::exists(path_));
  }
}

// Like std::filebuf, which calls lseek(). Devices have no position.
TEST_F(streams, count_positions_of_devices) {
  ofstream out{"/dev/null"};
  EXPECT_EQ(out.tellp(), std::streampos{0});
  ifstream in{"/dev/zero"};
  EXPECT_EQ(in.tellg(), std::streampos{0});
}

// Whether a far position exists is asked of the descriptor's own position, at which the first bytes are written.
TEST_F(streams, write_where_they_are_after_a_look_at_a_far_position) {
  ofstream out{path_};
  out << "abc" << std::flush;
  out.seekp(std::streamoff{1} << 42);
  out.clear();
  out.seekp(3);
  out << "def";
  out.close();
  EXPECT_EQ(std::filesystem::file_size(path_), 6U);
  EXPECT_EQ(content_of(path_).substr(0, 10), "abcdef");
}

TEST_F(streams, refuse_positions_beyond_what_the_file_system_can_hold) {
  constexpr std::streamoff beyond = std::streamoff{1} << 62;
  const test::temporary_directory on_disk{test::disk_place()};
  std::ofstream standard{on_disk / "standard"};
  if (standard.seekp(beyond)) GTEST_SKIP() << "this file system has no such limit";
  ofstream out{on_disk / "file"};
  out << "abc";
  EXPECT_FALSE(out.seekp(beyond));
  out.clear();
  EXPECT_EQ(out.tellp(), std::streampos{3});
  out << "def";
  out.close();
  EXPECT_FALSE(out.fail());
  EXPECT_EQ(content_of(on_disk / "file"), "abcdef");
}

}  // namespace
}  // namespace freshet
