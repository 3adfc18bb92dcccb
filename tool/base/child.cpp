#include "tool/base/child.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>
#include <charconv>
#include <cstddef>
#include <cstdlib>
#include <system_error>
#include <utility>

#include <freshet/error.hpp>

#include "tool/base/clock.hpp"
#include "tool/base/interrupt.hpp"
#include "tool/base/text.hpp"

namespace freshet::tool {
namespace {

constexpr std::size_t longest_line = std::size_t{1} << 16;
constexpr std::size_t lines_shown = 5;
constexpr std::size_t longest_shown = 60;  // characters of a line of its protocol

std::string describe_errno(int fault) { return std::generic_category().message(fault); }

struct pipe_ends {
  detail::os::file reads;
  detail::os::file writes;
};

pipe_ends make_pipe(const std::string& program) {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) throw error{{errno, std::system_category()}, "make a pipe to", program};
  return {detail::os::file::wrap(ends[0], true), detail::os::file::wrap(ends[1], true)};
}

std::vector<char*> make_pointers(std::vector<std::string>& texts) {
  std::vector<char*> each;
  for (std::string& text : texts) each.push_back(text.data());
  each.push_back(nullptr);
  return each;
}

// A shell that starts the words, writes their process's id, and ends. In the background their standard input would be
// /dev/null.
std::vector<std::string> start_by_shell(const std::vector<std::string>& words) {
  std::vector<std::string> all{"sh", "-c", R"(exec 3<&0; "$@" <&3 3<&- & echo $!)", "sh"};
  all.insert(all.end(), words.begin(), words.end());
  return all;
}

// A program, and what it gets of this process.
class spawn_request {
 public:
  explicit spawn_request(const child_call& call)
      : words_{call.counts_own_memory ? start_by_shell(call.words) : call.words},
        environment_{call.environment},
        directory_{call.directory} {}
  spawn_request(const spawn_request&) = delete;
  spawn_request& operator=(const spawn_request&) = delete;
  void pass(const detail::os::file& file, int as) { passed_.emplace_back(file.descriptor(), as); }
  /// @throws child_failure
  [[nodiscard]] pid_t start();
  /// The same for a process that gets SIGTERM when this thread ends, which posix_spawn() cannot ask for. It takes time
  /// and page faults that grow with this process's memory. @throws child_failure
  [[nodiscard]] pid_t start_bound();

 private:
  void become_program(pid_t parent) const;
  void require_started(int fault) const {
    if (fault != 0) throw child_failure{fmt::format("cannot start {}: {}", words_.front(), describe_errno(fault)), {}};
  }

  std::vector<std::string> words_;
  std::vector<std::string> environment_;
  std::string directory_;
  std::vector<char*> word_pointers_ = make_pointers(words_);
  std::vector<char*> environment_pointers_ = make_pointers(environment_);
  std::vector<std::pair<int, int>> passed_;  // descriptors: here and there
};

// The calls that prepare posix_spawn() fail only for lack of memory.
pid_t spawn_request::start() {
  posix_spawn_file_actions_t actions{};
  posix_spawn_file_actions_init(&actions);
  for (const auto& [here, there] : passed_) posix_spawn_file_actions_adddup2(&actions, here, there);
  posix_spawn_file_actions_addchdir_np(&actions, directory_.c_str());
  posix_spawnattr_t attributes{};
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setpgroup(&attributes, 0);
  sigset_t all_signals;
  sigfillset(&all_signals);
  posix_spawnattr_setsigdefault(&attributes, &all_signals);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF);
  pid_t process_id = -1;
  const int fault = posix_spawnp(&process_id, words_.front().c_str(), &actions, &attributes, word_pointers_.data(),
                                 environment_pointers_.data());
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  require_started(fault);
  return process_id;
}

// Returns only if something failed, with the reason in errno. Only system calls are safe here: other threads of this
// process may have held locks at the fork.
void spawn_request::become_program(pid_t parent) const {
  for (int each = 1; each < NSIG; ++each) ::signal(each, SIG_DFL);
  if (::setpgid(0, 0) != 0 || ::prctl(PR_SET_PDEATHSIG, SIGTERM) != 0) return;
  // No signal comes from a parent that had ended before it was asked for.
  if (::getppid() != parent) ::_exit(1);
  for (const auto& [here, there] : passed_)
    if ((here == there ? ::fcntl(here, F_SETFD, 0) : ::dup2(here, there)) < 0) return;
  if (::chdir(directory_.c_str()) != 0) return;
  ::execvpe(words_.front().c_str(), word_pointers_.data(), environment_pointers_.data());
}

pid_t spawn_request::start_bound() {
  pipe_ends faults = make_pipe(words_.front());
  const pid_t parent = ::getpid();
  const pid_t process_id = ::fork();
  if (process_id == 0) {
    become_program(parent);
    const int fault = errno;
    ::_exit(::write(faults.writes.descriptor(), &fault, sizeof fault) == sizeof fault ? 0 : 1);
  }
  if (process_id < 0) require_started(errno);
  faults.writes = {};  // so that reading ends once the program is there
  int fault = 0;
  while (::read(faults.reads.descriptor(), &fault, sizeof fault) < 0 && errno == EINTR) continue;
  if (fault != 0)
    while (::waitpid(process_id, nullptr, 0) < 0 && errno == EINTR) continue;
  require_started(fault);
  return process_id;
}

