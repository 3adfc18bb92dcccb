// The functions that the registry lists: each makes one method.
#pragma once

#include <memory>

#include "src/method/method.hpp"

namespace freshet::detail {

[[nodiscard]] std::unique_ptr<method> make_buffered(os::file& target, const method_setup& setup);
[[nodiscard]] std::unique_ptr<method> make_dontcache(os::file& target, const method_setup& setup);
[[nodiscard]] std::unique_ptr<method> make_writebehind(os::file& target, const method_setup& setup);
/// Bytes that make_writebehind()'s method lets accumulate before it has the kernel write them.
inline constexpr std::size_t writebehind_window = std::size_t{8} << 20;

[[nodiscard]] std::unique_ptr<method> make_direct(os::file& target, const method_setup& setup);
[[nodiscard]] std::unique_ptr<method> make_libaio(os::file& target, const method_setup& setup);
[[nodiscard]] std::unique_ptr<method> make_uring(os::file& target, const method_setup& setup);
[[nodiscard]] std::unique_ptr<method> make_uring_buffered(os::file& target, const method_setup& setup);
[[nodiscard]] std::unique_ptr<method> make_aio(os::file& target, const method_setup& setup);
/// Begins by method_setup::first and changes between the page cache and direct I/O.
[[nodiscard]] std::unique_ptr<method> make_adaptive(os::file& target, const method_setup& setup);
[[nodiscard]] std::unique_ptr<method> make_mmap(os::file& target, const method_setup& setup);
[[nodiscard]] std::unique_ptr<method> make_null(os::file& target, const method_setup& setup);

}  // namespace freshet::detail
