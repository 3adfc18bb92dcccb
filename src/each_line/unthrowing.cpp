// What <freshet/each_line.hpp> calls in programs that are compiled without exceptions: see freshet/detail/failure.hpp.
#include "src/stream/unthrowing.hpp"

#include <freshet/each_line.hpp>

namespace freshet::detail::unthrowing {

each_line_progress transform_files(std::span<const file_pair> files, const line_transform_maker& make,
                                   const each_line_options& options) noexcept {
  return attempt([&] { return detail::transform_files(files, make, options); });
}

each_line_progress transform_stream(reader& in, writer& out, const line_transform_maker& make,
                                    const each_line_options& options) noexcept {
  return attempt([&] { return detail::transform_stream(in, out, make, options); });
}

}  // namespace freshet::detail::unthrowing
