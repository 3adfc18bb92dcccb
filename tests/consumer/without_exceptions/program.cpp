// Compiled with -fno-exceptions: program FILE works with error codes; program FILE WAY makes an error that would be
// thrown.
#include <freshet/endian.hpp>
#include <freshet/lines.hpp>
#include <freshet/reader.hpp>
#include <freshet/stream.hpp>
#include <freshet/writer.hpp>

#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#ifdef __cpp_exceptions
#error "this program is to be compiled without exceptions"
#endif

namespace {

constexpr auto order = std::endian::big;

void expect(bool is_so, const char* what) {
  if (is_so) return;
  std::fprintf(stderr, "not so: %s\n", what);
  std::exit(1);
}

void check_streams(const std::string& path) {
  freshet::ofstream out{path};
  for (int i = 0; i < 100'000; ++i) out << i << ' ' << i * 0.5 << '\n';
  out.close();
  expect(out.good(), "a stream writes");
  freshet::ifstream in{path};
  int count = 0;
  for (std::string line; std::getline(in, line);) ++count;
  for (const auto line : freshet::lines{path}) count -= line.empty() ? 0 : 1;
  expect(count == 0, "lines are read as they were written");
  in.close();
  in.clear();
  in.open("/missing/file");
  expect(in.fail() && in.last_error().has_value(), "a file that is missing fails");
}

void check_writing(const std::string& path) {
  std::error_code failure;
  freshet::writer out{path, {}, failure};
  const std::vector<std::uint32_t> numbers(100'000, 7);
  expect(!failure, "a file is opened");
  freshet::write<order>(out, 12, failure);
  freshet::write_array<order>(out, numbers, failure);
  freshet::write_varint(out, -5'000'000, failure);
  freshet::write_string(out, "text", failure);
  out.put('x', failure);
  out.flush(failure);
  out.sync(failure);
  out.reserve(1'000'000, failure);
  out.close(failure);
  expect(!failure && !out.is_open(), "a file is written");
}

void check_reading(const std::string& path) {
  std::error_code failure;
  freshet::reader in{path, {}, failure};
  std::vector<std::uint32_t> numbers(100'000);
  expect(freshet::read<order, int>(in, failure) == 12, "a number is read");
  freshet::read_array<order>(in, numbers, failure);
  expect(numbers.back() == 7, "an array is read");
  expect(freshet::read_varint<int>(in, failure) == -5'000'000, "a varint is read");
  expect(freshet::read_string(in, 100, failure) == "text", "a string is read");
  expect(in.get(failure) == 'x' && !failure, "a byte is read");
  expect(in.get(failure) == freshet::reader::end_of_file && !failure, "the end is no error");
  expect(freshet::read<order, int>(in, failure) == 0 && failure == std::errc::bad_message, "a number is missing");
  numbers.assign(numbers.size(), 1);
  freshet::read_array<order>(in, numbers, failure);
  expect(failure == std::errc::bad_message, "an array is missing");
  in.seek(4, failure);
  expect(!failure && freshet::view_string(in, 1, failure).empty() && !failure, "a string without characters is read");
  in.seek(7, failure);
  expect(freshet::view_string(in, 1, failure).empty() && failure == std::errc::message_size, "a string is too long");
  expect(in.size(failure) > 400'000 && !failure, "the size is known");
  in.close(failure);
  expect(!failure, "a reader is closed");
  expect(in.get(failure) == freshet::reader::end_of_file && failure == std::errc::bad_file_descriptor, "it is closed");
  expect(in.view(5, failure).empty() && failure == std::errc::bad_file_descriptor, "it still is");
}

void check_errors() {
  std::error_code failure;
  freshet::writer missing{"/missing/file", {}, failure};
  expect(failure == std::errc::no_such_file_or_directory && !missing.is_open(), "a directory is missing");
  freshet::reader none{"/missing/file", {}, failure};
  expect(failure == std::errc::no_such_file_or_directory && !none.is_open(), "a file is missing");
  missing.put('x', failure);
  expect(failure == std::errc::bad_file_descriptor, "the writer is closed");

  freshet::writer full{"/dev/full", {}, failure};
  expect(!failure, "a device is opened");
  const std::string text(10'000'000, 'x');
  full.write(text, failure);
  expect(failure == std::errc::no_space_on_device, "the device is full");
  for (int i = 0; i < 3; ++i) {
    failure.clear();
    full.put('x', failure);
    expect(failure == std::errc::no_space_on_device, "the first error sticks");
  }
  const std::vector<std::uint16_t> numbers(1'000'000);
  freshet::write_array<order>(full, numbers, failure);
  expect(failure == std::errc::no_space_on_device, "for arrays, too");
  expect(full.last_error() == std::errc::no_space_on_device, "the writer knows it");
  full.close(failure);
  expect(failure == std::errc::no_space_on_device, "so does close()");
}

// Each must end the program.
void fail_by(std::string_view way, const std::string& path) {
  if (way == "open") freshet::writer{"/missing/file"};
  if (way == "read") freshet::reader{"/missing/file"};
  if (way == "write") freshet::writer{"/dev/full"}.write(std::string(10'000'000, 'x'));
  if (way == "closed") freshet::writer{}.put('x');
  if (way == "reject") freshet::reader{path}.reject(std::errc::bad_message, 3, "wrong");
  if (way == "content") {
    freshet::reader in{path};
    in.seek(in.size());
    static_cast<void>(freshet::read<order, int>(in));
  }
}

}  // namespace

int main(int count, char** arguments) {
  const std::string path = arguments[1];
  if (count > 2) {
    fail_by(arguments[2], path);
    std::fputs("the program went on\n", stderr);
    return 1;
  }
  check_streams(path);
  check_writing(path);
  check_reading(path);
  check_errors();
  return 0;
}
