// What the sources of freshet::filebuf share: access to its source and sink, and how it records their errors.
#pragma once

#include <cstddef>
#include <span>
#include <system_error>

#include <freshet/filebuf.hpp>

#include "src/sink/sink.hpp"
#include "src/source/source.hpp"
#include "src/stream/memory_error.hpp"

namespace freshet {
namespace detail {

inline sink& sink_of(const owned_file& file) noexcept { return static_cast<sink&>(*file); }
inline source& source_of(const owned_source& owned) noexcept { return static_cast<source&>(*owned); }

}  // namespace detail

template <typename Operation>
bool filebuf::record_error(Operation operation) noexcept {
  try {
    operation();
    return true;
  } catch (const error& caught) {
    if (!error_) error_ = caught;
  } catch (...) {  // only std::bad_alloc is possible
    if (const error* const lack = detail::memory_error(); !error_ && lack != nullptr) error_ = *lack;
  }
  return false;
}

inline bool filebuf::put_area_is_block() const noexcept {
  return pbase() == nullptr ||
         (out_ && reinterpret_cast<std::byte*>(pbase()) == detail::sink_of(out_).window().memory().data());
}

template <typename Operation>
bool filebuf::exchange_window(Operation operation) noexcept {
  detail::sink& out = take_put_area();
  operation(out);
  if (!out.failure()) {
    show_output();
    return true;
  }
  record_error([&] { throw out.failure_as_error(); });
  has_positions_ = false;
  return false;
}

}  // namespace freshet
