// The same with the standard's streams: what a system does with such a plugin is the measure of plugin.cpp.
#include <fstream>
#include <string>

extern "C" bool use_plugin(const char* directory) {
  std::ofstream out{std::string{directory} + "/standard"};
  out << 12 << ' ' << 0.5 << '\n';
  out.close();
  return out.good();
}
