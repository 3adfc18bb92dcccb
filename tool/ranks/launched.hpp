// How many processes a launcher of parallel programs started, by the environment it gives to each of them.
#pragma once

#include <algorithm>
#include <charconv>

#include "src/os/environment.hpp"

namespace freshet::tool {

/// The number of processes that mpirun (of Open MPI or another MPI) or srun with an MPI started together with this one;
/// 1 if it was started alone.
[[nodiscard]] inline unsigned launched_processes() {
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

}  // namespace freshet::tool
