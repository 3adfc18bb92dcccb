// Random sequences of calls, for tests of properties.
#pragma once

#include <rapidcheck.h>

#include <cstddef>
#include <ostream>
#include <vector>

namespace freshet::test {

/// One call, and how much it is about: bytes, for most.
template <typename Action>
struct random_step {
  Action kind;
  std::size_t amount;
};

template <typename Action>
void showValue(const random_step<Action>& one, std::ostream& out) {  // NOLINT: RapidCheck's name
  out << static_cast<int>(one.kind) << ':' << one.amount;
}

/// A call of this kind, for fewer than `below` bytes.
template <typename Action>
rc::Gen<random_step<Action>> step_of(Action kind, std::size_t below) {
  return rc::gen::map(rc::gen::inRange<std::size_t>(0, below), [=](std::size_t amount) {
    return random_step<Action>{kind, amount};
  });
}

}  // namespace freshet::test
