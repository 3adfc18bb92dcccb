// Programs as users write them, ported to freshet by changing the name of a type.
#include <freshet/format.hpp>
#include <freshet/stream.hpp>
#include <freshet/writer.hpp>

#include <ostream>
#include <string_view>

#include "tool/baseline/baseline.hpp"
#include "tool/baseline/naive.hpp"

namespace freshet::tool {
namespace {

writer_options options_for(const baseline_job& job) {
  return {.block = job.buffer, .mode = job.keep_content ? open_mode::overwrite : open_mode::truncate};
}

// `KnownAs`: the type of stream that the program uses it as.
template <typename KnownAs>
amount write_naively(const baseline_job& job) {
  freshet::ofstream out{job.path, options_for(job)};
  const amount written = out ? write_text_naively<KnownAs>(out, job.content.size) : amount{};
  out.close();
  if (!out) throw error{*out.last_error()};
  return written;
}

}  // namespace

amount write_stream_naive(const baseline_job& job) { return write_naively<freshet::ofstream>(job); }

amount write_ostream_naive(const baseline_job& job) { return write_naively<std::ostream>(job); }

amount write_print(const baseline_job& job) {
  writer out{job.path, options_for(job)};
  const amount written = print_text(job.content.size, [&](std::string_view tabs, std::string_view name) {
    print(out, "{}All work and no play makes {} a dull boy.\n", tabs, name);
  });
  out.close();
  return written;
}

}  // namespace freshet::tool
