// save_settings FILE: replaces FILE by new content, completely or not at all, and says what went wrong.
#include <freshet/error.hpp>
#include <freshet/writer.hpp>

#include <cstdio>
#include <string_view>

// With exceptions: one place for all errors.
void save(const char* path, std::string_view text) {
  freshet::writer out{path, {.atomic = true}};
  out.write(text);
  out.close();  // the file appears here, on the device already; if anything failed, the old one stays
}

// Without: the first error sticks, so that one check at the end is enough.
bool try_to_save(const char* path, std::string_view text) {
  std::error_code failure;
  freshet::writer out{path, {.atomic = true}, failure};
  out.write(text, failure);
  out.close(failure);
  return !failure;
}

int main(int count, char** words) {
  const char* const path = count > 1 ? words[1] : "settings";
  try {
    save(path, "colour = blue\n");
  } catch (const freshet::error& failure) {
    std::fprintf(stderr, "save_settings: %s\n", failure.what());  // "open 'no/settings': No such file or directory"
    return 1;
  }
  return try_to_save(path, "colour = green\n") ? 0 : 1;
}
