#include "tool/base/command_line.hpp"

#include <windows.h>

#include <shellapi.h>

#include <cstdlib>
#include <vector>

#include "src/os/native_string.hpp"
#include "tool/base/text.hpp"

namespace freshet::tool {
namespace {

// main() is given words of the system's code page, which lacks most characters.
std::vector<std::string> read_words() {
  std::vector<std::string> words;
  int count = 0;
  wchar_t** const wide = ::CommandLineToArgvW(::GetCommandLineW(), &count);
  for (int i = 0; wide != nullptr && i < count; ++i) words.push_back(detail::to_utf8(std::wstring{wide[i]}));
  ::LocalFree(wide);
  return words;
}

UINT code_page_before = 0;

void prepare_console() {
  code_page_before = ::GetConsoleOutputCP();
  if (code_page_before == 0 || ::SetConsoleOutputCP(CP_UTF8) == 0) return;
  std::atexit([] { ::SetConsoleOutputCP(code_page_before); });
  for (const DWORD number : {STD_OUTPUT_HANDLE, STD_ERROR_HANDLE}) {
    const HANDLE output = ::GetStdHandle(number);
    DWORD mode = 0;
    if (::GetConsoleMode(output, &mode) != 0) ::SetConsoleMode(output, mode | ENABLE_VIRTUAL_TERMINAL_PROCESSING);
  }
}

}  // namespace

command_words start_with(command_words given) {
  static std::vector<std::string> words = read_words();
  static std::vector<char*> pointers;
  prepare_console();
  if (words.empty()) return given;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  return {static_cast<int>(words.size()), pointers.data()};
}

std::string read_command_line() {
  std::string line = "freshet";
  const std::vector<std::string> words = read_words();
  for (std::size_t i = 1; i < words.size(); ++i) line += " " + quote_for_shell(words[i]);
  return line;
}

}  // namespace freshet::tool
