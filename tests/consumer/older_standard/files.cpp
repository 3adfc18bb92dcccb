// The one source of the program that is compiled as C++20.
#include "files.hpp"

#include <freshet/stream.hpp>

std::unique_ptr<std::ostream> create_file(const std::string& name) { return std::make_unique<freshet::ofstream>(name); }

bool close_file(std::ostream& file) {
  static_cast<freshet::ofstream&>(file).close();
  return file.good();
}
