// binary_format FILE: writes measurements to FILE in a binary format and reads them back.
#include <freshet/endian.hpp>

#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <system_error>
#include <vector>

constexpr std::uint32_t magic = 0x4D454153;  // "MEAS"

void save(const char* path, const std::vector<double>& values) {
  freshet::writer file{path, {.atomic = true}};  // an existing file stays until the new one is complete
  const freshet::binary_writer<std::endian::big> out{file};
  out.write(magic);
  out.write_string("degrees Celsius");
  out.write_varint(values.size());
  out.write_array(values);
  file.close();  // throws if anything could not be written
}

void print(const char* path) {
  freshet::reader file{path};
  const freshet::binary_reader<std::endian::big> in{file};
  if (in.read<std::uint32_t>() != magic) file.reject(std::errc::bad_message, 0, "not a file of measurements");
  const auto unit = in.read_string(100);
  // One value at a time: the count in the file may be wrong, so do not reserve memory for it.
  for (auto left = in.read_varint<std::size_t>(); left > 0; --left)
    std::printf("%g %s\n", in.read<double>(), unit.c_str());
  if (std::fflush(stdout) != 0) throw std::system_error{errno, std::generic_category(), "cannot print"};
}

int main(int count, char** words) try {
  const char* const path = count > 1 ? words[1] : "measurements";
  save(path, {-3.5, 0, 21.25});
  print(path);
} catch (const std::exception& failure) {
  std::fprintf(stderr, "binary_format: %s\n", failure.what());
  return 1;
}
