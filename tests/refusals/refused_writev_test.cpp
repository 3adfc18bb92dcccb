// Where writev() is refused, write() gets the pieces of appended files whole.
#include <freshet/stream.hpp>
#include <freshet/writer.hpp>

#include <gtest/gtest.h>

#include <cerrno>
#include <filesystem>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "tests/refusals/watched_calls.hpp"
#include "tests/support/child.hpp"
#include "tests/support/file_content.hpp"
#include "tests/support/known_bytes.hpp"
#include "tests/support/temporary_directory.hpp"

namespace freshet::test {
namespace {

constexpr std::size_t lengths[] = {1, 100, 70'001, 8 << 20, 5, 262'144, 300'000, 99, 4096};

// Whether each call of write() that appends these pieces ends where one of them does, and all of them are written.
template <class Append>
bool gets_whole_pieces(Append append) {
  std::vector<std::uint64_t> calls;
  const bool is_watched = watch_calls([&](const seccomp_data& call) {
    if (call.nr == SYS_write) calls.push_back(call.args[2]);
  });
  if (!is_watched || !refuse_call({SYS_writev, "writev"}, EPERM)) return false;
  append();
  std::set<std::uint64_t> ends;
  std::uint64_t end = 0;
  for (const std::size_t each : lengths) ends.insert(end += each);
  std::uint64_t written = 0;
  for (const std::uint64_t each : calls)
    if (!ends.contains(written += each)) return false;
  return written == end;
}

std::vector<std::string> all_pieces() {
  std::vector<std::string> pieces;
  std::size_t end = 0;
  for (const std::size_t each : lengths) pieces.push_back(bytes_from(std::exchange(end, end + each), each));
  return pieces;
}

class refused_writev : public testing::Test {
 protected:
  void TearDown() override {
    std::string all;
    for (const std::string& each : pieces_) all += each;
    EXPECT_TRUE(content_of(path_) == all);
  }

  const std::vector<std::string> pieces_ = all_pieces();
  temporary_directory directory_;
  std::filesystem::path path_ = directory_ / "file";
};

TEST_F(refused_writev, leaves_pieces_of_streams_whole) {
  EXPECT_TRUE(true_in_child([&] {
    return gets_whole_pieces([&] {
      ofstream out{path_, std::ios::app};
      for (const std::string& each : pieces_) out.write(each.data(), static_cast<std::streamsize>(each.size()));
      out.close();
    });
  }));
}

TEST_F(refused_writev, leaves_pieces_of_writers_whole) {
  EXPECT_TRUE(true_in_child([&] {
    return gets_whole_pieces([&] {
      writer out{path_, {.mode = open_mode::append}};
      for (const std::string& each : pieces_) out.write(each);
      out.close();
    });
  }));
}

}  // namespace
}  // namespace freshet::test
