// A library to preload: each large write takes 0.3 ms more, as if the program had become slower.
#include <dlfcn.h>
#include <sys/types.h>
#include <unistd.h>

#include <chrono>
#include <cstddef>
#include <thread>

namespace {

constexpr std::size_t large = std::size_t{64} << 10;
constexpr std::chrono::microseconds delay{300};

// Calls the function of that name that this library hides.
template <typename Function, typename... Arguments>
ssize_t delay_and_call(const char* name, std::size_t bytes, Arguments... arguments) {
  if (bytes >= large) std::this_thread::sleep_for(delay);
  return reinterpret_cast<Function*>(::dlsym(RTLD_NEXT, name))(arguments...);
}

}  // namespace

extern "C" {

ssize_t write(int file, const void* data, std::size_t bytes) {
  return delay_and_call<decltype(::write)>("write", bytes, file, data, bytes);
}
ssize_t pwrite(int file, const void* data, std::size_t bytes, off_t offset) {
  return delay_and_call<decltype(::pwrite)>("pwrite", bytes, file, data, bytes, offset);
}
ssize_t pwrite64(int file, const void* data, std::size_t bytes, off64_t offset) {
  return delay_and_call<decltype(::pwrite64)>("pwrite64", bytes, file, data, bytes, offset);
}
}
