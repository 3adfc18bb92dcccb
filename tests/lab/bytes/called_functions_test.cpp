// Each way of the workload `bytes`, and each baseline, calls the functions that its name says. They are counted: this
// program's definitions come before those of the C and C++ libraries, which they then call.
#include <dlfcn.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/uio.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <istream>
#include <ostream>
#include <string>
#include <string_view>
#include <utility>

#include "lab/bytes/ways.hpp"
#include "tests/support/temporary_directory.hpp"
#include "tool/baseline/baseline.hpp"

namespace {

enum class function : std::uint8_t {
  none,
  fwrite,
  fwrite_unlocked,
  putc,
  fread,
  fread_unlocked,
  getc,
  ostream_put,
  ostream_write,
  istream_get,
  overflow,   // what the inline putc_unlocked() calls when the buffer is full
  underflow,  // what the inline getc_unlocked() calls when it is empty
  count,
};
constexpr std::array<std::string_view, static_cast<std::size_t>(function::count)> names = {
    "none", "fwrite",       "fwrite_unlocked", "putc",         "fread",      "fread_unlocked",
    "getc", "ostream::put", "ostream::write",  "istream::get", "__overflow", "__uflow"};

std::array<std::atomic<std::uint64_t>, names.size()> calls;

std::atomic<std::uint64_t>& calls_of(function which) { return calls[static_cast<std::size_t>(which)]; }

template <typename Function>
Function* counted(function which, const char* symbol) {
  ++calls_of(which);
  return reinterpret_cast<Function*>(::dlsym(RTLD_NEXT, symbol));
}

}  // namespace

extern "C" {

#undef fwrite_unlocked
#undef fread_unlocked
#undef putc
#undef getc

std::size_t fwrite(const void* from, std::size_t size, std::size_t count, FILE* to) {
  return counted<decltype(fwrite)>(function::fwrite, "fwrite")(from, size, count, to);
}
std::size_t fwrite_unlocked(const void* from, std::size_t size, std::size_t count, FILE* to) {
  return counted<decltype(fwrite)>(function::fwrite_unlocked, "fwrite_unlocked")(from, size, count, to);
}
int putc(int character, FILE* to) { return counted<decltype(putc)>(function::putc, "putc")(character, to); }
std::size_t fread(void* into, std::size_t size, std::size_t count, FILE* from) {
  return counted<decltype(fread)>(function::fread, "fread")(into, size, count, from);
}
std::size_t fread_unlocked(void* into, std::size_t size, std::size_t count, FILE* from) {
  return counted<decltype(fread)>(function::fread_unlocked, "fread_unlocked")(into, size, count, from);
}
int getc(FILE* from) { return counted<decltype(getc)>(function::getc, "getc")(from); }
int __overflow(FILE* to, int character) {  // NOLINT(bugprone-reserved-identifier): the C library's name
  return counted<int(FILE*, int)>(function::overflow, "__overflow")(to, character);
}
int __uflow(FILE* from) {  // NOLINT(bugprone-reserved-identifier): the C library's name
  return counted<int(FILE*)>(function::underflow, "__uflow")(from);
}
// std::ostream::put(char), std::ostream::write(const char*, std::streamsize) and std::istream::get(). A pointer is what
// returns a reference in the ABI, and may have the linkage of C.
std::ostream* _ZNSo3putEc(std::ostream* to, char character) {
  return counted<std::ostream*(std::ostream*, char)>(function::ostream_put, "_ZNSo3putEc")(to, character);
}
std::ostream* _ZNSo5writeEPKcl(std::ostream* to, const char* from, long length) {
  return counted<std::ostream*(std::ostream*, const char*, long)>(function::ostream_write, "_ZNSo5writeEPKcl")(to, from,
                                                                                                               length);
}
int _ZNSi3getEv(std::istream* from) { return counted<int(std::istream*)>(function::istream_get, "_ZNSi3getEv")(from); }

}  // extern "C"

