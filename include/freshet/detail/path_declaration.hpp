// Declares std::filesystem::path; not for programs.
//
// <filesystem> takes longer to compile than <fstream>. libstdc++ has a header of declarations, <bits/fs_fwd.h>, but it
// includes the clocks, an eighth of <fstream>. The class is therefore declared here as it is there. Which namespaces it
// is in is part of libstdc++'s binary interface, and does not change.
#pragma once

#include <string>

#ifdef __GLIBCXX__
// NOLINTBEGIN(modernize-concat-nested-namespaces, readability-identifier-naming): the names are libstdc++'s.
// clang-format off
namespace std _GLIBCXX_VISIBILITY(default) {
_GLIBCXX_BEGIN_NAMESPACE_VERSION
namespace filesystem {
#if _GLIBCXX_USE_CXX11_ABI
inline namespace __cxx11 __attribute__((__abi_tag__("cxx11"))) { class path; }
#else
class path;
#endif
}  // namespace filesystem
_GLIBCXX_END_NAMESPACE_VERSION
}  // namespace std
// clang-format on
// NOLINTEND(modernize-concat-nested-namespaces, readability-identifier-naming)
#else
#include <filesystem>
#endif
