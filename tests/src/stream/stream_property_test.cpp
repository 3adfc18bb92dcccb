// Runs the same random sequence of calls on a std::fstream and a freshet::fstream: results, states, positions and files
// must be equal after every step.
#include <freshet/stream.hpp>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <fstream>
#include <functional>
#include <iomanip>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/temporary_directory.hpp"
#include "tests/support/writing.hpp"

namespace {

using std::ios_base;

struct step {
  int operation;
  std::int64_t number;
  double real;
  unsigned format;
  std::string text;
};

std::ostream& operator<<(std::ostream& out, const step& one) {
  return out << '{' << one.operation << ", " << one.number << ", " << one.real << ", " << one.format << ", \""
             << one.text << "\"}";
}

constexpr std::array modes = {ios_base::out,
                              ios_base::out | ios_base::trunc,
                              ios_base::in,
                              ios_base::in | ios_base::out,
                              ios_base::in | ios_base::out | ios_base::trunc,
                              ios_base::app,
                              ios_base::out | ios_base::app,
                              ios_base::in | ios_base::app,
                              ios_base::in | ios_base::out | ios_base::app,
                              ios_base::trunc,
                              ios_base::trunc | ios_base::app | ios_base::out,
                              ios_base::openmode{}};

ios_base::openmode mode_of(std::uint64_t number) {
  auto mode = modes[number % modes.size()];
  if (number / modes.size() % 3 == 1) mode |= ios_base::binary;
  if (number / modes.size() % 4 == 1) mode |= ios_base::ate;
  return mode;
}

// One of the two streams, its file, and the results of the last calls.
template <typename Stream>
class player {
 public:
  explicit player(std::filesystem::path path) : path_{std::move(path)} {}

  void open(std::uint64_t mode) {
    if (!stream_.is_open()) appends_ = (mode_of(mode) & ios_base::app) != 0;
    stream_.open(path_, mode_of(mode));
    said_ << "open " << stream_.is_open();
  }

  // Runs one step. Returns everything that can be observed of it.
  std::string play(const step& next) {
    said_.str({});
    said_.clear();
    do_step(next);
    // In a file opened for appending, the standard stream's position is wrong until it is flushed.
    if (appends_) stream_.flush();
    const auto state = stream_.rdstate();
    stream_.clear();
    said_ << " state " << state << " at " << stream_.tellp() << ' ' << stream_.tellg() << " width " << stream_.width();
    stream_.clear(state);
    return said_.str();
  }

  [[nodiscard]] std::string content() const { return freshet::test::content_of(path_); }
  Stream& stream() { return stream_; }