namespace freshet::tool {
namespace {

constexpr std::uint64_t size = 100'000;

// The function that is called for each byte, and the one that is called for each buffer.
struct expected_calls {
  std::string_view way;
  function each_byte;
  function each_buffer = function::none;
};

constexpr std::array byte_rows = {
    expected_calls{"fwrite", function::fwrite},
    expected_calls{"fwrite+tune", function::fwrite},
    expected_calls{"fwrite+header", function::none, function::overflow},
    expected_calls{"fwrite_unlocked", function::fwrite_unlocked},
    expected_calls{"putc", function::putc},
    expected_calls{"putc_unlocked", function::none, function::overflow},
    expected_calls{"fread", function::fread},
    expected_calls{"fread+tune", function::fread},
    expected_calls{"fread+header", function::none, function::underflow},
    expected_calls{"fread_unlocked", function::fread_unlocked},
    expected_calls{"getc", function::getc},
    expected_calls{"getc_unlocked", function::none, function::underflow},
    expected_calls{"ofstream.put", function::ostream_put},
    expected_calls{"filebuf.sputc", function::none},
    expected_calls{"ifstream.get", function::istream_get},
    expected_calls{"filebuf.sbumpc", function::none},
    expected_calls{"writer.put", function::none},
    expected_calls{"stream.put", function::none},
    expected_calls{"reader.get", function::none},
    expected_calls{"stream.get", function::none},
    expected_calls{"fwrite-64K", function::none, function::fwrite},
    expected_calls{"fread-64K", function::none, function::fread},
};

class called_functions : public testing::Test {
 protected:
  void SetUp() override {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    GTEST_SKIP() << "a sanitizer replaces these functions itself";
#endif
    for (auto& each : calls) each = 0;
  }

  // No function but these is called as often as once for each 100 bytes.
  static void expect_no_others(std::initializer_list<function> expected) {
    for (std::size_t each = 0; each < names.size(); ++each)
      if (std::ranges::find(expected, static_cast<function>(each)) == expected.end()) {
        EXPECT_LT(calls[each], size / 100) << names[each];
      }
  }

  test::temporary_directory directory_;
};

TEST_F(called_functions, of_each_way_are_those_it_is_named_after) {
  for (const byte_way& way : byte_ways()) {
    SCOPED_TRACE(way.name);
    const auto* const row = std::ranges::find(byte_rows, way.name, &expected_calls::way);
    ASSERT_NE(row, byte_rows.end()) << "no row of this test";
    const auto path = directory_ / "file";
    if (way.goes == direction::read) find_baseline("stdio")->write({.path = path, .content = {.size = size}});
    for (auto& each : calls) each = 0;
    const std::uint64_t bytes = way.run({.path = path, .size = size}).done.bytes;
    EXPECT_GT(bytes, size - 100);  // the file that is read has whole lines
    if (row->each_byte != function::none) {
      EXPECT_GE(calls_of(row->each_byte), bytes);
      EXPECT_LT(calls_of(row->each_byte), bytes + 100);
    }
    if (row->each_buffer != function::none) {
      EXPECT_GE(calls_of(row->each_buffer), 1U);
    }
    expect_no_others({row->each_byte});
  }
}

TEST_F(called_functions, of_each_baseline_are_those_it_is_named_after) {
  using calls_by_name = std::pair<std::string_view, function>;
  constexpr std::array rows = {calls_by_name{"stdio", function::fwrite},
                               calls_by_name{"stdio-unlocked", function::fwrite_unlocked},
                               calls_by_name{"write", function::none},
                               calls_by_name{"aio-write", function::none},
                               calls_by_name{"ofstream", function::ostream_write},
                               calls_by_name{"ofstream-tuned", function::ostream_write},
                               calls_by_name{"ofstream-naive", function::ostream_put},
                               calls_by_name{"freshet-naive", function::none},
                               calls_by_name{"freshet-ostream", function::ostream_put},
                               calls_by_name{"freshet-print", function::none},
                               calls_by_name{"fmt", function::none}};
  for (const baseline& each : baselines()) {
    SCOPED_TRACE(each.name);
    const auto* const row = std::ranges::find(rows, each.name, &calls_by_name::first);
    ASSERT_NE(row, rows.end()) << "no row of this test";
    for (auto& count : calls) count = 0;
    each.write({.path = directory_ / "file", .content = {.size = size}});
    if (row->second != function::none) {
      EXPECT_GE(calls_of(row->second), size / 100);
    }
    expect_no_others({row->second});
  }
}

}  // namespace
}  // namespace freshet::tool
