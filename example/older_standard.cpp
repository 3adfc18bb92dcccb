// older_standard FILE: what a program of C++17 or C++14 needs. create_file() and close_file() go into a source that is
// compiled as C++20; all others declare the two, and know a std::ostream.
#include <freshet/stream.hpp>

#include <memory>
#include <string>

std::unique_ptr<std::ostream> create_file(const std::string& name) { return std::make_unique<freshet::ofstream>(name); }

bool close_file(std::ostream& file) {  // a destructor could not say that something failed
  static_cast<freshet::ofstream&>(file).close();
  return file.good();
}

int main(int count, char** words) {
  const std::unique_ptr<std::ostream> out = create_file(count > 1 ? words[1] : "lines.txt");
  for (int line = 1; line <= 1000; ++line) *out << "line " << line << '\n';
  return close_file(*out) ? 0 : 1;
}
