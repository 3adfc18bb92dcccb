#include "tests/src/allocation/failing_allocations.hpp"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <new>

namespace freshet::test {
namespace {

constinit std::atomic<std::size_t> calls{0};
constinit std::atomic<std::size_t> first_failing{failing_allocations::never};
constinit std::atomic<std::size_t> last_failing{0};

bool is_next_to_fail() noexcept {
  if (first_failing.load() == failing_allocations::never && last_failing.load() == 0) return false;
  const std::size_t number = ++calls;
  return number >= first_failing && number <= last_failing;
}

}  // namespace

failing_allocations::failing_allocations(std::size_t first, std::size_t last) noexcept {
  calls = 0;
  first_failing = first;
  last_failing = last;
}

failing_allocations::~failing_allocations() {
  first_failing = never;
  last_failing = 0;
}

std::size_t failing_allocations::count() noexcept { return calls; }

}  // namespace freshet::test

// The array forms of the standard library call these, those of a sanitizer do not.
void* operator new(std::size_t size, const std::nothrow_t& /*tag*/) noexcept {
  return freshet::test::is_next_to_fail() ? nullptr : std::malloc(std::max<std::size_t>(size, 1));
}
void* operator new(std::size_t size) {
  void* const memory = operator new(size, std::nothrow);
  if (memory == nullptr) throw std::bad_alloc{};
  return memory;
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

void* operator new[](std::size_t size, const std::nothrow_t& tag) noexcept { return operator new(size, tag); }
void* operator new[](std::size_t size) { return operator new(size); }
void operator delete[](void* memory) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t) noexcept { std::free(memory); }

void* operator new(std::size_t size, std::align_val_t alignment, const std::nothrow_t& /*tag*/) noexcept {
  const auto unit = static_cast<std::size_t>(alignment);
  const std::size_t whole = (std::max<std::size_t>(size, 1) + unit - 1) / unit * unit;
  return freshet::test::is_next_to_fail() ? nullptr : std::aligned_alloc(unit, whole);
}
void* operator new(std::size_t size, std::align_val_t alignment) {
  void* const memory = operator new(size, alignment, std::nothrow);
  if (memory == nullptr) throw std::bad_alloc{};
  return memory;
}
void operator delete(void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { std::free(memory); }