// Ignores SIGPIPE as long as it lives, so that writing to a closed pipe fails instead of ending this process.
class sigpipe_ignored {
 public:
  sigpipe_ignored() { ::sigaction(SIGPIPE, &ignored_, &before_); }
  sigpipe_ignored(const sigpipe_ignored&) = delete;
  sigpipe_ignored& operator=(const sigpipe_ignored&) = delete;
  ~sigpipe_ignored() { ::sigaction(SIGPIPE, &before_, nullptr); }

 private:
  struct sigaction before_ = {};
  struct sigaction ignored_ = [] {
    struct sigaction action = {};
    action.sa_handler = SIG_IGN;
    return action;
  }();
};

// Appends all that can be read without waiting; false at the end of the pipe.
bool read_available(detail::os::file& from, std::string& into) {
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

child::child(const child_call& call, connection how) : time_limit_{call.time_limit}, output_kept_{call.output_kept} {
  start(call, how);
}

child::~child() {
  if (process_id_ > 0) end_group();
}

void child::start(const child_call& call, connection how) {
  spawn_request request{call};
  pipe_ends errors = make_pipe(call.words.front());
  request.pass(errors.writes, STDERR_FILENO);
  pipe_ends input;
  pipe_ends output;
  if (how == connection::talk) {
    input = make_pipe(call.words.front());
    output = make_pipe(call.words.front());
    request.pass(output.writes, STDOUT_FILENO);
  } else {
    input.reads = detail::os::file::wrap(::open("/dev/null", O_RDONLY | O_CLOEXEC), true);
    request.pass(errors.writes, STDOUT_FILENO);
  }
  request.pass(input.reads, STDIN_FILENO);
  if (call.kept_open != nullptr) request.pass(*call.kept_open, call.kept_open->descriptor());
  process_id_ = call.ends_with_parent ? request.start_bound() : request.start();
  group_id_ = process_id_;
  stdin_ = std::move(input.writes);
  stdout_ = std::move(output.reads);
  stderr_ = std::move(errors.reads);
  for (const detail::os::file* each : {&stdout_, &stderr_})
    if (each->is_open()) ::fcntl(each->descriptor(), F_SETFL, O_NONBLOCK);
  if (call.counts_own_memory) hand_over();
}

// From the shell that started it to the process itself, whose parent is this process now.
void child::hand_over() try {
  const std::string line = take_line("its process's id");
  int id = 0;
  std::from_chars(line.data(), line.data() + line.size(), id);
  if (id <= 0) fail_for_line(line, "its process's id");
  while (::waitpid(process_id_, nullptr, 0) < 0 && errno == EINTR) continue;
  process_id_ = id;
} catch (...) {
  if (process_id_ > 0) end_group();
  throw;
}

void child::limit_files(std::uint64_t bytes) const {
  const rlimit largest{bytes, bytes};
  const rlimit none{0, 0};
  ::prlimit(process_id_, RLIMIT_FSIZE, &largest, nullptr);
  ::prlimit(process_id_, RLIMIT_CORE, &none, nullptr);
}

// Reads its output, and waits at most `milliseconds` for some.
void child::read_output(int milliseconds) {
  throw_if_interrupted();
  std::array<pollfd, 2> sources{{{stdout_.descriptor(), POLLIN, 0}, {stderr_.descriptor(), POLLIN, 0}}};
  if (::poll(sources.data(), sources.size(), milliseconds) <= 0) return throw_if_interrupted();
  if (sources[0].revents != 0 && !read_available(stdout_, output_)) stdout_ = {};
  if (sources[1].revents != 0 && !read_available(stderr_, last_output_)) stderr_ = {};
  if (last_output_.size() > output_kept_) last_output_.erase(0, last_output_.size() - output_kept_);
}

bool child::has_ended() const {
  siginfo_t info{};
  return ::waitid(P_PID, static_cast<id_t>(process_id_), &info, WEXITED | WNOHANG | WNOWAIT) == 0 && info.si_pid != 0;
}

// Waits for its next line, which should begin with `word`.
std::string child::take_line(std::string_view word) {
  constexpr int slice = 100;
  const stopwatch waited;
  while (output_.find('\n') == std::string::npos) {
    if (output_.size() >= longest_line) fail(fmt::format(R"(wrote an endless line instead of "{}")", word));
    if (!stdout_.is_open() || has_ended()) {
      read_output(0);
      if (output_.find('\n') != std::string::npos) break;
      wait_for_end();
      fail(fmt::format("{} before it wrote \"{}\"", reap(), word));
    }
    if (waited.seconds() > time_limit_) fail(fmt::format("did not write \"{}\" within {:.3g} s", word, time_limit_));
    read_output(slice);
  }
  std::string line = output_.substr(0, output_.find('\n'));
  output_.erase(0, line.size() + 1);
  if (line.ends_with('\r')) line.pop_back();
  return line;
}

void child::expect(std::string_view word) {
  if (const std::string line = take_line(word); line != word) fail_for_line(line, word);
}

std::string child::expect_with_more(std::string_view word) {
  const std::string line = take_line(word);
  if (line == word) return {};
  if (!line.starts_with(std::string{word} + ' ')) fail_for_line(line, word);
  return last_lines(line.substr(word.size() + 1, longest_shown), 1);
}

void child::fail_for_line(std::string_view line, std::string_view expected) const {
  fail(fmt::format(R"(wrote "{}" instead of "{}")", last_lines(line.substr(0, longest_shown), 1), expected));
}

void child::send_go() {
  constexpr std::array<std::byte, 3> line{std::byte{'g'}, std::byte{'o'}, std::byte{'\n'}};
  const sigpipe_ignored quiet;
  std::error_code ended;
  stdin_.write(line, ended);
}

void child::close_input() { stdin_ = {}; }

void child::wait_for_end() {
  // Where its output has ended, it is about to end itself, and some are timed by that.
  const auto slice = [this] { return stdout_.is_open() || stderr_.is_open() ? 20 : 1; };
  for (const stopwatch waited; !has_ended(); read_output(slice()))
    if (waited.seconds() > time_limit_) fail(fmt::format("did not end within {:.3g} s", time_limit_));
  read_output(0);
}

void child::wait_for_success() {
  wait_for_end();
  const std::string how = reap();
  if (exit_code_ != 0) fail(how);
}

int child::wait_for_exit() {
  wait_for_end();
  const int status = reap_status();
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

// Returns how it ended, as waitpid() does. Its process group is killed first, while its id cannot belong to another
// group.
int child::reap_status() {
  ::kill(-group_id_, SIGKILL);
  int status = 0;
  rusage usage{};
  while (::wait4(process_id_, &status, 0, &usage) < 0 && errno == EINTR) continue;
  process_id_ = -1;
  peak_memory_ = static_cast<std::uint64_t>(usage.ru_maxrss) * 1024;
  if (WIFEXITED(status)) exit_code_ = WEXITSTATUS(status);
  return status;
}

std::string child::reap() {
  const int status = reap_status();
  if (WIFEXITED(status)) return fmt::format("ended with exit code {}", exit_code_);
  const int signal = WTERMSIG(status);
  return fmt::format("was killed by signal {} ({})", signal, ::strsignal(signal));
}

void child::end_group() const noexcept {
  ::kill(-group_id_, SIGKILL);
  while (::waitpid(process_id_, nullptr, 0) < 0 && errno == EINTR) continue;
}

std::string child::last_words() const { return last_lines(last_output_, lines_shown); }

std::string child::first_words() const { return replace_controls(last_output_.substr(0, last_output_.find('\n'))); }

void child::fail(const std::string& why) const { throw child_failure{why, last_words()}; }

std::vector<std::string> merge_environment(const std::vector<std::string>& changes) {
  std::vector<std::string> all = changes;
  for (char** each = environ; *each != nullptr; ++each) {
    const std::string_view entry{*each};
    const std::string_view name = entry.substr(0, entry.find('=') + 1);
    if (std::ranges::none_of(changes, [&](const std::string& change) { return change.starts_with(name); }))
      all.emplace_back(entry);
  }
  return all;
}

std::filesystem::path own_program() {
  std::error_code missing;
  auto path = std::filesystem::read_symlink("/proc/self/exe", missing);
  return missing ? std::filesystem::absolute(std::bit_cast<const char*>(::getauxval(AT_EXECFN))) : path;
}

std::filesystem::path find_command(std::string_view name, std::string_view beside) {
  const char* const path = std::getenv("PATH");
  const std::string places = fmt::format("{}:{}", path == nullptr ? "/usr/bin:/bin" : path, beside);
  for (std::string_view rest = places; !rest.empty();) {
    const std::size_t colon = rest.find(':');
    std::filesystem::path file = std::filesystem::path{rest.substr(0, colon)} / name;
    std::error_code none;
    if (std::filesystem::is_regular_file(file, none) && ::access(file.c_str(), X_OK) == 0) return file;
    rest.remove_prefix(colon == std::string_view::npos ? rest.size() : colon + 1);
  }
  return {};
}

std::string run_program(const child_call& call) {
  child program{call, child::connection::listen};
  program.wait_for_success();
  return program.last_words();
}

std::string last_lines(std::string_view text, std::size_t lines) {
  while (text.ends_with('\n')) text.remove_suffix(1);
  std::size_t begin = text.size();
  for (std::size_t count = 0; begin > 0; --begin)
    if (text[begin - 1] == '\n' && ++count == lines) break;
  return replace_controls(text.substr(begin));
}

}  // namespace freshet::tool
