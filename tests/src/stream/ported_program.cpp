// A program in which `<freshet/stream.hpp>` replaced `<fstream>`, and freshet's types those of its files: what still
// names std's types must compile.
#include <freshet/stream.hpp>

#include <filesystem>

bool append_line(const char* name, const char* line);
bool append_line(const char* name, const char* line) {
  freshet::ofstream out{name, std::ofstream::out | std::ofstream::app};
  out.seekp(0, std::ofstream::end);
  out << line << '\n';
  return out.rdstate() == std::ofstream::goodbit;
}

std::ifstream::pos_type size_of(const char* name);
std::ifstream::pos_type size_of(const char* name) {
  freshet::ifstream in{name, std::ifstream::in | std::ifstream::binary | std::fstream::ate};
  return in.tellg();
}

std::ofstream log_of_another_library();
std::ofstream log_of_another_library() { return std::ofstream{"log", std::fstream::trunc}; }

// The header declares std::filesystem::path: <filesystem> must find it where it declares it itself.
bool create(const std::filesystem::path& path);
bool create(const std::filesystem::path& path) { return freshet::ofstream{path}.is_open(); }
