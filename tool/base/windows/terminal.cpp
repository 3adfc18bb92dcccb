#include "tool/base/terminal.hpp"

#include <io.h>
#include <stdio.h>
#include <windows.h>

namespace freshet::tool {
namespace {

HANDLE handle_of(std::FILE* file) noexcept { return reinterpret_cast<HANDLE>(::_get_osfhandle(::_fileno(file))); }

}  // namespace

bool is_terminal(std::FILE* file) noexcept {
  DWORD mode = 0;
  return ::GetConsoleMode(handle_of(file), &mode) != 0;
}

std::size_t terminal_columns(std::FILE* file) noexcept {
  CONSOLE_SCREEN_BUFFER_INFO console{};
  if (::GetConsoleScreenBufferInfo(handle_of(file), &console) == 0) return 0;
  return static_cast<std::size_t>(console.srWindow.Right - console.srWindow.Left + 1);
}

// The command prints UTF-8, and has the console take it as such (command_line.cpp).
bool locale_is_utf8() { return true; }

}  // namespace freshet::tool
