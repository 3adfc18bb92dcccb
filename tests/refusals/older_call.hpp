// A system call that only older processors have; newer ones have one that takes a directory, too.
#pragma once

#include <optional>

#include "src/os/interceptor.hpp"

namespace freshet::test {

struct older_call {
  std::optional<detail::os::call> kind;
  long number;
  const char* name;
};

}  // namespace freshet::test
