// Writes simulated files over recorded rates of machines, and prints how fast each is beside the better of the page
// cache and the device known afterwards: 1 is as fast.
//   bench_replay_rates FOLDER
// FOLDER has traces as tests/src/method/traces (bytes,cached_seconds,direct_seconds; bench/record_rates.cpp records
// them), or over time (seconds,cached_MBps,device_MBps).
#include <algorithm>
#include <exception>
#include <filesystem>
#include <iostream>
#include <vector>

#include <fmt/format.h>

#include "tests/src/method/replayed_rates.hpp"

int main(int count, char** words) try {
  if (count != 2) return std::cerr << "usage: bench_replay_rates FOLDER\n", 2;
  namespace fs = std::filesystem;
  std::vector<fs::path> paths;
  for (const auto& each : fs::directory_iterator{words[1]})
    if (each.path().extension() == ".csv") paths.push_back(each.path());
  if (paths.empty()) return std::cerr << "bench_replay_rates: " << words[1] << ": has no .csv files\n", 1;
  std::ranges::sort(paths);
  std::cout << "trace,ratio,seconds,cached_seconds,device_seconds\n";
  for (const fs::path& path : paths) {
    const auto file = freshet::detail::simulation::replay(freshet::detail::simulation::read_trace(path));
    std::cout << fmt::format("{},{:.3f},{:.4f},{:.4f},{:.4f}\n", path.filename().string(), file.ratio(), file.seconds,
                             file.cached, file.device);
  }
  return 0;
} catch (const std::exception& caught) {
  std::cerr << "bench_replay_rates: " << caught.what() << '\n';
  return 1;
}
