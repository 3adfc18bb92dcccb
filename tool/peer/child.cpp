#include "tool/peer/child.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <span>
#include <system_error>

#include <freshet/error.hpp>

#include "tool/base/interrupt.hpp"
#include "tool/base/text.hpp"

namespace freshet::tool {
namespace {

constexpr std::size_t words_kept = 4096;
constexpr std::size_t longest_line = std::size_t{1} << 16;
constexpr std::size_t lines_shown = 5;

std::string reason(int fault) { return std::generic_category().message(fault); }

struct pipe_ends {
  detail::os::file reads;
  detail::os::file writes;
};

pipe_ends make_pipe(const std::string& program) {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) throw error{{errno, std::system_category()}, "make a pipe to", program};
  return {detail::os::file::wrap(ends[0], true), detail::os::file::wrap(ends[1], true)};
}

// What posix_spawn() is told; each of its calls fails for want of memory only.
class spawn_plan {
 public:
  spawn_plan() {
    posix_spawn_file_actions_init(&actions_);
    posix_spawnattr_init(&attributes_);
    posix_spawnattr_setpgroup(&attributes_, 0);
    sigset_t all_signals;
    sigfillset(&all_signals);
    posix_spawnattr_setsigdefault(&attributes_, &all_signals);
    posix_spawnattr_setflags(&attributes_, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF);
  }
  spawn_plan(const spawn_plan&) = delete;
  spawn_plan& operator=(const spawn_plan&) = delete;
  ~spawn_plan() {
    posix_spawn_file_actions_destroy(&actions_);
    posix_spawnattr_destroy(&attributes_);
  }
  void have(int as, const detail::os::file& what) {
    posix_spawn_file_actions_adddup2(&actions_, what.descriptor(), as);
  }
  void have_nothing(int as) { posix_spawn_file_actions_addopen(&actions_, as, "/dev/null", O_RDONLY, 0); }
  void work_in(const std::string& directory) { posix_spawn_file_actions_addchdir_np(&actions_, directory.c_str()); }
  [[nodiscard]] pid_t start(std::vector<std::string> words, std::vector<std::string> environment) const {
    pid_t number = -1;
    const int fault = posix_spawnp(&number, words.front().c_str(), &actions_, &attributes_, pointers(words).data(),
                                   pointers(environment).data());
    if (fault != 0) throw child_failure{fmt::format("cannot start {}: {}", words.front(), reason(fault)), {}};
    return number;
  }

 private:
  static std::vector<char*> pointers(std::vector<std::string>& texts) {
    std::vector<char*> each;
    for (std::string& text : texts) each.push_back(text.data());
    each.push_back(nullptr);
    return each;
  }

  posix_spawn_file_actions_t actions_{};
  posix_spawnattr_t attributes_{};
};

// As long as it lives, writing to a pipe that nobody reads fails instead of ending this process.
class no_broken_pipes {
 public:
  no_broken_pipes() { ::sigaction(SIGPIPE, &ignored_, &before_); }
  no_broken_pipes(const no_broken_pipes&) = delete;
  no_broken_pipes& operator=(const no_broken_pipes&) = delete;
  ~no_broken_pipes() { ::sigaction(SIGPIPE, &before_, nullptr); }

 private:
  struct sigaction before_ = {};
  struct sigaction ignored_ = [] {
    struct sigaction made = {};
    made.sa_handler = SIG_IGN;
    return made;
  }();
};

// Adds what there is to read; false at its end.
bool take_in(detail::os::file& from, std::string& into) {
  std::array<std::byte, 4096> piece{};
  while (true) {
    std::error_code fault;
    const std::size_t got = from.read(piece, fault);
    if (fault == std::errc::interrupted) continue;
    if (fault) return fault == std::errc::resource_unavailable_try_again;
    if (got == 0) return false;
    into.append(reinterpret_cast<const char*>(piece.data()), got);
    if (into.size() > longest_line) return true;
  }
}

}  // namespace

child::child(const child_call& call, manner how) : time_limit_{call.time_limit} { start(call, how); }

child::~child() {
  if (number_ > 0) end_group();
}

void child::start(const child_call& call, manner how) {
  spawn_plan plan;
  pipe_ends errors = make_pipe(call.words.front());
  plan.have(STDERR_FILENO, errors.writes);
  pipe_ends input;
  pipe_ends output;
  if (how == manner::talk) {
    input = make_pipe(call.words.front());
    output = make_pipe(call.words.front());
    plan.have(STDIN_FILENO, input.reads);
    plan.have(STDOUT_FILENO, output.writes);
  } else {
    plan.have_nothing(STDIN_FILENO);
    plan.have(STDOUT_FILENO, errors.writes);
  }
  plan.work_in(call.directory);
  number_ = plan.start(call.words, call.environment);
  to_ = std::move(input.writes);
  from_ = std::move(output.reads);
  errors_ = std::move(errors.reads);
  for (const detail::os::file* each : {&from_, &errors_})
    if (each->is_open()) ::fcntl(each->descriptor(), F_SETFL, O_NONBLOCK);
}

