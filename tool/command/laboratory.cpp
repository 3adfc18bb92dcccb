#include "tool/command/laboratory.hpp"

#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <system_error>

#include <freshet/error.hpp>
#include <freshet/version.hpp>

#include "src/os/environment.hpp"
#include "src/os/file.hpp"
#include "tool/analysis/lines_drawing.hpp"
#include "tool/base/child.hpp"
#include "tool/base/command_line.hpp"
#include "tool/base/interrupt.hpp"
#include "tool/base/json_output.hpp"

namespace freshet::tool {
namespace {

namespace fs = std::filesystem;

// What freshet tells the laboratory that it starts: its version, a space, and its path.
constexpr const char* starter_variable = "FRESHET_LABORATORY_OF";
constexpr const char* laboratory = "freshet-lab";
constexpr const char* target_of_ranks = "freshet_mpi_lab";  // what builds its twin
constexpr std::string_view drawn_by = "sweep";              // the ability that draws files processed line by line

fs::path find_program(const std::string& name) {
  const fs::path here = own_program().parent_path();
  for (const fs::path& place : {here, here / path_to_libexec()}) {
    fs::path program = (place / name).lexically_normal();
    std::error_code none;
    if (fs::is_regular_file(program, none) && ::access(program.c_str(), X_OK) == 0) return program;
  }
  return {};
}

// "`cmake --build build --target freshet_lab` builds it"
std::string how_to_get(std::string_view target) {
  const std::string_view build = build_directory();
  const bool takes_mpi = target == target_of_ranks;
  if (build.empty() && takes_mpi) return "packages lack it; freshet built on this machine has it where CMake finds MPI";
  if (build.empty()) return "it belongs to the package of freshet; install that again";
  std::string how = fmt::format("`cmake --build {} --target {}` builds it{}", build, target,
                                takes_mpi ? " where CMake finds MPI" : "");
  const fs::path here = own_program().parent_path();
  std::error_code none;
  if (fs::relative(here, build, none).native().starts_with(".."))
    how += fmt::format(", and `cmake --install {} --prefix {}` installs it", build, here.parent_path().string());
  return how;
}

std::string describe_missing(const std::string& name, std::string_view target) {
  const fs::path here = own_program().parent_path();
  return fmt::format("{} is neither in {} nor in {}: {}", name, here.string(),
                     (here / path_to_libexec()).lexically_normal().string(), how_to_get(target));
}

std::string describe_starter() { return fmt::format("{} {}", version(), own_program().string()); }

}  // namespace

fs::path find_laboratory() { return find_program(laboratory); }

void pass_on_to_laboratory(program_parser& program) {
  for (const laboratory_command& each : laboratory_commands())
    program.pass_on(std::string{each.name}, std::string{each.summary}, laboratory_heading, start_laboratory);
}

unsigned launched_processes() {
  const auto number = [](const char* name) {
    unsigned value = 1;
    if (const auto text = detail::os::secure_environment(name))
      std::from_chars(text->data(), text->data() + text->size(), value);
    return value;
  };
  // srun also starts ordinary programs. It offers PMIx to those that use MPI.
  const bool by_srun = detail::os::secure_environment("PMIX_NAMESPACE").has_value();
  return std::max({number("OMPI_COMM_WORLD_SIZE"), number("PMI_SIZE"), by_srun ? number("SLURM_NTASKS") : 1U});
}

void start_laboratory() {
  const bool has_ranks = launched_processes() > 1;
  const std::string name = has_ranks ? "freshet-lab-mpi" : laboratory;
  const char* const target = has_ranks ? target_of_ranks : "freshet_lab";
  const fs::path program = find_program(name);
  if (program.empty()) throw std::runtime_error{describe_missing(name, target)};
  throw_if_interrupted();
  if (::setenv(starter_variable, describe_starter().c_str(), 1) == 0)  // NOLINT(concurrency-mt-unsafe): one thread
    ::execv(program.c_str(), given_words().words);
  throw error{{errno, std::system_category()}, "start", program};
}

nlohmann::json ask_laboratory(const nlohmann::json& groups) {
  if (!has_laboratory_command(drawn_by))
    throw nobody_draws{fmt::format("This freshet was built without {}, which draws it.", drawn_by)};
  const fs::path program = find_laboratory();
  if (program.empty())
    throw nobody_draws{fmt::format("Only freshet-lab draws it, and {}.", describe_missing(laboratory, "freshet_lab"))};
  // The answer comes in the same file in memory as the question: neither can block the other.
  const auto file = detail::os::file::wrap(::memfd_create("freshet", MFD_CLOEXEC), true);
  if (file.descriptor() < 0) throw error{{errno, std::system_category()}, "make", "a file in memory"};
  const fs::path name = fmt::format("/proc/self/fd/{}", file.descriptor());
  std::ofstream question{name};
  question << to_text(groups) << std::flush;
  if (!question) throw error{{errno, std::system_category()}, "write", name};
  run_program({.words = {program.string(), std::string{drawing_command}, std::to_string(file.descriptor())},
               .environment = merge_environment({fmt::format("{}={}", starter_variable, describe_starter())}),
               .kept_open = &file});
  return nlohmann::json::parse(std::ifstream{name});
}

const fs::path& starting_program() {
  static const fs::path program = [] {
    const std::string starter = detail::os::secure_environment(starter_variable).value_or("");
    ::unsetenv(starter_variable);  // NOLINT(concurrency-mt-unsafe): called first in main()
    if (starter.empty()) return own_program();
    const std::size_t space = starter.find(' ');
    if (starter.substr(0, space) != version())
      throw std::runtime_error{
          fmt::format("{} has version {}, and the freshet that started it {}: both must be of one build",
                      own_program().string(), version(), starter.substr(0, space))};
    return fs::path{starter.substr(space + 1)};
  }();
  return program;
}

}  // namespace freshet::tool
