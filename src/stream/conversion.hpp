// Whether a locale asks stream buffers to convert characters.
#pragma once

#include <locale>

namespace freshet::detail {

/// Whether the locale's codecvt facet converts characters, or may do so: files hold characters as they are.
///
/// A facet whose always_noconv() is false is tried. It is taken to convert nothing if each external character stands
/// for one internal character whatever came before (encoding() is 1), and if in() and out() leave a text as it is in
/// which every pair of bytes occurs. Where it throws, or there is no memory to try it, the answer is yes.
[[nodiscard]] bool may_convert(const std::locale& locale) noexcept;

}  // namespace freshet::detail
