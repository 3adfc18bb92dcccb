#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include <freshet/writer.hpp>

#include "lab/filesystems/visit.hpp"
#include "tool/base/interrupt.hpp"
#include "tool/base/place.hpp"
#include "tool/measure/quiet.hpp"
#include "tool/trial/gates.hpp"
#include "tool/trial/write_file.hpp"
#include "tool/workload/blocks.hpp"

namespace freshet::tool {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t files_in_a_directory = 100;
constexpr std::size_t checked_file_of = 64;  // one in so many is read back

// The bytes of each file: none like its neighbours'.
std::span<const std::byte> content_of(std::size_t number, const block_data& data) {
  const std::size_t slots = block_data::length / small_file_size - 1;
  return data.bytes().subspan(number % slots * small_file_size, small_file_size);
}

fs::path directory_of_files(const fs::path& top, std::size_t number) {
  return top / fmt::format("{}", number / files_in_a_directory);
}

fs::path path_of(const fs::path& top, std::size_t number) {
  return directory_of_files(top, number) / fmt::format("{}", number);
}

bool holds(const fs::path& path, std::span<const std::byte> wanted) {
  std::error_code failure;
  detail::os::file opened = detail::os::file::open_existing(path, failure);
  std::vector<std::byte> found(wanted.size() + 1);
  const std::size_t got = failure ? 0 : opened.read(found, failure);
  return !failure && got == wanted.size() && std::ranges::equal(std::span{found}.first(got), wanted);
}

}  // namespace

trial_result write_small_files(const fs::path& directory, const trial_plan& plan,
                               const std::shared_ptr<memory_preparation>& memory) {
  // Nobody removes them: the volume is made anew for the next visit.
  const fs::path top = directory / "small";
  const auto files = static_cast<std::size_t>(std::max<std::uint64_t>(plan.size / small_file_size, 1));
  const block_data data{plan.seed};
  const detail::os::file_system file_system = file_system_at(directory);
  trial_runner runner{directory, file_system, memory};
  trial_result trial;
  trial.plan = plan;
  runner.run(trial, {.memory = trial_steps::memory_need{plan.memory, plan.size}, .work = [&](trial_clock& clock) {
                       clock.start();
                       fs::create_directory(top);
                       for (std::size_t i = 0; i < files; ++i) {
                         if (i % files_in_a_directory == 0) {
                           throw_if_interrupted();
                           fs::create_directory(directory_of_files(top, i));
                         }
                         writer out{path_of(top, i), {.method = plan.method}};
                         out.write(content_of(i, data));
                         trial.method = out.method();
                         out.close();
                       }
                       write_out(top);  // once: the class at_close of all files together
                     }});
  trial.bytes = trial.bytes_written = files * small_file_size;
  bool matches = true;
  for (std::size_t i = plan.seed % checked_file_of; i < files; i += checked_file_of) {
    matches = matches && holds(path_of(top, i), content_of(i, data));
    trial.bytes_compared += small_file_size;
  }
  if (!matches) {
    trial.wrong_content = true;
    trial.validity = trial_validity::invalid;
    trial.reasons.emplace_back("a file does not hold what was written");
  }
  // Nobody else uses the device, and what metadata takes of it is part of the result.
  apply_gates(trial, gate_scope::processors, file_system, trial.bytes);
  return trial;
}

void age(const fs::path& directory, std::uint64_t seed, std::uint64_t room) {
  constexpr double smallest = 12;  // logarithms of bytes: 4 KiB
  constexpr double largest = 24;   // 16 MiB
  constexpr int deletions = 2;
  std::mt19937_64 random{seed};
  std::uniform_real_distribution<double> exponent{smallest, largest};
  const block_data data{seed};
  const fs::path top = directory / "old";
  fs::create_directory(top);
  std::vector<fs::path> files;
  std::uint64_t number = 0;
  const auto is_full = [&] {
    const detail::os::file_system now = file_system_at(directory);
    return now.available < room ||
           static_cast<double>(now.total - now.available) >= aged_share * static_cast<double>(now.total);
  };
  const auto fill = [&] {
    // A look at the free space costs more than a small file, and it lags behind what is not on the disk yet.
    for (std::uint64_t since_look = 0; !is_full(); write_out(top))
      for (since_look = 0; since_look < room / 4;) {
        throw_if_interrupted();
        const auto size = static_cast<std::uint64_t>(std::exp2(exponent(random)));
        files.push_back(top / fmt::format("{}", ++number));
        writer out{files.back(), {.method = "buffered"}};
        write_blocks(out, data, size, std::size_t{1} << 20);
        out.close();
        since_look += size;
      }
  };
  fill();
  for (int deletion = 0; deletion < deletions; ++deletion) {
    std::ranges::shuffle(files, random);
    for (std::size_t kept = files.size() / 2; files.size() > kept; files.pop_back()) fs::remove(files.back());
    write_out(top);
    fill();
  }
}

}  // namespace freshet::tool
