// Positions and sizes of every kind of file, beside std's streams: a table of kinds and of what programs do. A cell
// holds all that a program sees, and what is in the file afterwards. Cells that may differ on purpose name their row of
// doc/reference/differences.md.
#include <freshet/reader.hpp>
#include <freshet/stream.hpp>

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <memory>
#include <sstream>
#include <string>
#include <string_view>
#include <tuple>

#include "tests/support/openable.hpp"
#include "tests/support/writing.hpp"

namespace freshet {
namespace {

using std::ios_base;
using test::openable;

// What a test shows of bytes that may be many.
std::string summary_of(std::string_view bytes) {
  const std::size_t changed = test::first_difference(bytes);
  return std::to_string(bytes.size()) + " bytes, from " + std::to_string(changed) + " on " +
         testing::PrintToString(std::string{bytes.substr(changed, 20)}) + ", hash " +
         std::to_string(std::hash<std::string_view>{}(bytes));
}

// A stream, and a record of what a program sees of it. The program clears other failures and goes on, but not those of
// writing: after these, freshet's streams write no more.
template <typename Stream>
class observed {
 public:
  observed(openable& at, ios_base::openmode mode) {
    stream_.open(at.path(), mode);
    if (stream_.is_open()) at.was_opened(mode == ios_base::in);
    note("open");
  }

  void seek(std::streamoff by, ios_base::seekdir from = ios_base::beg) {
    if (gave_up_) return;
    if constexpr (requires { stream_.seekg(by, from); })
      stream_.seekg(by, from);
    else
      stream_.seekp(by, from);
    note("seek");
  }
  void read(std::size_t length) {
    if (gave_up_) return;
    std::string bytes(length, '\0');
    stream_.read(bytes.data(), static_cast<std::streamsize>(length));
    bytes.resize(static_cast<std::size_t>(stream_.gcount()));
    seen_ << summary_of(bytes) << '\n';
    note("read");
  }
  void write(std::string_view bytes) {
    if (gave_up_) return;
    stream_ << bytes << std::flush;
    gave_up_ = !stream_;
    note("write");
  }
  [[nodiscard]] std::string close() {
    stream_.close();
    note("close");
    return seen_.str();
  }

 private:
  void note(std::string_view call) {
    seen_ << call << (stream_.good() ? "" : stream_.eof() ? ": end" : stream_.bad() ? ": bad" : ": failed");
    if (!stream_.is_open()) {
      seen_ << ", closed\n";
      return;
    }
    stream_.clear();
    if (!gave_up_) seen_ << ", at " << stream_.rdbuf()->pubseekoff(0, ios_base::cur);
    seen_ << '\n';
  }

