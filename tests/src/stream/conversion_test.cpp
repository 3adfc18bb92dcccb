// Tests streams whose locale's codecvt facet converts characters, or may do so: they refuse, wherever it was imbued.
#include <freshet/stream.hpp>

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <fstream>
#include <functional>
#include <locale>
#include <map>
#include <string>

#include "tests/support/temporary_directory.hpp"
#include "tests/support/writing.hpp"

namespace freshet {
namespace {

using std::ios_base;
using test::content_of;

// Calls `change` for each character in both directions.
struct converting : std::codecvt<char, char, std::mbstate_t> {
  using change = char (*)(char);
  explicit converting(change each, int width = 1) : change_{each}, width_{width} {}

  result do_out(state_type& /*state*/, const char* from, const char* end, const char*& taken, char* into, char* limit,
                char*& written) const override {
    for (taken = from, written = into; taken < end && written < limit; ++taken) *written++ = change_(*taken);
    return taken == end ? ok : partial;
  }
  result do_in(state_type& state, const char* from, const char* end, const char*& taken, char* into, char* limit,
               char*& written) const override {
    return do_out(state, from, end, taken, into, limit, written);
  }
  bool do_always_noconv() const noexcept override { return false; }
  int do_encoding() const noexcept override { return width_; }

 private:
  change change_;
  int width_;
};

// Ends lines as Windows does. A single byte tells nothing of do_in().
struct line_ends : std::codecvt<char, char, std::mbstate_t> {
  bool writes, reads;
  line_ends(bool changes_out, bool changes_in) : writes{changes_out}, reads{changes_in} {}

  result do_out(state_type& state, const char* from, const char* end, const char*& taken, char* into, char* limit,
                char*& written) const override {
    if (!writes) return codecvt::do_out(state, from, end, taken, into, limit, written);
    for (taken = from, written = into; taken < end; ++taken) {
      if (limit - written < 2) return partial;
      if (*taken == '\n') *written++ = '\r';
      *written++ = *taken;
    }
    return ok;
  }
  result do_in(state_type& state, const char* from, const char* end, const char*& taken, char* into, char* limit,
               char*& written) const override {
    if (!reads) return codecvt::do_in(state, from, end, taken, into, limit, written);
    for (taken = from, written = into; taken < end && written < limit; ++taken)
      if (*taken != '\r' || taken + 1 == end || taken[1] != '\n') *written++ = *taken;
    return taken == end ? ok : partial;
  }
  bool do_always_noconv() const noexcept override { return false; }
};

struct undecided : std::codecvt<char, char, std::mbstate_t> {
  bool do_always_noconv() const noexcept override { return false; }
};

struct throwing : undecided {
  result do_out(state_type& /*state*/, const char* /*from*/, const char* /*end*/, const char*& /*taken*/,
                char* /*into*/, char* /*limit*/, char*& /*written*/) const override {
    throw 1;
  }
};

std::locale with(std::locale::facet* conversion) {
  return {std::locale::classic(), static_cast<std::codecvt<char, char, std::mbstate_t>*>(conversion)};
}

char same(char character) { return character; }
char upper(char character) {
  return character >= 'a' && character <= 'z' ? static_cast<char>(character - 32) : character;
}
char last_byte(char character) { return character == '\xFF' ? '\xFE' : character; }

std::map<std::string, std::locale> changing_locales() {
  return {{"upper case", with(new converting{upper})},          {"one byte", with(new converting{last_byte})},
          {"line ends", with(new line_ends{true, true})},       {"line ends written", with(new line_ends{true, false})},
          {"line ends read", with(new line_ends{false, true})}, {"with a state", with(new converting{same, -1})},
          {"of several bytes", with(new converting{same, 0})},  {"throwing", with(new throwing)}};
}

std::map<std::string, std::locale> harmless_locales() {
  return {{"classic", std::locale::classic()},
          {"no conversion", with(new undecided)},
          {"the same characters", with(new converting{same})}};
}

using opening = std::function<void(std::ios&, const std::function<void()>&)>;

// Calls `open`, which opens the stream's file, and imbues `locale` at one of the places where programs do so.
std::map<std::string, opening> ways_to_imbue(const std::locale& locale) {
  return {{"before open()",
           [=](std::ios& stream, const auto& open) {
             stream.imbue(locale);
             open();
           }},
          {"after open()",
           [=](std::ios& stream, const auto& open) {
             open();
             stream.imbue(locale);
           }},
          {"in the buffer", [=](std::ios& stream, const auto& open) {
             open();
             stream.rdbuf()->pubimbue(locale);
           }}};
}

using writing = std::function<void(ofstream&)>;

std::map<std::string, writing> ways_to_write() {
  return {{"text", [](ofstream& out) { out << "text"; }},
          {"number", [](ofstream& out) { out << 12; }},
          {"put", [](ofstream& out) { out.put('p'); }},
          {"write", [](ofstream& out) { out.write("text", 4); }},
          {"a block", [](ofstream& out) { out << std::string(1 << 20, 'x'); }},
          {"as std::ostream", [](std::ostream& out) { out << "text" << 1.5; }},
          {"end of a line", [](ofstream& out) { out << std::endl; }}};
}

class conversions : public testing::Test {
 protected:
  // Expects that the stream refused, said so, and that nothing reached the file.
  template <typename Stream>
  void expect_refusal(Stream& stream) {
    EXPECT_TRUE(stream.bad());
    ASSERT_TRUE(stream.last_error());
    EXPECT_EQ(stream.last_error()->code(), std::errc::not_supported);
    EXPECT_EQ(stream.last_error()->path(), path_);
  }

