// journal FILE: appends entries that survive a power cut as soon as they are acknowledged.
#include <freshet/writer.hpp>

#include <cstdio>
#include <exception>
#include <string>

int main(int count, char** words) try {
  freshet::writer out{count > 1 ? words[1] : "journal", {.mode = freshet::open_mode::append}};
  for (int entry = 1; entry <= 3; ++entry) {
    out.write("entry " + std::to_string(entry) + '\n');
    out.sync();  // returns when the device has the entry: now it may be acknowledged
    std::printf("entry %d is safe: %ju bytes\n", entry, static_cast<std::uintmax_t>(out.durable_bytes()));
  }
  out.close();
} catch (const std::exception& failure) {
  std::fprintf(stderr, "journal: %s\n", failure.what());
  return 1;
}
