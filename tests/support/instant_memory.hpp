// Memory that needs no preparation, for tests of trials that are not about memory.
#pragma once

#include <memory>

#include "tool/base/interrupt.hpp"
#include "tool/trial/trial_runner.hpp"

namespace freshet::test {

/// Takes memory as it is.
class instant_memory : public tool::memory_preparation {
 public:
  void provide(tool::memory_state /*wanted*/, std::uint64_t /*bytes*/) override { tool::throw_if_interrupted(); }
};

[[nodiscard]] inline std::shared_ptr<tool::memory_preparation> no_preparation() {
  return std::make_shared<instant_memory>();
}

}  // namespace freshet::test
