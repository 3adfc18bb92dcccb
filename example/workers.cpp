// workers DIRECTORY: each thread writes a file of its own, and a child process goes on with a file of its parent.
#include <freshet/writer.hpp>

#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <exception>
#include <string>
#include <thread>
#include <vector>

int main(int count, char** words) try {
  const std::string directory = count > 1 ? words[1] : ".";
  freshet::writer shared{directory + "/shared"};
  shared.write("written by the parent\n");
  shared.flush();  // before fork(): nothing may be in flight, or the child could not go on
  const pid_t child = fork();
  if (child == 0) {
    shared.write("written by the child\n");
    std::error_code failure;
    shared.close(failure);
    _exit(failure ? 1 : 0);
  }
  int status = 0;
  waitpid(child, &status, 0);

  std::vector<std::exception_ptr> failures(4);
  std::vector<std::jthread> threads;
  for (std::size_t number = 0; number < failures.size(); ++number) {
    threads.emplace_back([&, number] {
      try {
        freshet::writer own{directory + "/part-" + std::to_string(number)};  // one file, one thread at a time
        for (int line = 0; line < 1000; ++line) own.write("line " + std::to_string(line) + '\n');
        own.close();
      } catch (...) {
        failures[number] = std::current_exception();
      }
    });
  }
  threads.clear();  // joins
  for (const std::exception_ptr& failure : failures)
    if (failure) std::rethrow_exception(failure);
  return status == 0 ? 0 : 1;
} catch (const std::exception& failure) {
  std::fprintf(stderr, "workers: %s\n", failure.what());
  return 1;
}
