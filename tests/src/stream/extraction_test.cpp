// Reading from a freshet::ifstream whose type is known, which takes characters directly from its buffer: the same
// random calls on a std::ifstream must give the same characters, states, counts and exceptions.
#include <freshet/stream.hpp>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <array>
#include <fstream>
#include <limits>
#include <sstream>
#include <string>
#include <utility>

#include "tests/support/temporary_directory.hpp"
#include "tests/support/writing.hpp"

namespace freshet {
namespace {

struct step {
  int operation;
  std::uint64_t number;
};
std::ostream& operator<<(std::ostream& out, const step& one) {
  return out << '{' << one.operation << ", " << one.number << '}';
}
constexpr int operations = 22;

// Plays a step and describes everything that can be seen of it.
template <typename Stream>
class player {
 public:
  explicit player(const std::filesystem::path& path) : stream_{path} {}

  std::string play(const step& next) {
    said_.str({});
    try {
      do_step(next);
    } catch (const std::ios_base::failure&) {
      said_ << " threw";
    }
    said_ << " count " << stream_.gcount() << ' ' << static_cast<std::istream&>(stream_).gcount() << " state "
          << stream_.rdstate() << " tied " << tied_.str().size();
    return said_.str();
  }

 private:
  void read(std::istream& in, std::streamsize length) {
    std::string into(static_cast<std::size_t>(std::max<std::streamsize>(length, 0)) + 1, '#');
    in.read(into.data(), length);
    said_ << into;
  }

  void do_step(const step& next) {
    const auto small = static_cast<std::streamsize>(next.number % 65);
    const auto large = static_cast<std::streamsize>(next.number % 20'000);
    std::string into(20'000, '#');
    char one = '#';
    switch (next.operation) {
      case 0:
      case 1:
        said_ << stream_.get();
        break;
      case 2:
        stream_.get(one);
        said_ << one;
        break;
      case 3:
        said_ << stream_.peek();
        break;
      case 4:
      case 5:
        stream_.read(into.data(), small);
        said_ << into;
        break;
      case 6:
        stream_.read(into.data(), large);
        said_ << into;
        break;
      case 7:
        said_ << static_cast<bool>(stream_.read(into.data(), 0));
        break;
      case 8:
        said_ << static_cast<std::istream&>(stream_).get();
        break;
      case 9:
        read(stream_, small);
        break;
      case 10:
        stream_.clear();
        break;
      case 11:
        stream_.seekg(static_cast<std::streamoff>(next.number % 70'000));
        break;
      case 12:
        stream_.seekg(static_cast<std::streamoff>(small) - 32, std::ios_base::cur);
        break;
      case 13:
        said_ << stream_.tellg();
        break;
      case 14:
        stream_.get(into.data(), small + 1);
        said_ << into;
        break;
      case 15:
        stream_.getline(into.data(), small + 1, 'a');
        said_ << into;
        break;
      case 16:
        stream_.ignore(small);
        break;
      case 17:
        stream_.get(*said_.rdbuf(), static_cast<char>(next.number));
        break;
      case 18:  // after one that was got: after a large read(), libstdc++ puts back one that is not the file's
        stream_.get();
        stream_.unget();
        break;
      case 19:
        stream_.tie(next.number % 2 == 0 ? &tied_ : nullptr);
        tied_ << 'x';
        break;
      case 20:
        stream_.exceptions(static_cast<std::ios_base::iostate>(next.number % 8));
        break;
      default:
        stream_.setstate(next.number % 3 == 0 ? std::ios_base::eofbit : std::ios_base::goodbit);
    }
  }

  std::ostringstream tied_;
  Stream stream_;
  std::ostringstream said_;
};

RC_GTEST_PROP(extraction, gives_what_the_standard_stream_gives, ()) {
  const test::temporary_directory directory;
  const auto size = *rc::gen::element<std::size_t>(0, 1, 100, 8191, 8192, 65'536, 65'537, 150'000);
  std::ofstream{directory / "file"} << test::bytes_from(0, size);
  player<std::ifstream> standard{directory / "file"};
  player<ifstream> own{directory / "file"};
  const auto steps = *rc::gen::container<std::vector<step>>(rc::gen::build<step>(
      rc::gen::set(&step::operation, rc::gen::inRange(0, operations)), rc::gen::set(&step::number)));
  for (const step& each : steps) RC_ASSERT(own.play(each) == standard.play(each));
}

TEST(extraction, takes_from_the_buffer_that_rdbuf_was_given) {
  const test::temporary_directory directory;
  std::ofstream{directory / "file"} << "file";
  ifstream in{directory / "file"};
  EXPECT_EQ(in.get(), 'f');
  std::stringbuf other{"other"};
  static_cast<std::ios&>(in).rdbuf(&other);
  EXPECT_EQ(in.get(), 'o');
  static_cast<std::ios&>(in).rdbuf(in.rdbuf());
  EXPECT_EQ(in.get(), 'i');
}

TEST(extraction, counts_also_after_a_move) {
  const test::temporary_directory directory;
  std::ofstream{directory / "file"} << "0123456789";
  ifstream in{directory / "file"};
  std::array<char, 4> four{};
  EXPECT_EQ(in.get(), '0');
  in.read(four.data(), 4);
  ifstream moved{std::move(in)};
  EXPECT_EQ(moved.gcount(), 4);
  EXPECT_EQ(moved.get(), '5');
  EXPECT_EQ(in.get(), std::char_traits<char>::eof());
  EXPECT_TRUE(in.fail());
}

TEST(extraction, of_a_file_that_is_written_too) {
  const test::temporary_directory directory;
  std::ofstream{directory / "file"} << "0123456789";
  fstream file{directory / "file"};
  EXPECT_EQ(file.get(), '0');
  EXPECT_EQ(file.get(), '1');
  file << "ab";
  EXPECT_EQ(file.get(), '4');
  EXPECT_EQ(file.peek(), '5');
  EXPECT_EQ(file.gcount(), 0);
}

}  // namespace
}  // namespace freshet
