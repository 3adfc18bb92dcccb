#include <fcntl.h>
#include <fmt/os.h>

#include <system_error>

#include <freshet/error.hpp>

#include "baseline/baseline.hpp"

namespace freshet::tool {
namespace {

constexpr std::size_t default_buffer = std::size_t{256} << 10;

fmt::ostream open(const baseline_job& job) {
  // output_file() takes flags or a buffer's size, but fails to compile with both (fmt 9); what it makes of them does.
  fmt::detail::ostream_params how;
  how.oflag = O_WRONLY | O_CREAT | (job.keep_content ? 0 : O_TRUNC);
  how.buffer_size = job.buffer == 0 ? default_buffer : job.buffer;
  return fmt::output_file(job.path.c_str(), how);
}

// fmt's errors name what failed in words of their own; ours name the file, too.
template <typename Work>
amount with_path(const baseline_job& job, Work work) {
  try {
    return work();
  } catch (const std::system_error& failure) {
    throw error{failure.code(), "write", job.path};
  }
}

struct printer {
  fmt::ostream file;
  void write(std::span<const std::byte> bytes) {
    file.print("{}", std::string_view{reinterpret_cast<const char*>(bytes.data()), bytes.size()});
  }
};

}  // namespace

amount write_text_fmt(const baseline_job& job) {
  return with_path(job, [&] {
    auto out = open(job);
    amount written;
    for (std::uint64_t number = 1; written.bytes + text_line_length(number) <= job.size; ++number) {
      out.print("{}All work and no play makes {} a dull boy.\n", text_tabs(number), text_name(number));
      written.bytes += text_line_length(number);
      written.lines = number;
      if (number % 4096 == 0) throw_if_interrupted();
    }
    out.close();
    return written;
  });
}

amount write_blocks_fmt(const baseline_job& job, const block_data& data, std::size_t block) {
  return with_path(job, [&] {
    printer out{open(job)};
    const amount written = write_blocks(out, data, job.size, block);
    out.file.close();
    return written;
  });
}

}  // namespace freshet::tool
