// The functions that the registry lists: each makes one method.
#pragma once

#include <memory>

#include "src/method/method.hpp"

namespace freshet::detail {

[[nodiscard]] std::unique_ptr<method> make_buffered(os::file& target, const method_setup& setup);
[[nodiscard]] std::unique_ptr<method> make_dontcache(os::file& target, const method_setup& setup);
[[nodiscard]] std::unique_ptr<method> make_writebehind(os::file& target, const method_setup& setup);

[[nodiscard]] std::unique_ptr<method> make_direct(os::file& target, const method_setup& setup);
[[nodiscard]] std::unique_ptr<method> make_libaio(os::file& target, const method_setup& setup);
[[nodiscard]] std::unique_ptr<method> make_uring(os::file& target, const method_setup& setup);
[[nodiscard]] std::unique_ptr<method> make_uring_buffered(os::file& target, const method_setup& setup);
[[nodiscard]] std::unique_ptr<method> make_overlapped(os::file& target, const method_setup& setup);
[[nodiscard]] std::unique_ptr<method> make_aio(os::file& target, const method_setup& setup);
/// Keeps the pages, or gives them back as make_writebehind()'s method, whichever is faster at the moment.
[[nodiscard]] std::unique_ptr<method> make_adaptive(os::file& target, const method_setup& setup);
[[nodiscard]] std::unique_ptr<method> make_mmap(os::file& target, const method_setup& setup);
[[nodiscard]] std::unique_ptr<method> make_null(os::file& target, const method_setup& setup);

}  // namespace freshet::detail
