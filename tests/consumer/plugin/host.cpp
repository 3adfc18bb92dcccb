// Loads a plugin, uses it, unloads it and forks, again and again: host PLUGIN DIRECTORY
#include <dlfcn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstddef>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <stdexcept>
#include <string>

namespace {

// What a process with the plugin has that it could keep.
struct possessions {
  std::size_t descriptors = 0;
  std::size_t writable_bytes = 0;
};

bool is_mapped(const std::string& name) {
  std::ifstream maps{"/proc/self/maps"};
  for (std::string line; std::getline(maps, line);)
    if (line.find(name) != std::string::npos) return true;
  return false;
}

possessions count_possessions() {
  const std::filesystem::directory_iterator open{"/proc/self/fd"};
  possessions result{.descriptors = static_cast<std::size_t>(std::distance(begin(open), end(open)))};
  std::ifstream pages{"/proc/self/statm"};
  std::size_t rest = 0;
  // size, resident, shared, text, lib, data: the sixth is private and writable
  for (int i = 0; i < 6; ++i) pages >> rest;
  result.writable_bytes = rest * static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  return result;
}

void use(const std::string& plugin, const char* directory) {
  void* const library = dlopen(plugin.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) throw std::runtime_error{dlerror()};
  const auto function = reinterpret_cast<bool (*)(const char*)>(dlsym(library, "use_plugin"));
  if (function == nullptr || !function(directory)) throw std::runtime_error{"the plugin failed"};
  if (!is_mapped(plugin)) throw std::runtime_error{"this test does not see what is mapped"};
  if (dlclose(library) != 0) throw std::runtime_error{dlerror()};
  if (is_mapped(plugin)) throw std::runtime_error{"the plugin is still mapped"};
}

// What the plugin had called at each fork is gone.
void check_fork() {
  const pid_t child = fork();
  if (child == 0) _exit(0);
  int status = -1;
  if (child < 0 || waitpid(child, &status, 0) != child || status != 0) throw std::runtime_error{"fork() failed"};
}

}  // namespace

int main(int count, char** arguments) try {
  if (count != 3) throw std::runtime_error{"usage: host PLUGIN DIRECTORY"};
  constexpr int rounds = 8;
  constexpr std::size_t slack = std::size_t{8} << 20;  // of malloc()
  possessions before;
  for (int i = 0; i < rounds; ++i) {
    use(arguments[1], arguments[2]);
    check_fork();
    if (i == 1) before = count_possessions();
  }
  const possessions after = count_possessions();
  std::cout << arguments[1] << ": " << before.descriptors << " then " << after.descriptors << " descriptors, "
            << before.writable_bytes << " then " << after.writable_bytes << " bytes\n";
  if (after.descriptors != before.descriptors) throw std::runtime_error{"descriptors stay open"};
  if (after.writable_bytes > before.writable_bytes + slack) throw std::runtime_error{"memory stays in use"};
  return 0;
} catch (const std::exception& failure) {
  std::cerr << failure.what() << '\n';
  return 1;
}
