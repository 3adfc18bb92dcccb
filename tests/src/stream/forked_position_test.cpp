// Parents and children of a fork that write one file, with operations on its position before and after: beside the
// standard's streams, at random.
#include <freshet/stream.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <filesystem>
#include <fstream>
#include <functional>
#include <ios>
#include <random>
#include <string>
#include <vector>

#include "tests/support/child.hpp"
#include "tests/support/file_content.hpp"
#include "tests/support/soak.hpp"
#include "tests/support/temporary_directory.hpp"
#include "tests/support/writing.hpp"

namespace freshet {
namespace {

enum class operation : unsigned {
  write,
  write_much,
  seek_begin,
  seek_current,
  seek_end,
  seek_too_far,
  seek_to_read,
  tell,
  flush,
  sync,
  reserve,
  fork,
};
constexpr unsigned operations = 12;

// What the random numbers ask for; the same with each kind of stream. Everything is flushed before a fork: what is not,
// the standard's streams write twice.
template <typename Stream>
class program {
 public:
  program(const std::filesystem::path& path, std::ios::openmode mode, unsigned seed)
      : random_{seed}, file_{path, mode} {}

  // Returns whether all children saw what they should.
  bool run(unsigned steps, unsigned forks) {
    for (unsigned step = 0; step < steps; ++step) do_one(forks);
    file_.flush();
    return are_right_;
  }
  [[nodiscard]] const std::vector<std::streamoff>& told() const { return told_; }
  void close() { file_.close(); }

 private:
  void write(std::size_t length) { file_ << std::string(length, static_cast<char>('a' + letter_++ % 26)); }

  void do_one(unsigned forks) {
    switch (static_cast<operation>(random_() % operations)) {
      case operation::write:
        return write(1 + random_() % 20);
      case operation::write_much:
        return write(random_() % 100'000);
      case operation::seek_begin:
        file_.seekp(static_cast<std::streamoff>(random_() % 50));
        break;
      case operation::seek_current:
        file_.seekp(static_cast<std::streamoff>(random_() % 20) - 10, std::ios::cur);
        break;
      case operation::seek_end:
        file_.seekp(0, std::ios::end);
        break;
      case operation::seek_too_far:
        file_.seekp(-5);
        break;
      case operation::seek_to_read:
        if constexpr (requires { file_.seekg(0); }) file_.seekg(static_cast<std::streamoff>(random_() % 50));
        break;
      case operation::tell:
        told_.push_back(file_.tellp());
        break;
      case operation::flush:
        file_.flush();
        break;
      case operation::sync:
        file_.rdbuf()->pubsync();
        break;
      case operation::reserve:
        if constexpr (requires { file_.reserve(1); }) file_.reserve(50'000);
        break;
      case operation::fork:
        return fork(forks);
    }
    file_.clear();
  }

  void fork(unsigned forks) {
    const auto steps = static_cast<unsigned>(random_() % 6);
    const auto seed = static_cast<unsigned>(random_());
    if (forks == 0) return;
    file_.flush();
    if (random_() % 2 == 0) {
      file_.seekp(0, std::ios::end);
      if (random_() % 2 == 0) file_.flush();
    }
    are_right_ = are_right_ && test::true_in_child([&] {
                   random_.seed(seed);
                   const bool are_right = run(steps, forks - 1);
                   file_.close();
                   return are_right;
                 });
  }

  std::mt19937 random_;
  Stream file_;
  std::size_t letter_ = 0;
  bool are_right_ = true;
  std::vector<std::streamoff> told_;
};

template <typename Freshet, typename Standard>
void expect_same(std::ios::openmode mode, bool tells_the_same = true) {
  const test::temporary_directory directory;
  const unsigned first = std::random_device{}();
  const std::size_t programs = test::sample_size(2'000, 60);
  for (unsigned seed = first; seed < first + programs; ++seed) {
    program<Freshet> ours{directory / "ours", mode, seed};
    program<Standard> standards{directory / "standards", mode, seed};
    EXPECT_EQ(ours.run(20, 2), standards.run(20, 2)) << "seed " << seed;
    if (tells_the_same) {
      EXPECT_EQ(ours.told(), standards.told()) << "seed " << seed;
    }
    ours.close();
    standards.close();
    const bool are_equal = test::content_of(directory / "ours") == test::content_of(directory / "standards");
    EXPECT_TRUE(are_equal) << "seed " << seed;
    if (testing::Test::HasFailure()) return;
  }
}

TEST(forked_position, of_files_that_are_written) { expect_same<ofstream, std::ofstream>(std::ios::out); }

TEST(forked_position, of_files_that_are_written_and_read) {
  expect_same<fstream, std::fstream>(std::ios::in | std::ios::out | std::ios::trunc);
}

// What tellp() returns there is a documented difference.
TEST(forked_position, of_files_that_are_appended_to) { expect_same<ofstream, std::ofstream>(std::ios::app, false); }

// A seek that is not followed by a write yet is the child's, too.
TEST(forked_position, is_that_of_a_seek_without_a_write) {
  const test::temporary_directory directory;
  ofstream out{directory / "file"};
  out << "parent 1\n";
  out.flush();
  out.seekp(0, std::ios::end);
  out.flush();
  EXPECT_TRUE(test::true_in_child([&] {
    out << "child\n";
    out.close();
    return out.good();
  }));
  out << "parent 2\n";
  out.close();
  EXPECT_EQ(test::content_of(directory / "file"), "parent 1\nchild\nparent 2\n");
}

}  // namespace
}  // namespace freshet