void child::limit_files(std::uint64_t bytes) const {
  const rlimit largest{bytes, bytes};
  const rlimit none{0, 0};
  ::prlimit(number_, RLIMIT_FSIZE, &largest, nullptr);
  ::prlimit(number_, RLIMIT_CORE, &none, nullptr);
}

// Takes in what it says, for at most so long.
void child::listen(int milliseconds) {
  throw_if_interrupted();
  std::array<pollfd, 2> sources{{{from_.descriptor(), POLLIN, 0}, {errors_.descriptor(), POLLIN, 0}}};
  if (::poll(sources.data(), sources.size(), milliseconds) <= 0) return throw_if_interrupted();
  if (sources[0].revents != 0 && !take_in(from_, said_)) from_ = {};
  if (sources[1].revents != 0 && !take_in(errors_, last_)) errors_ = {};
  if (last_.size() > words_kept) last_.erase(0, last_.size() - words_kept);
}

bool child::has_ended() const {
  siginfo_t about{};
  return ::waitid(P_PID, static_cast<id_t>(number_), &about, WEXITED | WNOHANG | WNOWAIT) == 0 && about.si_pid != 0;
}

void child::expect(std::string_view word) {
  constexpr int slice = 100;
  const stopwatch waited;
  while (said_.find('\n') == std::string::npos) {
    if (said_.size() >= longest_line) fail(fmt::format(R"(said no "{}", but a line without an end)", word));
    if (!from_.is_open() || has_ended()) {
      listen(0);
      if (said_.find('\n') != std::string::npos) break;
      wait_for_end();
      fail(fmt::format("{} before it said \"{}\"", reap(), word));
    }
    if (waited.seconds() > time_limit_) fail(fmt::format("did not say \"{}\" within {:.3g} s", word, time_limit_));
    listen(slice);
  }
  std::string line = said_.substr(0, said_.find('\n'));
  said_.erase(0, line.size() + 1);
  if (line.ends_with('\r')) line.pop_back();
  if (line != word) fail(fmt::format(R"(said "{}" instead of "{}")", last_lines(line.substr(0, 60), 1), word));
}

void child::go_on() {
  constexpr std::array<std::byte, 3> line{std::byte{'g'}, std::byte{'o'}, std::byte{'\n'}};
  const no_broken_pipes quiet;
  std::error_code ended;
  to_.write(line, ended);
}

void child::hang_up() { to_ = {}; }

void child::wait_for_end() {
  constexpr int slice = 20;
  for (const stopwatch waited; !has_ended(); listen(slice))
    if (waited.seconds() > time_limit_) fail(fmt::format("did not end within {:.3g} s", time_limit_));
  listen(0);
}

void child::wait_for_success() {
  wait_for_end();
  const std::string how = reap();
  if (exit_code_ != 0) fail(how);
}

// How it ended, in words. What it left running is ended first, as long as nobody else can have the number.
std::string child::reap() {
  ::kill(-number_, SIGKILL);
  int status = 0;
  while (::waitpid(number_, &status, 0) < 0 && errno == EINTR) continue;
  number_ = -1;
  if (WIFEXITED(status)) {
    exit_code_ = WEXITSTATUS(status);
    return fmt::format("ended with exit code {}", exit_code_);
  }
  const int signal = WTERMSIG(status);
  return fmt::format("was killed by signal {} ({})", signal, ::strsignal(signal));
}

void child::end_group() const noexcept {
  ::kill(-number_, SIGKILL);
  while (::waitpid(number_, nullptr, 0) < 0 && errno == EINTR) continue;
}

std::string child::last_words() const { return last_lines(last_, lines_shown); }

void child::fail(const std::string& why) const { throw child_failure{why, last_words()}; }

std::vector<std::string> environment_with(const std::vector<std::string>& changes) {
  std::vector<std::string> all = changes;
  for (char** each = environ; *each != nullptr; ++each) {
    const std::string_view entry{*each};
    const std::string_view name = entry.substr(0, entry.find('=') + 1);
    if (std::ranges::none_of(changes, [&](const std::string& change) { return change.starts_with(name); }))
      all.emplace_back(entry);
  }
  return all;
}

std::string last_lines(std::string_view text, std::size_t lines) {
  while (text.ends_with('\n')) text.remove_suffix(1);
  std::size_t begin = text.size();
  for (std::size_t found = 0; begin > 0; --begin)
    if (text[begin - 1] == '\n' && ++found == lines) break;
  return replace_controls(text.substr(begin));
}

}  // namespace freshet::tool
