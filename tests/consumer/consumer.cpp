// Writes and reads files with freshet as a program outside of the project would, and checks what is in them. With
// method names as arguments, those must be listed as unavailable, with a reason.
#include <algorithm>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>

#include <freshet/lines.hpp>
#include <freshet/methods.hpp>
#include <freshet/stream.hpp>
#include <freshet/writer.hpp>

namespace {

std::string read_all(const std::filesystem::path& path) {
  std::ifstream in{path, std::ios::binary};
  return {std::istreambuf_iterator<char>{in}, {}};
}

void check_writing(const std::filesystem::path& path) {
  constexpr int lines = 100'000;
  std::string expected;
  freshet::writer out{path};
  for (int line = 0; line < lines; ++line) {
    const auto text = "line " + std::to_string(line) + '\n';
    out.write(text);
    expected += text;
  }
  out.close();

  const std::string content = read_all(path);  // closed again: Windows removes no file that a std::ifstream has open
  std::filesystem::remove(path);
  if (content != expected) throw std::runtime_error{"the file does not hold what was written"};
}

void check_streams(const std::filesystem::path& path) {
  freshet::ofstream out{path};
  for (int line = 0; line < 1000; ++line) out << line << '\n';
  out.close();
  if (!out) throw freshet::error{*out.last_error()};
  int next = 0;
  for (const std::string_view line : freshet::lines(freshet::reader{path}))
    if (line != std::to_string(next++)) throw std::runtime_error{"another line than was written"};
  std::filesystem::remove(path);
  if (next != 1000) throw std::runtime_error{"lines are missing"};
}

void check_unavailable(std::string_view name) {
  const auto all = freshet::methods(std::filesystem::current_path());
  const auto method = std::find_if(all.begin(), all.end(), [&](const auto& each) { return each.name == name; });
  if (method == all.end()) throw std::runtime_error{"no method " + std::string{name}};
  if (method->available()) throw std::runtime_error{method->name + " is available"};
  std::printf("%s: %s\n", method->name.c_str(), method->why_not.c_str());
}

}  // namespace

int main(int count, char** words) {
  try {
    check_writing("freshet-consumer.txt");
    check_streams("freshet-consumer.txt");
    for (const char* name : std::span{words, static_cast<std::size_t>(count)}.subspan(1)) check_unavailable(name);
  } catch (const std::exception& failure) {
    std::fprintf(stderr, "%s\n", failure.what());
    return 1;
  }
}