  Stream stream_;
  bool gave_up_ = false;
  std::ostringstream seen_;
};

struct standard {
  using reading = std::ifstream;
  using writing = std::ofstream;
  using both = std::fstream;
};
struct ours {
  using reading = ifstream;
  using writing = ofstream;
  using both = fstream;
};

template <typename Streams>
std::string read_from_the_start(openable& file) {
  observed<typename Streams::reading> in{file, ios_base::in};
  in.read(5);
  in.read(100'000);
  in.read(1);
  return in.close();
}

template <typename Streams>
std::string seek_from_the_start(openable& file) {
  observed<typename Streams::reading> in{file, ios_base::in};
  in.read(4);
  in.seek(2);
  in.read(4);
  in.seek(9'000);
  in.read(4);
  in.seek(-1);
  in.read(4);
  return in.close();
}

template <typename Streams>
std::string seek_from_here(openable& file) {
  observed<typename Streams::reading> in{file, ios_base::in};
  in.read(4);
  in.seek(-2, ios_base::cur);
  in.read(4);
  in.seek(500, ios_base::cur);
  in.read(4);
  return in.close();
}

template <typename Streams>
std::string seek_from_the_end(openable& file) {
  observed<typename Streams::reading> in{file, ios_base::in};
  in.seek(0, ios_base::end);
  in.read(1);
  in.seek(-4, ios_base::end);
  in.read(10);
  in.seek(4, ios_base::end);
  in.read(1);
  return in.close();
}

template <typename Streams>
std::string seek_past_the_end(openable& file) {
  observed<typename Streams::reading> in{file, ios_base::in};
  in.seek(10'000'000);
  in.read(1);
  in.seek(0);
  in.read(1);
  return in.close();
}

template <typename Streams>
std::string read_at_the_end(openable& file) {
  observed<typename Streams::reading> in{file, ios_base::in | ios_base::ate};
  in.read(1);
  in.seek(0);
  in.read(4);
  return in.close();
}

template <typename Streams>
std::string write_from_the_start(openable& file) {
  observed<typename Streams::writing> out{file, ios_base::out};
  out.write("0123456789");
  out.write("more");
  return out.close() + summary_of(file.content());
}

template <typename Streams>
std::string write_here_and_there(openable& file) {
  observed<typename Streams::writing> out{file, ios_base::out};
  out.write("0123456789");
  out.seek(2);
  out.write("two");
  out.seek(8'192);
  out.write("eight");
  out.seek(-2, ios_base::cur);
  out.write("here");
  return out.close() + summary_of(file.content());
}

template <typename Streams>
std::string write_at_the_end(openable& file) {
  observed<typename Streams::writing> out{file, ios_base::out | ios_base::ate};
  out.write("0123456789");
  out.seek(-3, ios_base::end);
  out.write("end");
  return out.close() + summary_of(file.content());
}

template <typename Streams>
std::string write_past_the_end(openable& file) {
  observed<typename Streams::writing> out{file, ios_base::out};
  out.seek(3'000'000);
  out.write("far");
  return out.close() + summary_of(file.content());
}

template <typename Streams>
std::string append(openable& file) {
  observed<typename Streams::writing> out{file, ios_base::app};
  out.write("0123456789");
  out.seek(2);
  out.write("two");
  return out.close() + summary_of(file.content());
}

template <typename Streams>
std::string append_at_the_end(openable& file) {
  observed<typename Streams::writing> out{file, ios_base::app | ios_base::ate};
  out.write("0123456789");
  return out.close() + summary_of(file.content());
}

template <typename Streams>
std::string change_in_place(openable& file) {
  observed<typename Streams::both> both{file, ios_base::in | ios_base::out};
  both.read(4);
  both.seek(2);
  both.write("XY");
  both.seek(0);
  both.read(8);
  both.seek(-2, ios_base::end);
  both.write("Z");
  both.seek(-2, ios_base::end);
  both.read(2);
  return both.close() + summary_of(file.content());
}

template <typename Streams>
std::string change_at_the_end(openable& file) {
  observed<typename Streams::both> both{file, ios_base::in | ios_base::out | ios_base::ate};
  both.write("end");
  both.seek(0);
  both.read(4);
  return both.close() + summary_of(file.content());
}

template <typename Streams>
std::string change_and_append(openable& file) {
  observed<typename Streams::both> both{file, ios_base::in | ios_base::out | ios_base::app};
  both.read(4);
  both.seek(0);
  both.write("end");
  both.seek(0);
  both.read(4);
  return both.close() + summary_of(file.content());
}

template <typename Streams>
std::string change_from_nothing(openable& file) {
  observed<typename Streams::both> both{file, ios_base::in | ios_base::out | ios_base::trunc};
  both.write("0123456789");
  both.seek(4);
  both.read(4);
  return both.close() + summary_of(file.content());
}

// What a program does, with std's streams and with freshet's.
struct program {
  const char* name;
  std::string (*standard)(openable&);
  std::string (*ours)(openable&);

  friend std::ostream& operator<<(std::ostream& out, const program& one) { return out << one.name; }
};

constexpr program programs[] = {
    {"read_from_the_start", read_from_the_start<standard>, read_from_the_start<ours>},
    {"seek_from_the_start", seek_from_the_start<standard>, seek_from_the_start<ours>},
    {"seek_from_here", seek_from_here<standard>, seek_from_here<ours>},
    {"seek_from_the_end", seek_from_the_end<standard>, seek_from_the_end<ours>},
    {"seek_past_the_end", seek_past_the_end<standard>, seek_past_the_end<ours>},
    {"read_at_the_end", read_at_the_end<standard>, read_at_the_end<ours>},
    {"write_from_the_start", write_from_the_start<standard>, write_from_the_start<ours>},
    {"write_here_and_there", write_here_and_there<standard>, write_here_and_there<ours>},
    {"write_at_the_end", write_at_the_end<standard>, write_at_the_end<ours>},
    {"write_past_the_end", write_past_the_end<standard>, write_past_the_end<ours>},
    {"append", append<standard>, append<ours>},
    {"append_at_the_end", append_at_the_end<standard>, append_at_the_end<ours>},
    {"change_in_place", change_in_place<standard>, change_in_place<ours>},
    {"change_at_the_end", change_at_the_end<standard>, change_at_the_end<ours>},
    {"change_and_append", change_and_append<standard>, change_and_append<ours>},
    {"change_from_nothing", change_from_nothing<standard>, change_from_nothing<ours>},
};

// The row of doc/reference/differences.md that says why a cell may differ; empty where it must not. Whether it does
// depends on the user and the file system, too; what differs has tests of its own.
std::string_view row_of(std::string_view kind, std::string_view program) {
  const bool reads = program.starts_with("read") || program.starts_with("seek");
  const bool fails_at_once = kind == "dev_full" && !reads && program != "write_past_the_end" &&
                             program != "change_in_place" && program != "change_and_append";
  const bool is_empty = kind == "dev_null" && program == "read_from_the_start";
  if (kind.starts_with("dev_") && !fails_at_once && !is_empty) return "devices without positions";
  if (kind == "directory" && reads) return "a read that failed";
  if ((kind == "named_pipe" || kind == "terminal") && (program == "change_in_place" || program == "change_and_append"))
    return "writing after reading, without positions";
  if (program == "append" && (kind == "proc_version" || kind == "proc_limits" || kind == "proc_comm"))
    return "appending to files below /proc";
  if (kind == "proc_comm" &&
      (program == "write_from_the_start" || program == "write_here_and_there" || program == "write_past_the_end" ||
       program == "change_in_place" || program == "change_from_nothing"))
    return "files below /proc that leave the position where it is";
  return {};
}

class positions : public testing::TestWithParam<std::tuple<test::kind_of_openable, program>> {};

TEST_P(positions, are_those_of_the_standard_streams) {
  const auto& [kind, program] = GetParam();
  const auto of_standard = kind.make();
  if (!of_standard->why_not().empty()) GTEST_SKIP() << of_standard->why_not();
  const std::string expected = program.standard(*of_standard);
  const auto of_ours = kind.make();
  ASSERT_EQ(of_ours->why_not(), "");
  const std::string seen = program.ours(*of_ours);
  if (const std::string_view row = row_of(kind.name, program.name); row.empty())
    EXPECT_EQ(seen, expected);
  else
    RecordProperty("may_differ", std::string{row});
}

std::string name_of_cell(const testing::TestParamInfo<positions::ParamType>& cell) {
  return std::string{std::get<0>(cell.param).name} + "__" + std::get<1>(cell.param).name;
}

INSTANTIATE_TEST_SUITE_P(of, positions,
                         testing::Combine(testing::ValuesIn(test::all_kinds_of_openables()),
                                          testing::ValuesIn(programs)),
                         name_of_cell);

class sizes : public testing::TestWithParam<test::kind_of_openable> {
 protected:
  const std::unique_ptr<openable> file_ = GetParam().make();
};

TEST_P(sizes, are_where_the_standard_streams_find_the_end) {
  if (!file_->why_not().empty()) GTEST_SKIP() << file_->why_not();
  const auto kind = std::filesystem::status(file_->path()).type();
  const bool has_size = kind == std::filesystem::file_type::regular || kind == std::filesystem::file_type::block;
  std::ifstream standard{file_->path(), ios_base::ate};
  const auto end = has_size && standard.is_open() ? static_cast<std::uint64_t>(standard.tellg()) : 0;
  if (kind == std::filesystem::file_type::socket)
    EXPECT_THROW(reader{file_->path()}, error);
  else
    EXPECT_EQ(reader{file_->path()}.size(), end);
  auto adopted = reader::on_descriptor(file_->descriptor_to_read(), ownership::take);
  EXPECT_EQ(adopted.size(), end);
  EXPECT_EQ(adopted.tell(), 0U);
}

TEST_P(sizes, decide_where_a_reader_can_go) {
  if (!file_->why_not().empty()) GTEST_SKIP() << file_->why_not();
  const auto kind = std::filesystem::status(file_->path()).type();
  using std::filesystem::file_type;
  const bool is_in_order = kind == file_type::fifo || kind == file_type::character || kind == file_type::socket;
  auto in = reader::on_descriptor(file_->descriptor_to_read(), ownership::take);
  std::error_code failure;
  in.seek(in.size() / 2 + 1, failure);
  EXPECT_EQ(failure, is_in_order ? std::make_error_code(std::errc::invalid_seek) : std::error_code{});
}

std::string name_of_kind(const testing::TestParamInfo<test::kind_of_openable>& kind) { return kind.param.name; }

INSTANTIATE_TEST_SUITE_P(of, sizes, testing::ValuesIn(test::all_kinds_of_openables()), name_of_kind);

}  // namespace
}  // namespace freshet
