#include <fcntl.h>
#include <fmt/os.h>

#include <memory>
#include <span>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include <freshet/error.hpp>

#include "tool/base/text.hpp"
#include "tool/baseline/baseline.hpp"
#include "tool/baseline/naive.hpp"

namespace freshet::tool {
namespace {

// An open file that is leaked after an error: fmt's destructor writes what is left, and if that fails again, it ends
// the program.
class fmt_file {
 public:
  explicit fmt_file(const baseline_job& job) : path_{job.path}, out_{open(job)} {}

  template <typename... Values>
  void print(fmt::format_string<Values...> format, Values&&... values) {
    attempt([&] { out_->print(format, std::forward<Values>(values)...); });
  }
  void write(std::string_view text) { print("{}", text); }
  void write(std::span<const std::byte> bytes) {
    write(std::string_view{reinterpret_cast<const char*>(bytes.data()), bytes.size()});
  }
  void close() {
    attempt([&] { out_->close(); });
  }

 private:
  static std::unique_ptr<fmt::ostream> open(const baseline_job& job) {
    // output_file() fails to compile with both flags and a buffer size (fmt 9); its own parameter type takes both.
    fmt::detail::ostream_params how;
    how.oflag = O_WRONLY | O_CREAT | (job.keep_content ? 0 : O_TRUNC);
    how.buffer_size = job.buffer == 0 ? default_block : job.buffer;
    try {
      return std::make_unique<fmt::ostream>(fmt::output_file(job.path.c_str(), how));
    } catch (const std::system_error& failure) {
      throw error{failure.code(), "open", job.path};
    }
  }

  // fmt's errors do not name the file.
  template <typename Step>
  void attempt(Step step) {
    try {
      step();
    } catch (const std::system_error& failure) {
      static auto& leaked = *new std::vector<std::unique_ptr<fmt::ostream>>;
      leaked.push_back(std::move(out_));
      throw error{failure.code(), "write", path_};
    }
  }

  std::filesystem::path path_;
  std::unique_ptr<fmt::ostream> out_;
};

}  // namespace

amount write_fmt(const baseline_job& job) {
  fmt_file out{job};
  const auto print_line = [&](std::string_view tabs, std::string_view name) {
    out.print("{}All work and no play makes {} a dull boy.\n", tabs, name);
  };
  const amount written = job.content.kind == workload_kind::text ? print_text(job.content.size, print_line)
                                                                 : write_workload(out, job.content);
  out.close();
  return written;
}

}  // namespace freshet::tool
