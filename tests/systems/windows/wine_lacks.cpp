// What this system lacks of Windows 10, by plain calls of Win32: run under Wine, it shows why tests of `windows.txt`
// fail there. Prints a line for each call, and returns how many of them are not as on Windows 10.
#define WIN32_LEAN_AND_MEAN
#include <windows.h>

#include <cstdio>
#include <cstring>
#include <cwchar>
#include <initializer_list>

namespace {

int lacking = 0;

void show(const char* call, bool works) {
  const DWORD why = works ? NO_ERROR : GetLastError();
  std::printf("%-40s %s", call, works ? "works\n" : "fails: ");
  if (!works) std::printf("%lu\n", why);
  lacking += works ? 0 : 1;
}

HANDLE open(const wchar_t* name, DWORD access, DWORD disposition, DWORD flags = 0) {
  return CreateFileW(name, access, FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE, nullptr, disposition, flags,
                     nullptr);
}

// FILE_RENAME_INFO as Windows 10 1607 has it: flags where older ones have a boolean.
bool rename_with_posix_semantics(HANDLE file, const wchar_t* to) {
  struct {
    DWORD flags;
    HANDLE root;
    DWORD length;
    wchar_t name[32];
  } wanted{};
  wanted.flags = 1 | 2;  // FILE_RENAME_FLAG_REPLACE_IF_EXISTS | FILE_RENAME_FLAG_POSIX_SEMANTICS
  wanted.length = static_cast<DWORD>(std::wcslen(to) * sizeof(wchar_t));
  std::memcpy(wanted.name, to, wanted.length);
  constexpr auto rename_info_ex = static_cast<FILE_INFO_BY_HANDLE_CLASS>(22);
  return SetFileInformationByHandle(file, rename_info_ex, &wanted, sizeof wanted) != 0;
}

}  // namespace

int main() {
  const HANDLE file = open(L"wine_lacks.1", GENERIC_READ | GENERIC_WRITE | DELETE, CREATE_ALWAYS);
  DWORD moved = 0;
  WriteFile(file, "text", 4, &moved, nullptr);

  FILE_ALLOCATION_INFO space{};
  space.AllocationSize.QuadPart = 1 << 20;
  show("FileAllocationInfo", SetFileInformationByHandle(file, FileAllocationInfo, &space, sizeof space) != 0);

  CloseHandle(open(L"wine_lacks.2", GENERIC_WRITE, CREATE_ALWAYS));
  const HANDLE reader = open(L"wine_lacks.2", GENERIC_READ, OPEN_EXISTING);
  show("FileRenameInfoEx over an open file", rename_with_posix_semantics(file, L"wine_lacks.2"));
  CloseHandle(reader);

  IO_COUNTERS counted{};
  SetLastError(NO_ERROR);
  show("GetProcessIoCounters counts writes",
       GetProcessIoCounters(GetCurrentProcess(), &counted) != 0 && counted.WriteOperationCount != 0);

  DWORD deletion = 1 | 2;  // FILE_DISPOSITION_FLAG_DELETE | FILE_DISPOSITION_FLAG_POSIX_SEMANTICS
  constexpr auto disposition_info_ex = static_cast<FILE_INFO_BY_HANDLE_CLASS>(21);
  show("FileDispositionInfoEx", SetFileInformationByHandle(file, disposition_info_ex, &deletion, sizeof deletion) != 0);
  CloseHandle(file);

  // On Windows, three bytes are no whole sector: such a write fails.
  const HANDLE direct = open(L"wine_lacks.3", GENERIC_WRITE, CREATE_ALWAYS, FILE_FLAG_NO_BUFFERING);
  SetLastError(NO_ERROR);
  show("FILE_FLAG_NO_BUFFERING refuses 3 bytes", WriteFile(direct, "abc", 3, &moved, nullptr) == 0);
  CloseHandle(direct);

  for (const wchar_t* name : {L"wine_lacks.1", L"wine_lacks.2", L"wine_lacks.3"}) DeleteFileW(name);
  return lacking;
}
