#include "tool/measure/left_behind.hpp"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <exception>

#include "tool/measure/process.hpp"

namespace freshet::tool {
namespace {

std::vector<int> list_children() {
  std::vector<int> children;
  for (const int each : list_processes())
    if (const auto status = read_process_status(each); status && status->parent == ::getpid()) children.push_back(each);
  return children;
}

}  // namespace

left_behind::left_behind() : before_{list_children()} { ::prctl(PR_SET_CHILD_SUBREAPER, 1); }

left_behind::~left_behind() {
  end();
  ::prctl(PR_SET_CHILD_SUBREAPER, 0);
}

std::vector<int> left_behind::adopted() const {
  std::vector<int> children = list_children();
  std::erase_if(children, [this](int each) { return std::ranges::find(before_, each) != before_.end(); });
  return children;
}

std::vector<std::string> left_behind::list(int child) const {
  std::vector<std::string> names;
  for (const int each : adopted())
    if (const auto status = read_process_status(each); each != child && status && !status->has_ended)
      names.push_back(status->name);
  return names;
}

// A process that ends hands its own children over, so that it takes several turns.
void left_behind::end() const noexcept {
  try {
    for (std::vector<int> children = adopted(); !children.empty(); children = adopted())
      for (const int each : children) {
        ::kill(each, SIGKILL);
        while (::waitpid(each, nullptr, 0) < 0 && errno == EINTR) continue;
      }
  } catch (const std::exception&) {
    // Without memory to list them they stay; this process's own end does not end them.
  }
}

}  // namespace freshet::tool