  // Expects that each way to read is refused, and takes nothing.
  void expect_refusals(const std::map<std::string, std::function<void(std::istream&)>>& ways) {
    std::ofstream{path_} << "some text\n";
    for (const auto& [kind, locale] : changing_locales())
      for (const auto& [moment, open] : ways_to_imbue(locale))
        for (const auto& [way, read] : ways) {
          SCOPED_TRACE(kind + ", " + moment + ", " + way);
          ifstream in;
          open(in, [&] { in.open(path_); });
          EXPECT_TRUE(in.good());
          read(in);
          expect_refusal(in);
          in.clear();
          in.imbue(std::locale::classic());
          EXPECT_EQ(in.get(), 's');
        }
  }

  test::temporary_directory directory_;
  const std::filesystem::path path_ = directory_ / "file";
};

TEST_F(conversions, are_refused_by_all_ways_to_write) {
  for (const auto& [kind, locale] : changing_locales())
    for (const auto& [moment, open] : ways_to_imbue(locale))
      for (const auto& [way, write] : ways_to_write()) {
        SCOPED_TRACE(kind + ", " + moment + ", " + way);
        ofstream out;
        open(out, [&] { out.open(path_, ios_base::trunc); });
        EXPECT_TRUE(out.good());
        write(out);
        expect_refusal(out);
        out.close();
        EXPECT_EQ(content_of(path_), "");
      }
}

TEST_F(conversions, are_refused_while_reading) {
  expect_refusals({{"get", [](auto& in) { in.get(); }},
                   {"line",
                    [](auto& in) {
                      std::string line;
                      std::getline(in, line);
                    }},
                   {"read",
                    [](auto& in) {
                      char bytes[4];
                      in.read(bytes, 4);
                    }},
                   {"putback", [](auto& in) { in.putback('x'); }}});
}

TEST_F(conversions, are_refused_while_white_space_is_skipped) {
  expect_refusals({{"word", [](auto& in) {
                      std::string word;
                      in >> word;
                    }}});
}

TEST_F(conversions, are_refused_where_the_global_locale_asks_for_them) {
  const std::locale before = std::locale::global(with(new converting{upper}));
  ofstream out{path_};
  std::ofstream{directory_ / "std"} << "text";
  filebuf buffer;
  std::ostream over{&buffer};
  fstream both{directory_ / "both", ios_base::in | ios_base::out | ios_base::trunc};
  std::locale::global(before);
  ASSERT_EQ(content_of(directory_ / "std"), "TEXT") << "the test's facet converts nothing";

  out << "text";
  expect_refusal(out);
  ASSERT_TRUE(buffer.open(directory_ / "buffer", ios_base::out));
  over << "text";
  EXPECT_TRUE(over.bad());
  both << "text";
  EXPECT_TRUE(both.bad());
  both.clear();
  both.get();
  EXPECT_TRUE(both.bad()) << "the end of the file would look like an empty file";
}

TEST_F(conversions, that_change_nothing_are_accepted) {
  for (const auto& [kind, locale] : harmless_locales())
    for (const auto& [moment, open] : ways_to_imbue(locale)) {
      SCOPED_TRACE(kind + ", " + moment);
      ofstream out;
      open(out, [&] { out.open(path_, ios_base::trunc); });
      out << "text " << 12 << '\n';
      out.close();
      EXPECT_TRUE(out.good());
      ifstream in;
      open(in, [&] { in.open(path_); });
      std::string word;
      int number = 0;
      EXPECT_TRUE(in >> word >> number);
      EXPECT_EQ(word, "text");
      EXPECT_EQ(number, 12);
    }
}

// Every kind of file goes on where it was.
TEST_F(conversions, lose_nothing_that_was_written_before_or_after) {
  const std::map<std::string, std::function<void(ofstream&)>> kinds = {
      {"file", [&](auto& out) { out.open(path_); }},
      {"appended", [&](auto& out) { out.open(path_, ios_base::app); }},
      {"unbuffered",
       [&](auto& out) {
         out.rdbuf()->pubsetbuf(nullptr, 0);
         out.open(path_);
       }},
      {"compressed", [&](auto& out) { out.open(path_, {.compression = {.format = compression_format::zstd}}); }}};
  for (const auto& [kind, open] : kinds) {
    SCOPED_TRACE(kind);
    std::filesystem::remove(path_);
    ofstream out;
    open(out);
    if (kind == "compressed" && !out.is_open()) continue;  // built without zstd
    for (const char* piece : {"before ", "between ", "after"}) {
      out << piece;
      EXPECT_TRUE(out.good());
      out.imbue(with(new converting{upper}));
      out << "lost";
      expect_refusal(out);
      out.clear();
      out.imbue(std::locale::classic());
    }
    out.close();
    std::string all;
    const auto how = kind == "compressed" ? decompression::zstd : decompression::none;
    std::getline(ifstream{path_, {.decompression = how}}, all);
    EXPECT_EQ(all, "before between after");
  }
}

TEST_F(conversions, lose_nothing_of_a_pipe) {
  ASSERT_EQ(::mkfifo(path_.c_str(), 0600), 0);
  std::fstream end{path_, ios_base::in | ios_base::out};
  end << "abcdef" << std::flush;
  ifstream in{path_};
  EXPECT_EQ(in.get(), 'a');
  in.imbue(with(new converting{upper}));
  in.get();
  EXPECT_TRUE(in.bad());
  in.clear();
  in.imbue(std::locale::classic());
  std::string rest(5, '\0');
  EXPECT_TRUE(in.read(rest.data(), 5));
  EXPECT_EQ(rest, "bcdef");
}

TEST_F(conversions, move_with_the_buffer) {
  ofstream out{path_};
  out.imbue(with(new converting{upper}));
  ofstream moved{std::move(out)};
  moved << "text";
  expect_refusal(moved);
  ofstream other{directory_ / "other"};
  other.swap(moved);
  other << "text";
  EXPECT_TRUE(other.bad());
  moved << "text";
  EXPECT_TRUE(moved.good());
}

}  // namespace
}  // namespace freshet
