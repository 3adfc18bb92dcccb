// std::ofstream from naive to tuned, one change at a time: `--rung 0` to `--rung 8`; two others step aside.
#include <utility>

#include "content.hpp"
#include "peer.hpp"

namespace {

struct rung {
  std::size_t buffer = 0;  // 0: the library's default
  std::ios::openmode mode = {};
  bool tabs_as_text = false;  // "\\t", which << measures, instead of '\\t'
  bool tabs_at_once = false;
  bool counts = false;               // counts its bytes instead of calling tellp()
  bool c_strings = false;            // const char* instead of std::string
  bool by_write = false;             // write() instead of <<
  bool reserves_by_seeking = false;  // as in 2006: a byte at the end makes the file as long as it will be
};

constexpr std::ios::openmode binary = std::ios::binary;
constexpr rung ladder[] = {
    {},
    {.buffer = 1 << 10},
    {.buffer = 64 << 10},  // an alternative to the rung before
    {.buffer = 1 << 10, .mode = binary},
    {.buffer = 64 << 10, .mode = binary},
    {.buffer = 64 << 10, .mode = binary, .tabs_at_once = true},
    {.buffer = 64 << 10, .mode = binary, .tabs_at_once = true, .counts = true},
    {.buffer = 64 << 10, .mode = binary, .tabs_at_once = true, .counts = true, .c_strings = true},
    {.buffer = 64 << 10, .mode = binary, .tabs_at_once = true, .counts = true, .c_strings = true, .by_write = true},
    {.tabs_as_text = true},
    {.buffer = 64 << 10,
     .mode = binary,
     .tabs_at_once = true,
     .counts = true,
     .c_strings = true,
     .by_write = true,
     .reserves_by_seeking = true},
};

template <rung Rung>
void put(std::ofstream& out, const std::string& text) {
  if constexpr (Rung.by_write)
    out.write(text.data(), static_cast<std::streamsize>(text.size()));
  else if constexpr (Rung.c_strings)
    out << text.c_str();
  else
    out << text;
}

const std::string tabs[] = {"", "\t", "\t\t", "\t\t\t", "\t\t\t\t", "\t\t\t\t\t", "\t\t\t\t\t\t", "\t\t\t\t\t\t\t"};
const std::string before = "All work and no play makes ";
const std::string names[] = {"Jack",          "Justin Michel",    "Fred Flintstone",
                             "Barney Rubble", "Homer J. Simpson", "John Jacob Jingleheimer Schmidt"};
const std::string after = " a dull boy.\n";

template <rung Rung>
void put_line(std::ofstream& out, std::uint64_t number) {
  if constexpr (Rung.tabs_at_once)
    put<Rung>(out, tabs[number % 8]);
  else
    for (std::uint64_t tab = 0; tab < number % 8; ++tab) {
      if constexpr (Rung.tabs_as_text)
        out << "\t";
      else
        out << '\t';
    }
  put<Rung>(out, before);
  put<Rung>(out, names[number % 6]);
  put<Rung>(out, after);
}

// The file has its length then, but no space: that a seek allocates was true of another file system.
void reserve_by_seeking(std::ofstream& out, std::uint64_t size) {
  out.rdbuf()->pubseekpos(static_cast<std::streamoff>(size) - 1);
  out.put('\0');
  out.rdbuf()->pubseekpos(0);
}

template <rung Rung>
void write_text(const peer::job& job) {
  peer::job prepared = job;
  if constexpr (Rung.reserves_by_seeking) prepared.reserve = false;
  const auto mode = peer::prepare(prepared) | Rung.mode;
  std::vector<char> buffer(Rung.buffer);
  std::ofstream out;
  // libstdc++ takes a buffer only before open().
  if (!buffer.empty()) out.rdbuf()->pubsetbuf(buffer.data(), static_cast<std::streamsize>(buffer.size()));
  out.open(job.file, mode);
  if (!out) peer::fail("open", job.file);
  if (Rung.reserves_by_seeking && job.reserve && job.size > 0) reserve_by_seeking(out, job.size);
  std::uint64_t written = 0;
  for (std::uint64_t number = 1; out; ++number) {
    if constexpr (!Rung.counts) written = static_cast<std::uint64_t>(out.tellp());
    if (written + peer::length_of(number) > job.size) break;
    put_line<Rung>(out, number);
    if constexpr (Rung.counts) written += peer::length_of(number);
  }
  if (!out) peer::fail("write", job.file);
  out.close();
  if (!out) peer::fail("close", job.file);
  peer::cut(job, written);
}

bool is_rung(std::string_view word) {
  const bool is_number = !word.empty() && word.size() <= 2 && word.find_first_not_of("0123456789") == word.npos;
  return is_number && std::stoul(std::string{word}) < std::size(ladder);
}

void write_text_on_rung(const peer::job& job) {
  constexpr auto writers = []<std::size_t... Number>(std::index_sequence<Number...>) {
    return std::array{write_text<ladder[Number]>...};
  }
  (std::make_index_sequence<std::size(ladder)>{});
  writers[job.choice.empty() ? 0 : std::stoul(std::string{job.choice})](job);
}

}  // namespace

int main(int count, char** words) {
  return peer::run(
      count, words,
      {.reserve = true, .overwrite = true, .choice = "--rung", .is_choice = is_rung, .write_text = write_text_on_rung});
}
