#include "lab/encrypt/line_streams.hpp"

#include <fcntl.h>
#include <ext/stdio_filebuf.h>

#include <cstdio>

#include "src/os/file.hpp"

namespace freshet::tool {
namespace {

detail::os::advice advice_for(access order) {
  switch (order) {
    case access::random:
      return detail::os::advice::random;
    case access::once:
      return detail::os::advice::no_reuse;
    case access::sequential:
      break;
  }
  return detail::os::advice::sequential;
}

}  // namespace

// Only an extension of libstdc++ lets a stream have a descriptor.
void open_with_access(std::ifstream& stream, const std::filesystem::path& path, access order, std::size_t buffer) {
  std::error_code failure;
  detail::os::file opened = detail::os::file::open_existing(path.string(), failure);
  if (failure) throw error{failure, "open", path};
  std::error_code no_such_advice;
  opened.advise(advice_for(order), 0, 0, no_such_advice);
  const int of_stream = ::fcntl(opened.descriptor(), F_DUPFD_CLOEXEC, 0);
  if (of_stream < 0) throw error{{errno, std::system_category()}, "open", path};
  __gnu_cxx::stdio_filebuf<char> content{of_stream, std::ios::in | std::ios::binary, buffer != 0 ? buffer : BUFSIZ};
  static_cast<std::filebuf&>(*stream.rdbuf()) = std::move(content);
}

}  // namespace freshet::tool
