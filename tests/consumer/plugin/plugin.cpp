// A plugin that writes and reads a file with each part of the library that keeps something for the next file.
#include <freshet/endian.hpp>
#include <freshet/lines.hpp>
#include <freshet/methods.hpp>
#include <freshet/profile.hpp>
#include <freshet/reader.hpp>
#include <freshet/statistics.hpp>
#include <freshet/stream.hpp>
#include <freshet/writer.hpp>

#include <cstddef>
#include <exception>
#include <filesystem>
#include <iostream>
#include <stdexcept>
#include <string>

namespace {

constexpr int rounds = 200'000;

void write_numbers(const std::filesystem::path& path) {
  freshet::ofstream out{path};
  for (int i = 0; i < rounds; ++i) out << i << ' ' << static_cast<unsigned long>(i) << ' ' << i * 0.5 << '\n';
  out.close();
  if (!out) throw std::runtime_error{"the stream failed"};
}

int count_lines(const std::filesystem::path& path) {
  int count = 0;
  for (const auto line : freshet::lines{path}) count += line.empty() ? 0 : 1;
  freshet::ifstream in{path};
  std::string line;
  while (std::getline(in, line)) --count;
  return count;
}

void write_by(const freshet::method_info& method, const std::filesystem::path& path) {
  freshet::writer out{path, {.method = method.name, .block = 64 << 10, .depth = 2, .ordered = method.keeps_order}};
  for (int i = 0; i < rounds; ++i) freshet::write<std::endian::little>(out, i);
  out.close();
  static_cast<void>(freshet::describe(out.statistics()));
}

void write_compressed(const std::filesystem::path& path) {
  std::error_code failure;
  freshet::writer out{path, {.compression = {.format = freshet::compression_format::zstd, .threads = 2}}, failure};
  if (failure == std::errc::operation_not_supported) return;  // built without zstd
  const std::string text(std::size_t{8} << 20, 'x');
  out.write(text);
  out.close();
}

}  // namespace

// Returns whether all went well.
extern "C" bool use_plugin(const char* directory) try {
  const std::filesystem::path path = std::filesystem::path{directory} / "file";
  write_numbers(path);
  if (count_lines(path) != 0) throw std::runtime_error{"lines are missing"};
  for (const auto& each : freshet::methods(directory))
    if (each.available()) write_by(each, path);
  write_compressed(path);
  static_cast<void>(freshet::profile_search_path());
  try {
    freshet::reader{path / "missing"};
    return false;
  } catch (const freshet::error&) {
    return true;
  }
} catch (const std::exception& failure) {
  std::cerr << failure.what() << '\n';
  return false;
}
