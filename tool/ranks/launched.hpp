// What those who start several processes at once tell each of them.
#pragma once

#include <algorithm>
#include <charconv>

#include "src/os/environment.hpp"

namespace freshet::tool {

/// As how many processes mpirun (of Open MPI or another MPI), or srun with an MPI, started this one; 1 where none did.
[[nodiscard]] inline unsigned launched_processes() {
  const auto number = [](const char* name) {
    unsigned value = 1;
    if (const auto text = detail::os::secure_environment(name))
      std::from_chars(text->data(), text->data() + text->size(), value);
    return value;
  };
  // srun starts ordinary programs, too; only to those of an MPI it offers PMIx.
  const bool by_srun = detail::os::secure_environment("PMIX_NAMESPACE").has_value();
  return std::max({number("OMPI_COMM_WORLD_SIZE"), number("PMI_SIZE"), by_srun ? number("SLURM_NTASKS") : 1U});
}

}  // namespace freshet::tool
