#include <array>

#include "tool/baseline/baseline.hpp"

namespace freshet::tool {
namespace {

constexpr std::array baseline_table = {
    baseline{"stdio", "fwrite, as it comes, with its own buffer", false, write_stdio},
    baseline{"stdio-unlocked", "fwrite_unlocked, a large buffer", false, write_stdio_unlocked},
    baseline{"write", "open, write, close: a call for each piece", false, write_by_calls},
    baseline{"aio-write", "the same with aio_write, waiting for each", false, write_by_aio},
    baseline{"ofstream", "std::ofstream, its own buffer, write() for each line", false, write_ofstream},
    baseline{"ofstream-naive", "std::ofstream, << for each tab, tellp() for each line", true, write_ofstream_naive},
    baseline{"ofstream-tuned", "std::ofstream, binary, a large buffer, write()", false, write_ofstream_tuned},
    baseline{"fmt", "fmt::output_file, print() for each line", false, write_fmt},
    baseline{"freshet-naive", "ofstream-naive with freshet::ofstream", true, write_stream_naive},
    baseline{"freshet-ostream", "the same, known as a std::ostream&", true, write_ostream_naive},
    baseline{"freshet-print", "fmt with freshet::print to a freshet::writer", true, write_print},
};

}  // namespace

std::span<const baseline> baselines() noexcept { return baseline_table; }

}  // namespace freshet::tool
