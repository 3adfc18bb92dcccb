#include "tool/base/forked.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <system_error>

#include <freshet/error.hpp>

#include "src/os/file.hpp"
#include "tool/base/child.hpp"
#include "tool/base/interrupt.hpp"

namespace freshet::tool {
namespace {

[[noreturn]] void fail_to_start(int fault) {
  throw child_failure{"cannot start a process: " + std::generic_category().message(fault), {}};
}

// What goes through the pipe: the result, or why there is none.
nlohmann::json do_work(const std::function<nlohmann::json()>& work) {
  try {
    return {{"result", work()}};
  } catch (const interrupted& signal) {
    return {{"signal", signal.signal}};
  } catch (const error& failure) {
    return {{"code", failure.code().value()},   {"is_generic", failure.code().category() == std::generic_category()},
            {"operation", failure.operation()}, {"path", failure.path().string()},
            {"offset", failure.offset()},       {"words", failure.what()}};
  } catch (const std::exception& failure) {
    return {{"failure", failure.what()}};
  }
}

[[noreturn]] void rethrow_error(const nlohmann::json& told) {
  const std::error_code code{told.at("code").get<int>(),
                             told.at("is_generic").get<bool>() ? std::generic_category() : std::system_category()};
  const auto operation = told.at("operation").get<std::string>();
  const auto path = told.at("path").get<std::string>();
  const auto offset = told.at("offset").get<std::uint64_t>();
  const auto words = told.at("words").get<std::string>();
  // An error does not tell its explanation alone: it follows in brackets.
  const std::string_view plain = error{code, operation, path, offset}.what();
  const std::string detail =
      words.size() > plain.size() + 3 ? words.substr(plain.size() + 2, words.size() - plain.size() - 3) : "";
  throw error{code, operation, path, offset, detail};
}

[[noreturn]] void become_worker(pid_t parent, int writes, const std::function<nlohmann::json()>& work) {
  if (::prctl(PR_SET_PDEATHSIG, SIGKILL) != 0 || ::getppid() != parent) ::_exit(1);
  const std::string told = do_work(work).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  std::string_view left = told;
  while (!left.empty()) {
    const ssize_t written = ::write(writes, left.data(), left.size());
    if (written < 0 && errno != EINTR) ::_exit(1);
    if (written > 0) left.remove_prefix(static_cast<std::size_t>(written));
  }
  ::_exit(0);
}

// All that the worker tells until it ends. Passes a signal on to it, once.
std::string read_until_end(const detail::os::file& pipe, pid_t worker) {
  constexpr int slice = 20;  // milliseconds
  std::string told;
  std::array<char, 4096> piece{};
  for (bool is_passed_on = false;;) {
    if (const int signal = noted_interrupt(); signal != 0 && !is_passed_on) {
      ::kill(worker, signal);
      is_passed_on = true;
    }
    pollfd source{pipe.descriptor(), POLLIN, 0};
    if (::poll(&source, 1, slice) <= 0) continue;
    const ssize_t got = ::read(pipe.descriptor(), piece.data(), piece.size());
    if (got == 0) return told;
    if (got > 0) told.append(piece.data(), static_cast<std::size_t>(got));
    if (got < 0 && errno != EINTR) return told;
  }
}

void wait_for_worker(pid_t worker) {
  int status = 0;
  while (::waitpid(worker, &status, 0) < 0 && errno == EINTR) continue;
  if (WIFSIGNALED(status))
    throw child_failure{fmt::format("was killed by signal {} ({})", WTERMSIG(status), ::strsignal(WTERMSIG(status))),
                        {}};
  if (WEXITSTATUS(status) != 0) throw child_failure{fmt::format("ended with exit code {}", WEXITSTATUS(status)), {}};
}

}  // namespace

nlohmann::json run_forked(const std::function<nlohmann::json()>& work) {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) fail_to_start(errno);
  const detail::os::file reads = detail::os::file::wrap(ends[0], true);
  detail::os::file writes = detail::os::file::wrap(ends[1], true);
  const pid_t parent = ::getpid();
  const pid_t worker = ::fork();
  if (worker == 0) become_worker(parent, writes.descriptor(), work);
  if (worker < 0) fail_to_start(errno);
  writes = {};  // so that the pipe ends with the worker
  const std::string text = read_until_end(reads, worker);
  wait_for_worker(worker);
  const nlohmann::json told = nlohmann::json::parse(text);
  if (told.contains("result")) return told.at("result");
  if (told.contains("signal")) throw interrupted{told.at("signal").get<int>()};
  if (told.contains("failure")) throw child_failure{told.at("failure").get<std::string>(), {}};
  rethrow_error(told);
}

}  // namespace freshet::tool
