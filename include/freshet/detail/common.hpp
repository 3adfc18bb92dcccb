// Shared by the inline parts of freshet::writer and freshet::reader; not for programs.
#pragma once

#include <freshet/detail/failure.hpp>

namespace freshet::detail {

// Accesses through char may alias everything, including the writer's own members, so the compiler would reload these
// for each byte. Accesses through this type may not.
enum class octet : unsigned char {};

/// False, once a template is used: for a static_assert whose message says what to write instead.
template <typename...>
inline constexpr bool never = false;

}  // namespace freshet::detail
