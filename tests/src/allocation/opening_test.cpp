// Streams that are opened while allocations fail: std::bad_alloc leaves open(), as with the standard's.
#include <freshet/stream.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <fstream>
#include <ios>
#include <new>
#include <string>

#include "src/base/pool.hpp"
#include "tests/src/allocation/allocation_run.hpp"

namespace freshet {
namespace {

using test::failing_allocations;

/// Opens `path` while the allocations fail. Returns what is wrong.
template <typename Stream>
std::string open_stream(const std::string& path, std::ios::openmode mode, std::size_t first, std::size_t last) {
  Stream stream;
  bool threw = false;
  {
    const failing_allocations failing{first, last};
    try {
      stream.open(path.c_str(), mode);
    } catch (const std::bad_alloc&) {
      threw = true;
    }
  }
  std::string complaint;
  if (!stream.good()) complaint += "the state is not good; ";
  if (stream.is_open() == threw) complaint += "open, or closed, wrongly; ";
  if (stream.last_error()) complaint += "an error was recorded; ";
  if (threw) stream.open(path.c_str(), mode);
  if (!stream.is_open()) complaint += "it cannot be opened later; ";
  return complaint;
}

/// The same by the constructor.
template <typename Stream>
std::string construct_stream(const std::string& path, std::ios::openmode mode, std::size_t first, std::size_t last) {
  bool is_good = true;
  try {
    const failing_allocations failing{first, last};
    const Stream stream{path.c_str(), mode};
    is_good = stream.good();
  } catch (const std::bad_alloc&) {  // as it should be
  }
  return is_good ? "" : "the constructed stream is not good; ";
}

template <typename Stream>
void expect_bad_alloc(const char* name, std::ios::openmode mode) {
  const auto open = [mode](std::size_t first, std::size_t last) {
    const test::temporary_directory directory;
    const std::string path = directory / "file";
    std::ofstream{path} << std::string(100'000, 'x');
    std::string complaint = open_stream<Stream>(path, mode, first, last);
    // Both in one process: what the first has made for all later streams need not be made again.
    complaint += construct_stream<Stream>(path, mode, first, last);
    if (test::descriptors_in(directory.path()) != 0) complaint += "a descriptor is open; ";
    if (detail::pool::in_use() != 0) complaint += "blocks are in use; ";
    return complaint;
  };
  test::expect_to_survive_each(name, open, 1'000);
}

TEST(allocation_opening, throws_bad_alloc_out_of_open) {
  using std::ios;
  expect_bad_alloc<ofstream>("out", ios::out);
  expect_bad_alloc<ofstream>("app", ios::app);
  expect_bad_alloc<ofstream>("ate", ios::out | ios::ate);
  expect_bad_alloc<ifstream>("in", ios::in);
  expect_bad_alloc<ifstream>("in, ate", ios::in | ios::ate);
  expect_bad_alloc<fstream>("in, out", ios::in | ios::out);
  expect_bad_alloc<fstream>("in, out, trunc", ios::in | ios::out | ios::trunc);
  expect_bad_alloc<fstream>("in, app", ios::in | ios::app);
}

// What the test above takes for the standard's behaviour. libstdc++ leaves such a stream open, without a buffer.
TEST(allocation_opening, throws_bad_alloc_as_the_standards_do) {
  const test::temporary_directory directory;
  const std::string path = directory / "file";
  std::ofstream{path} << "content";
  {
    std::fstream stream;
    const failing_allocations failing{1, failing_allocations::never};
    EXPECT_THROW(stream.open(path), std::bad_alloc);
  }
  EXPECT_EQ(test::descriptors_in(directory.path()), 0U);
}

// A stream tells of all else by its state, whatever memory there is.
TEST(allocation_opening, sets_failbit_for_a_file_that_is_missing) {
  ifstream in{"/missing/file"};
  EXPECT_TRUE(in.fail());
  EXPECT_TRUE(in.last_error().has_value());
}

}  // namespace
}  // namespace freshet
