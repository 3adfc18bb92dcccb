// Tests what the standard requires of a stream buffer, and cases in which file buffers are known to fail.
#include <freshet/stream.hpp>

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/types.h>

#include <array>
#include <cctype>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "tests/support/temporary_directory.hpp"
#include "tests/support/writing.hpp"

namespace freshet {
namespace {

using std::ios_base;
using test::bytes_from;
using test::content_of;

static_assert(std::is_base_of_v<std::streambuf, filebuf> && !std::is_copy_constructible_v<filebuf> &&
              std::is_nothrow_move_constructible_v<filebuf>);

class buffers : public testing::Test {
 protected:
  void write(std::string_view content) { std::ofstream{path_, std::ios::binary} << content; }

  test::temporary_directory directory_;
  const std::filesystem::path path_ = directory_ / "file";
};

TEST_F(buffers, reject_a_second_file_and_keep_the_first) {
  filebuf buffer;
  EXPECT_EQ(buffer.open(path_, ios_base::out), &buffer);
  EXPECT_EQ(buffer.open(directory_ / "second", ios_base::out), nullptr);
  EXPECT_FALSE(std::filesystem::exists(directory_ / "second"));
  EXPECT_EQ(buffer.close(), &buffer);
  EXPECT_EQ(buffer.close(), nullptr);
  EXPECT_EQ(buffer.open(directory_ / "second", ios_base::out), &buffer);
}

TEST_F(buffers, keep_their_position_when_used_directly) {
  ofstream out{path_, {.block = 4096}};
  for (int i = 0; i < 1000; ++i) {
    out.rdbuf()->sputc('a');
    out.rdbuf()->sputn("bcdefgh", 7);
    out << "ij";
    ASSERT_EQ(out.tellp(), std::streampos{10 * (i + 1)});
  }
  out.close();
  EXPECT_EQ(content_of(path_).size(), 10'000U);
}

TEST_F(buffers, switch_between_reading_and_writing_with_any_buffer) {
  for (int length = -1; length < 16; ++length) {
    std::array<char, 16> memory{};
    fstream both;
    if (length >= 0) both.rdbuf()->pubsetbuf(length == 0 ? nullptr : memory.data(), length);
    both.open(path_, ios_base::in | ios_base::out | ios_base::trunc);
    for (const char each : std::string_view{"abcdefg"}) EXPECT_TRUE(both.put(each));
    EXPECT_TRUE(both.seekg(1, ios_base::beg));
    EXPECT_EQ(both.get(), 'b');
    EXPECT_TRUE(both.seekg(-1, ios_base::cur));
    EXPECT_EQ(both.get(), 'b');
    EXPECT_TRUE(both.seekg(1));
    EXPECT_TRUE(both.put('B'));
    EXPECT_TRUE(both.flush());
    EXPECT_EQ(both.get(), 'c');
    EXPECT_TRUE(both.seekg(2));
    EXPECT_TRUE(both.put('C'));
    EXPECT_TRUE(both.seekg(3));
    EXPECT_EQ(both.get(), 'd');
    EXPECT_TRUE(both.seekg(0));
    std::string front(5, '\0');
    EXPECT_TRUE(both.read(front.data(), 5));
    EXPECT_EQ(front, "aBCde");
    EXPECT_TRUE(both << std::flush);
    EXPECT_TRUE(both.putback('e'));
    EXPECT_TRUE(both.putback('d'));
    EXPECT_EQ(both.get(), 'd');
    EXPECT_EQ(both.get(), 'e');
    EXPECT_TRUE(both.putback('x'));
    EXPECT_EQ(both.tellg(), std::streampos{4});
    EXPECT_EQ(both.get(), 'x');
    EXPECT_EQ(both.get(), 'f');
    EXPECT_EQ(both.get(), 'g');
    EXPECT_EQ(both.get(), std::char_traits<char>::eof());
    both.clear();
    EXPECT_TRUE(both.seekg(1));
    EXPECT_EQ(both.get(), 'B');
    EXPECT_TRUE(both.putback('B'));
    EXPECT_TRUE(both.putback('a'));
    EXPECT_FALSE(both.putback('x')) << "there is nothing before the file's front";
    both.clear();
    EXPECT_EQ(both.get(), 'a');
    EXPECT_EQ(both.get(), 'B');
    both.close();
    EXPECT_EQ(content_of(path_), "aBCdefg") << "what was put back must not be written";
  }
}

TEST_F(buffers, put_back_only_what_can_be_read) {
  write("abc");
  ifstream in{path_};
  EXPECT_TRUE(in.putback(static_cast<char>(in.get())));
  EXPECT_EQ(in.get(), 'a');
  fstream out{path_, ios_base::out};
  EXPECT_FALSE(out.putback('x'));
}

TEST_F(buffers, do_not_lose_characters_to_a_sync) {
  write("Line 1\nLine 2\n");
  ifstream in{path_};
  std::string all;
  while (in.peek() != std::char_traits<char>::eof()) {
    EXPECT_EQ(in.sync(), 0);
    all.push_back(static_cast<char>(in.get()));
  }
  EXPECT_EQ(all, "Line 1\nLine 2\n");
}

TEST_F(buffers, can_be_swapped_at_any_time) {
  const std::string one = bytes_from(0, 20'000), other = bytes_from(5, 30'000);
  std::ofstream{directory_ / "one"} << one;
  std::ofstream{directory_ / "other"} << other;
  ifstream first{directory_ / "one", {.block = 4096}}, second{directory_ / "other", {.block = 4096}};
  for (std::size_t i = 0; i < one.size(); ++i) {
    if (i % 10 == 0) first.seekg(first.tellg());
    if (i % 7 == 0) second.putback(static_cast<char>(second.get()));
    first.swap(second);
    ASSERT_EQ(static_cast<char>(first.get()), other[i]);
    swap(first, second);
    ASSERT_EQ(static_cast<char>(first.get()), one[i]);
  }
}

TEST_F(buffers, move_with_their_content) {
  std::vector<ofstream> many;
  for (int i = 0; i < 20; ++i) many.emplace_back(directory_ / std::to_string(i)) << "file " << i;
  ofstream moved{std::move(many[3])};
  EXPECT_FALSE(many[3].is_open());
  moved << " moved";
  many[3] = std::move(moved);
  many[3] << " back " << 1.5;
  many.clear();
  EXPECT_EQ(content_of(directory_ / "3"), "file 3 moved back 1.5");
  EXPECT_EQ(content_of(directory_ / "19"), "file 19");

  filebuf source;
  source.open(path_, ios_base::out);
  source.sputn("abc", 3);
  filebuf target{std::move(source)};
  EXPECT_FALSE(source.is_open());
  EXPECT_EQ(source.sputc('x'), std::char_traits<char>::eof());
  EXPECT_EQ(target.pubseekoff(0, ios_base::cur), std::streampos{3});
  target.close();
  EXPECT_EQ(content_of(path_), "abc");
}

TEST_F(buffers, have_no_positions_in_pipes) {
  ASSERT_EQ(::mkfifo(path_.c_str(), 0600), 0);
  fstream both{path_};
  ASSERT_TRUE(both.is_open());
  EXPECT_EQ(both.tellp(), std::streampos{-1});
  both.clear();
  both << "through" << std::flush;
  std::string word(7, '\0');
  EXPECT_TRUE(both.read(word.data(), 7));
  EXPECT_EQ(word, "through");
  EXPECT_FALSE(both.seekg(0));
}

TEST_F(buffers, continue_reading_when_the_file_grows) {
  write("one");
  ifstream in{path_};
  std::string word;
  EXPECT_TRUE(in >> word);
  EXPECT_TRUE(in.eof());
  std::ofstream{path_, std::ios::app} << " two";
  in.clear();
  EXPECT_TRUE(in >> word);
  EXPECT_EQ(word, "two");
}

// As in libstdc++, a character that is not the file's is refused where one was put back before.
TEST_F(buffers, refuse_to_put_back_two_characters_that_are_not_the_files) {
  write("abcdef");
  const auto put_back_twice = [&](auto in, char second) {
    char front[3];
    in.read(front, 3);
    EXPECT_TRUE(in.putback('X'));
    in.putback(second);
    const bool bad = in.bad();
    in.clear();
    std::string rest;
    std::getline(in, rest);
    return std::pair{bad, rest};
  };
  for (const char second : {'Y', 'X', 'b', 'c'}) {
    const auto expected = put_back_twice(std::ifstream{path_}, second);
    EXPECT_EQ(expected.first, second != 'b');
    EXPECT_EQ(put_back_twice(ifstream{path_}, second), expected);
    EXPECT_EQ(put_back_twice(fstream{path_, ios_base::in | ios_base::out}, second), expected);
  }
  EXPECT_EQ(content_of(path_), "abcdef");

  filebuf buffer;
  ASSERT_TRUE(buffer.open(path_, ios_base::in));
  EXPECT_EQ(buffer.sbumpc(), 'a');
  EXPECT_EQ(buffer.sbumpc(), 'b');
  EXPECT_EQ(buffer.sputbackc('x'), 'x');
  EXPECT_EQ(buffer.sputbackc('y'), std::char_traits<char>::eof());
}

TEST_F(buffers, go_back_as_the_standards_do) {
  write("abc");
  const auto go_back = [&](auto buffer) {
    buffer.open(path_, ios_base::in);
    std::string said;
    const auto say = [&](int character) { said += std::to_string(character) + ' '; };
    say(buffer.sungetc());
    say(buffer.sbumpc());
    say(buffer.sungetc());
    say(buffer.sgetc());
    say(buffer.sungetc());
    buffer.pubseekpos(2);
    say(buffer.sgetc());
    buffer.sungetc();  // the character, or 0 where it was not in memory any more
    say(buffer.sgetc());
    say(buffer.sputbackc('X'));
    say(buffer.sungetc());
    say(buffer.sgetc());
    say(buffer.sputbackc('X'));
    return said;
  };
  EXPECT_EQ(go_back(filebuf{}), go_back(std::filebuf{}));
}

// Counts what streams ask of it, and ends lines with "\r\n".
class derived : public filebuf {
 public:
  int overflows = 0, writes = 0, reads = 0, syncs = 0;

 protected:
  int_type overflow(int_type character) override {
    ++overflows;
    return filebuf::overflow(character);
  }
  std::streamsize xsputn(const char* from, std::streamsize length) override {
    ++writes;
    for (const char each : std::string_view{from, static_cast<std::size_t>(length)}) {
      if (each == '\n' && traits_type::eq_int_type(filebuf::overflow('\r'), traits_type::eof())) return 0;
      if (traits_type::eq_int_type(filebuf::overflow(traits_type::to_int_type(each)), traits_type::eof())) return 0;
    }
    return length;
  }
  int_type underflow() override {
    ++reads;
    return filebuf::underflow();
  }
  int sync() override {
    ++syncs;
    return filebuf::sync();
  }
};

TEST_F(buffers, can_be_derived_from) {
  derived buffer;
  ASSERT_TRUE(buffer.open(path_, ios_base::in | ios_base::out | ios_base::trunc));
  std::iostream both{&buffer};
  both << "one\n"
       << "two\n"
       << 3 << std::flush;
  EXPECT_EQ(buffer.writes, 3);
  EXPECT_EQ(buffer.syncs, 1);
  EXPECT_EQ(content_of(path_), "one\r\ntwo\r\n3");
  both.seekg(0);
  std::string word;
  EXPECT_TRUE(both >> word);
  EXPECT_EQ(word, "one");
  EXPECT_EQ(buffer.reads, 1);
  buffer.pubseekpos(11);
  both.put('x');
  both.put('y');
  EXPECT_EQ(buffer.overflows, 1) << "the second character has room";
  derived moved{std::move(buffer)};
  EXPECT_FALSE(buffer.is_open());
  EXPECT_EQ(moved.close(), &moved);
  EXPECT_EQ(content_of(path_), "one\r\ntwo\r\n3xy");
}

// Writes capitals: what is put goes to memory of its own first.
class capitals : public filebuf {
 public:
  capitals() { show_memory(); }
  ~capitals() override { finish(); }
  bool finish() { return sync() == 0 && close() != nullptr; }

 protected:
  int_type overflow(int_type character) override {
    raise();
    const bool is_character = !traits_type::eq_int_type(character, traits_type::eof());
    const int_type result = filebuf::overflow(is_character ? std::toupper(character) : character);
    show_memory();
    return result;
  }
  int sync() override {
    raise();
    const int result = filebuf::sync();
    show_memory();
    return result;
  }

 private:
  void raise() {
    for (char* each = pbase(); each < pptr(); ++each) *each = static_cast<char>(std::toupper(*each));
  }
  void show_memory() { setp(memory_.data(), memory_.data() + memory_.size()); }

  std::array<char, 4> memory_{};
};

TEST_F(buffers, write_what_a_derived_class_put_into_memory_of_its_own) {
  capitals buffer;
  ASSERT_TRUE(buffer.open(path_, ios_base::out));
  buffer.pubsync();
  std::ostream out{&buffer};
  out << "ab" << std::flush;
  EXPECT_EQ(content_of(path_), "AB");
  out << "cdefghijkl" << 12 << 'm';
  out.put('n');
  EXPECT_TRUE(buffer.finish());
  EXPECT_TRUE(out.good());
  EXPECT_EQ(content_of(path_), "ABCDEFGHIJKL12MN");
}

// As programs do that only format, or copy what is written.
TEST_F(buffers, call_what_a_derived_class_overrides_where_no_file_is_open) {
  class nowhere : public filebuf {
   public:
    std::string text;

   protected:
    int_type overflow(int_type character) override {
      text += traits_type::to_char_type(character);
      return traits_type::not_eof(character);
    }
    int_type underflow() override { return traits_type::eof(); }
    int_type uflow() override { return 'u'; }
  };
  nowhere buffer;
  std::ostream out{&buffer};
  out << "gasp " << 12;
  EXPECT_TRUE(out.good());
  EXPECT_EQ(buffer.text, "gasp 12");
  char letters[3];
  EXPECT_EQ(buffer.sgetn(letters, 3), 3);
  EXPECT_EQ(std::string_view(letters, 3), "uuu");
}

TEST_F(buffers, report_how_much_is_left) {
  write("abcdef");
  ifstream in{path_};
  EXPECT_EQ(in.rdbuf()->in_avail(), 6);
  in.get();
  EXPECT_EQ(in.rdbuf()->in_avail(), 5);
  EXPECT_EQ(ofstream{directory_ / "other"}.rdbuf()->in_avail(), -1);
}

TEST_F(buffers, can_be_read_by_iterators_and_as_a_whole) {
  const std::string content = bytes_from(0, 300'000);
  write(content);
  ifstream in{path_};
  EXPECT_EQ((std::string{std::istreambuf_iterator<char>{in}, {}}), content);
  in.clear();
  in.seekg(0);
  ofstream copy{directory_ / "copy"};
  copy << in.rdbuf();
  copy.close();
  EXPECT_EQ(content_of(directory_ / "copy"), content);
}
}  // namespace
}  // namespace freshet