 private:
  void do_step(const step& next) {
    const auto size = static_cast<std::streamoff>(next.number % 200'000);
    const auto small = static_cast<std::streamoff>(next.number % 100);
    switch (next.operation) {
      case 0:
        stream_ << next.text;
        break;
      case 1:
        stream_ << next.text.c_str() << next.number << ' ' << static_cast<int>(next.number) << '\t';
        break;
      case 2:
        insert_formatted(stream_, next);
        break;
      case 3:
        insert_formatted(static_cast<std::ostream&>(stream_), next);
        break;
      case 4:
        stream_.write(large().data(), size);
        break;
      case 5:
        stream_.put(static_cast<char>(next.number));
        break;
      case 6:
        stream_.seekp(size);
        break;
      case 7:
        stream_.seekp(small - 50, std::ios::cur);
        break;
      case 8:
        stream_.seekp(-size, std::ios::end);
        break;
      case 9:
        stream_.seekg(size);
        break;
      case 10:
        stream_.seekg(small - 20, std::ios::cur);
        break;
      case 11:
        stream_.seekg(-small, std::ios::end);
        break;
      case 12:
        said_ << stream_.get() << ' ' << stream_.gcount();
        break;
      case 13:
        read(static_cast<std::size_t>(size));
        break;
      case 14:
        read(static_cast<std::size_t>(small));
        break;
      case 15:
        read_line();
        break;
      case 16:
        said_ << stream_.peek();
        break;
      case 17:
        // Directly after a large read(), libstdc++ puts back a character that is not the file's.
        stream_.get();
        stream_.unget();
        break;
      case 18:
        stream_.ignore(small, '\n');
        break;
      case 19:
        extract();
        break;
      case 20:
        stream_.clear();
        break;
      case 21:
        stream_.clear();
        stream_.flush();
        break;
      case 22:
        said_ << stream_.sync();
        break;
      case 23:
        move_about();
        break;
      case 24:
        stream_.close();
        open(static_cast<std::uint64_t>(next.number));
        break;
      case 25:
        stream_.setstate(static_cast<ios_base::iostate>(next.number % 8));
        break;
      case 26:
        stream_ << std::endl << next.real;
        break;
      case 27:
        put_back(static_cast<char>(next.number));
        break;
      case 28:
        stream_ << (next.number % 2 != 0 ? std::unitbuf : std::nounitbuf);
        break;
      case 29:
        open(static_cast<std::uint64_t>(next.number));
        break;
      default:
        break;
    }
  }

  template <typename Out>
  static void insert_formatted(Out& out, const step& next) {
    const auto flags = out.flags();
    out.setf(static_cast<ios_base::fmtflags>(next.format),
             ios_base::floatfield | ios_base::basefield | ios_base::adjustfield | ios_base::showpos |
                 ios_base::showpoint | ios_base::showbase | ios_base::uppercase | ios_base::boolalpha);
    out.precision(static_cast<std::streamsize>(next.format % 23) - 1);
    if (next.format % 5 == 0) out.width(static_cast<std::streamsize>(next.format % 40));
    out.fill(next.format % 2 == 0 ? ' ' : '#');
    out << next.real << ' ' << static_cast<float>(next.real) << next.number << static_cast<unsigned>(next.number);
    out << static_cast<short>(next.number) << (next.number % 2 == 0) << next.text << 'x';
    out.flags(flags);
    out.precision(6);
  }

  void read(std::size_t length) {
    std::string into(length, '\0');
    stream_.read(into.data(), static_cast<std::streamsize>(length));
    said_ << stream_.gcount() << ' ' << std::hash<std::string>{}(into);
  }
  void read_line() {
    std::string line;
    std::getline(stream_, line);
    said_ << line.size() << ' ' << std::hash<std::string>{}(line);
  }
  void extract() {
    int number = -1;
    std::string word;
    stream_ >> number >> word;
    said_ << number << word;
  }
  void move_about() {
    Stream other{std::move(stream_)};
    said_ << stream_.is_open();
    stream_ = std::move(other);
    Stream another;
    another.swap(stream_);
    swap(stream_, another);
  }
  // Putting back twice in a row is implementation-defined, and so is, in libstdc++, the position directly after a
  // character that was put back.
  void put_back(char character) {
    const int before = stream_.get();
    stream_.putback(character);
    said_ << before << ' ' << stream_.get() << ' ' << stream_.get();
  }

  static const std::string& large() {
    static const std::string bytes = freshet::test::bytes_from(0, 200'000);
    return bytes;
  }

  std::filesystem::path path_;
  Stream stream_;
  bool appends_ = false;
  std::ostringstream said_;
};

std::string content_at_start(std::size_t length) {
  std::string text = freshet::test::bytes_from(77, length);
  for (std::size_t i = 0; i < text.size(); i += 37) text[i] = i % 2 == 0 ? '\n' : '7';
  return text;
}

RC_GTEST_PROP(streams, behave_like_the_standard_streams, ()) {
  const freshet::test::temporary_directory directory;
  const auto begin = content_at_start(*rc::gen::inRange<std::size_t>(0, 100'000));
  for (const auto* name : {"std", "freshet"}) std::ofstream{directory / name} << begin;
  player<std::fstream> expected{directory / "std"};
  player<freshet::fstream> tested{directory / "freshet"};
  const auto mode = *rc::gen::inRange<std::uint64_t>(0, 100);
  expected.open(mode);
  tested.open(mode);

  const auto steps = *rc::gen::container<std::vector<step>>(rc::gen::build<step>(
      rc::gen::set(&step::operation, rc::gen::inRange(0, 30)),
      rc::gen::set(&step::number, rc::gen::oneOf(rc::gen::inRange<std::int64_t>(0, 1000),
                                                 rc::gen::inRange<std::int64_t>(0, 1'000'000'000'000))),
      rc::gen::set(&step::real,
                   rc::gen::oneOf(rc::gen::arbitrary<double>(), rc::gen::map(rc::gen::inRange(-100'000, 10'000'000),
                                                                             [](int cents) { return cents / 100.0; }))),
      rc::gen::set(&step::format), rc::gen::set(&step::text, rc::gen::string<std::string>())));
  for (const step& next : steps) {
    const std::string wanted = expected.play(next);
    RC_LOG(wanted);
    RC_ASSERT(tested.play(next) == wanted);
    if (next.operation == 21) RC_ASSERT(tested.content() == expected.content());
  }
  expected.stream().close();
  tested.stream().close();
  RC_ASSERT(tested.stream().rdstate() == expected.stream().rdstate());
  RC_ASSERT(tested.content() == expected.content());
}

}  // namespace
