// Those differences from std's file streams listed in doc/reference/differences.md that only other files than regular
// ones show.
#include <freshet/stream.hpp>

#include <gtest/gtest.h>

#include <fstream>
#include <string>
#include <utility>

#include "tests/support/openable.hpp"
#include "tests/support/temporary_directory.hpp"

namespace freshet {
namespace {

using std::ios_base;

// What a program sees after a read that failed: whether another seek and close() succeed.
template <typename Stream>
std::pair<bool, bool> go_on_after_a_failed_read(Stream in) {
  EXPECT_EQ(in.get(), std::char_traits<char>::eof());
  EXPECT_TRUE(in.bad());
  in.clear();
  in.seekg(7);
  const bool has_moved = in && in.tellg() == std::streampos{7};
  in.clear();
  in.close();
  return {has_moved, in.good()};
}

TEST(unusual_files, stay_failed_after_a_read_that_failed) {
  const test::temporary_directory directory;
  EXPECT_EQ(go_on_after_a_failed_read(std::ifstream{directory.path()}), (std::pair{true, true}));
  EXPECT_EQ(go_on_after_a_failed_read(ifstream{directory.path()}), (std::pair{false, false}));
}

TEST(unusual_files, without_positions_are_written_after_they_were_read) {
  test::named_pipe pipe{"some"};
  std::fstream standard{pipe.path()};
  EXPECT_EQ(standard.get(), 's');
  EXPECT_FALSE(standard << "lost" << std::flush);
  standard.close();
  pipe.put("more");
  fstream both{pipe.path()};
  EXPECT_EQ(both.get(), 'm');
  EXPECT_TRUE(both << "written" << std::flush);
  EXPECT_EQ(both.get(), 'o') << "what was read ahead is kept";
  EXPECT_EQ(pipe.content(), "written");
}

TEST(unusual_files, without_an_end_can_be_appended_to) {
  test::program_name name;
  const std::ofstream standard{name.path(), ios_base::app};
  EXPECT_FALSE(standard.is_open()) << "fopen() looks for its end";
  ofstream out{name.path(), ios_base::app};
  out << "appended";
  out.close();
  EXPECT_TRUE(out);
  EXPECT_EQ(name.content(), "appended\n");
}

TEST(unusual_files, count_what_was_written_as_their_position) {
  const test::program_name name;
  std::ofstream standard{name.path()};
  standard << "name" << std::flush;
  EXPECT_EQ(standard.tellp(), std::streampos{0});
  ofstream out{name.path()};
  out << "name" << std::flush;
  EXPECT_EQ(out.tellp(), std::streampos{4});
}

}  // namespace
}  // namespace freshet
