// Without those that need calls of POSIX, an unlocked stdio or {fmt} as a library, and without the program whose text
// would have other ends of lines here.
#include <array>

#include "tool/baseline/baseline.hpp"

namespace freshet::tool {
namespace {

constexpr std::array table = {
    baseline{"stdio", "fwrite, as it comes, with its own buffer", false, write_stdio},
    baseline{"ofstream", "std::ofstream, its own buffer, write() for each line", false, write_ofstream},
    baseline{"ofstream-tuned", "std::ofstream, binary, a large buffer, write()", false, write_ofstream_tuned},
    baseline{"freshet-naive", "ofstream-naive with freshet::ofstream", true, write_stream_naive},
    baseline{"freshet-ostream", "the same, known as a std::ostream&", true, write_ostream_naive},
    baseline{"freshet-print", "fmt with freshet::print to a freshet::writer", true, write_print},
};

}  // namespace

std::span<const baseline> baselines() noexcept { return table; }

}  // namespace freshet::tool
