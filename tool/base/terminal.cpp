#include "tool/base/terminal.hpp"

#include <langinfo.h>
#include <locale.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <string_view>

namespace freshet::tool {

bool is_terminal(std::FILE* file) noexcept { return ::isatty(::fileno(file)) == 1; }

std::size_t terminal_columns(std::FILE* file) noexcept {
  winsize size = {};
  return ::ioctl(::fileno(file), TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

bool locale_is_utf8() {
  const locale_t locale = ::newlocale(LC_CTYPE_MASK, "", nullptr);
  if (locale == nullptr) return false;
  const bool utf8 = std::string_view{::nl_langinfo_l(CODESET, locale)} == "UTF-8";
  ::freelocale(locale);
  return utf8;
}

}  // namespace freshet::tool
