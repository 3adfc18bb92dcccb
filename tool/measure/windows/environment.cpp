#include "tool/measure/environment.hpp"

#include <windows.h>

#include <algorithm>
#include <array>
#include <thread>

#include <freshet/version.hpp>

#include "src/os/environment.hpp"
#include "src/os/native_string.hpp"
#include "tool/base/place.hpp"
#include "tool/measure/memory.hpp"

namespace freshet::tool {
namespace {

std::string read_processor_model() {
  std::array<wchar_t, 256> name{};
  auto size = static_cast<DWORD>(sizeof name);
  const LSTATUS status = ::RegGetValueW(HKEY_LOCAL_MACHINE, L"HARDWARE\\DESCRIPTION\\System\\CentralProcessor\\0",
                                        L"ProcessorNameString", RRF_RT_REG_SZ, nullptr, name.data(), &size);
  return status == ERROR_SUCCESS ? detail::to_utf8(std::wstring{name.data()}) : "";
}

}  // namespace

// The device below a volume, and how the system writes its cache, are not described.
environment read_environment(const std::filesystem::path& directory) {
  environment env;
  env.machine = "x86_64 " + read_processor_model();
  env.kernel = "Windows " + detail::os::kernel_release();
  env.cpus = processor_count();
  MEMORYSTATUSEX memory{};
  memory.dwLength = sizeof memory;
  if (::GlobalMemoryStatusEx(&memory) != 0) env.memory = memory.ullTotalPhys;
  const detail::os::file_system place = file_system_at(directory);
  env.directory = normalize_directory(directory).string();
  env.file_system_key = place.key;
  env.file_system = place.type;
  const touch_speeds speeds = measure_first_touch();
  env.first_touch_fresh = speeds.fresh;
  env.first_touch_reused = speeds.reused;
  env.version = version();
  env.build = build_description();
  return env;
}

unsigned processor_count() noexcept { return std::max(1U, std::thread::hardware_concurrency()); }

}  // namespace freshet::tool
