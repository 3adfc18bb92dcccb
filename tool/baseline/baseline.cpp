#include "tool/baseline/baseline.hpp"

#include <algorithm>
#include <array>

namespace freshet::tool {
namespace {

constexpr std::array table = {
    baseline{"stdio", "fwrite, as it comes", write_text_stdio, write_blocks_stdio},
    baseline{"stdio-unlocked", "fwrite_unlocked", write_text_stdio_unlocked, write_blocks_stdio_unlocked},
    baseline{"ofstream-naive", "std::ofstream, << for each tab, tellp() for each line", write_text_ofstream_naive,
             nullptr},
    baseline{"ofstream-tuned", "std::ofstream, binary, a large buffer, write()", write_text_ofstream_tuned,
             write_blocks_ofstream_tuned},
    baseline{"fmt", "fmt::output_file, print() for each line", write_text_fmt, write_blocks_fmt},
    baseline{"freshet-naive", "ofstream-naive with freshet::ofstream", write_text_stream_naive, nullptr},
    baseline{"freshet-ostream", "the same, known as a std::ostream&", write_text_ostream_naive, nullptr},
    baseline{"freshet-print", "fmt with freshet::print to a freshet::writer", write_text_print, nullptr},
};

}  // namespace

std::span<const baseline> baselines() noexcept { return table; }

const baseline* find_baseline(std::string_view name) noexcept {
  const auto found = std::find_if(table.begin(), table.end(), [&](const baseline& row) { return row.name == name; });
  return found == table.end() ? nullptr : &*found;
}

}  // namespace freshet::tool
