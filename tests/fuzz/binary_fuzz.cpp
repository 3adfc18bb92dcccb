// Parses arbitrary bytes as a binary file in arbitrary ways. Parsing must end at the end of the file or with an error
// that has an offset in it, must not use more memory than the file justifies, and its results must survive a round
// trip.
#include <sys/mman.h>
#include <unistd.h>
#include <freshet/endian.hpp>
#include <freshet/lines.hpp>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <string_view>
#include <vector>

namespace {

void require(bool holds) {
  if (!holds) std::abort();
}

// An unnamed file: only in files do parsers meet the ends of blocks.
class memory_file {
 public:
  memory_file() : descriptor_{::memfd_create("fuzz", MFD_CLOEXEC)} { require(descriptor_ >= 0); }
  memory_file(const memory_file&) = delete;
  memory_file& operator=(const memory_file&) = delete;
  ~memory_file() { ::close(descriptor_); }
  [[nodiscard]] freshet::writer writer() const { return freshet::writer::on_descriptor(descriptor_); }
  [[nodiscard]] freshet::reader reader() const {
    require(::lseek(descriptor_, 0, SEEK_SET) == 0);
    return freshet::reader::on_descriptor(descriptor_, freshet::ownership::borrow, {.block = 4096});
  }

 private:
  int descriptor_;
};

template <typename T>
void require_varint(freshet::reader& in) {
  const T value = freshet::read_varint<T>(in);
  const memory_file copy;
  auto out = copy.writer();
  freshet::write_varint(out, value);
  out.close();
  auto again = copy.reader();
  require(freshet::read_varint<T>(again) == value);
  require(again.get() == freshet::reader::end_of_file);
}

void parse_array(freshet::reader& in) {
  std::vector<std::uint32_t> values(in.tell() % 3000);
  freshet::read_array<std::endian::big>(in, values);
}

void parse_lines(freshet::reader& in, std::size_t size) {
  for (const auto line : freshet::lines(in, {.longest = 5000})) {
    require(line.size() <= 5000 && line.size() <= size && line.find('\n') == line.npos);
    if (line.size() % 3 == 0) break;
  }
}

// The next byte of the file chooses what to read.
void parse_next(freshet::reader& in, std::size_t size) {
  switch (in.get() % 11) {
    case 0:
      return static_cast<void>(freshet::read<std::endian::big, bool>(in));
    case 1:
      return static_cast<void>(freshet::read<std::endian::big, std::uint16_t>(in));
    case 2:
      return static_cast<void>(freshet::read<std::endian::little, double>(in));
    case 3:
      return require_varint<std::uint8_t>(in);
    case 4:
      return require_varint<std::int16_t>(in);
    case 5:
      return require_varint<std::uint32_t>(in);
    case 6:
      return require_varint<std::int64_t>(in);
    case 7:
      return require(freshet::view_string(in, 10'000).size() <= 10'000);
    case 8:
      return require(freshet::read_string(in).size() <= size);
    case 9:
      return parse_array(in);
    default:
      return parse_lines(in, size);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const memory_file file;
  auto out = file.writer();
  out.write(std::as_bytes(std::span{data, size}));
  out.close();
  auto in = file.reader();
  try {
    while (in.peek() != freshet::reader::end_of_file) parse_next(in, size);
    require(in.tell() == size);
  } catch (const freshet::error& failure) {
    require(failure.offset() <= size);
    require(!in.last_error());
  }
  return 0;
}
