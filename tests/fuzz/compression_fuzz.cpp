// Reads arbitrary bytes as a compressed file, from the front and after seeks. That must end, neither crash nor take
// much memory, and a second reader must find the same bytes.
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <string>
#include <system_error>

#include <freshet/reader.hpp>

namespace {

// What zstd makes of a few bytes may be terabytes.
constexpr std::size_t most = std::size_t{8} << 20;

void require(bool holds) {
  if (!holds) std::abort();
}

freshet::reader reader_on(int descriptor) {
  require(::lseek(descriptor, 0, SEEK_SET) == 0);
  freshet::reader_options options;
  options.decompression = freshet::decompression::automatic;
  return freshet::reader::on_descriptor(descriptor, freshet::ownership::borrow, options);
}

std::string read_from_front(int descriptor, std::error_code& failure) {
  std::string bytes;
  auto in = reader_on(descriptor);
  while (bytes.size() < most) {
    const auto piece = in.available(failure);
    if (piece.empty()) break;
    bytes.append(reinterpret_cast<const char*>(piece.data()), piece.size());
    in.advance(piece.size());
  }
  return bytes;
}

// A table that proves itself decides where bytes are; a file that lies about that may have others there, or an error.
void read_elsewhere(int descriptor, std::size_t offset) {
  std::error_code failure;
  auto in = reader_on(descriptor);
  in.seek(offset, failure);
  static_cast<void>(in.get(failure));
  in.seek(0, failure);
  static_cast<void>(in.get(failure));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const int descriptor = ::memfd_create("compression_fuzz", MFD_CLOEXEC);
  require(descriptor >= 0 && ::write(descriptor, data, size) == static_cast<ssize_t>(size));
  std::error_code failure;
  const std::string bytes = read_from_front(descriptor, failure);
  std::error_code again;
  require(read_from_front(descriptor, again) == bytes);
  require(again == failure);
  if (bytes.size() < most) {
    read_elsewhere(descriptor, bytes.size() / 2);
    read_elsewhere(descriptor, bytes.size() + 1);
  }
  ::close(descriptor);
  return 0;
}
