// One file that the library writes or reads in a child process whose surroundings refuse something, and what came of
// it.
#pragma once

#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <new>
#include <string>
#include <string_view>

#include <freshet/options.hpp>

#include "tests/support/file_trial_programs.hpp"

namespace freshet::test {

enum class outcome : std::uint8_t {
  works,            ///< exact bytes, and all that was asked for
  refused_at_open,  ///< open() told file, operation and reason
  data_error,       ///< EIO, ENOSPC, EDQUOT or EFBIG, by close() at the latest; the file has an exact prefix
  promise_error,    ///< what the program named could not be kept at its end; the file has an exact prefix, or no name
  refused_later,    ///< another error that told file, operation and reason; the file has an exact prefix
  broken,           ///< anything else: wrong bytes, names that are left, no message, a crash, a hang
};

[[nodiscard]] constexpr std::string_view name_of(outcome one) {
  constexpr std::string_view names[] = {
      "works", "refused at open", "error of the data", "error of a promise", "refused after open", "BROKEN"};
  return names[static_cast<std::size_t>(one)];
}

/// What came of a trial, with the library's message, or why it is broken.
struct verdict {
  outcome what = outcome::broken;
  std::string message = {};
};

namespace file_trials {

// Whether the error is one that the data's device, quota or limit may give, whatever the system refuses.
[[nodiscard]] constexpr bool is_of_data(int error) {
  return error == EIO || error == ENOSPC || error == EDQUOT || error == EFBIG;
}

// Names that nobody asked for; empty if there are none.
[[nodiscard]] inline std::string names_left(const file_trial& trial, const std::filesystem::path& directory) {
  std::string names;
  for (const auto& entry : std::filesystem::directory_iterator{directory})
    if (entry.path().filename() != trial_file || !trial.leaves_name()) names += ' ' + entry.path().filename().string();
  return names;
}

[[nodiscard]] inline bool is_as_before(const file_trial& trial, const std::filesystem::path& path) {
  return trial.has_file_before() ? content_of(path) == content_before(trial) : !std::filesystem::exists(path);
}

// Why the file is not what a failed trial may leave; empty if it is: an exact prefix, or what was there before.
[[nodiscard]] inline std::string wrong_rest(const file_trial& trial, const trial_report& report,
                                            const std::filesystem::path& path) {
  if (is_as_before(trial, path) || !trial.writes()) return {};
  if (trial.writing.atomic || trial.writing.hidden_until_closed) {
    const bool may_be_visible = report.stage == trial_stage::close && std::filesystem::exists(path);
    return may_be_visible && content_of(path) == content_after(trial) ? "" : "the hidden file is not as it was";
  }
  if (!trial.keeps_order() || trial.does == trial_program::edited_stream) return {};
  if (!std::filesystem::exists(path)) return report.stage == trial_stage::open ? "" : "the file is gone";
  const std::string content = content_of(path);
  return content == std::string_view{content_after(trial)}.substr(0, content.size())
             ? ""
             : "the file is no prefix of what was written";
}

[[nodiscard]] inline std::string wrong_message(const trial_report& report) {
  const std::string_view message = report.message;
  if (report.is_foreign) return "not a freshet::error";
  if (*report.operation == '\0') return "the message has no operation";
  if (!report.names_file) return "the message has no file";
  return message.find(": ") == std::string_view::npos ? "the message has no reason" : "";
}

[[nodiscard]] inline outcome outcome_of(const file_trial& trial, const trial_report& report) {
  if (is_of_data(report.error)) return outcome::data_error;
  if (report.stage == trial_stage::open) return outcome::refused_at_open;
  // A temporary file leaves memory when it has become too large for it.
  const bool is_at_end = report.stage == trial_stage::sync || report.stage == trial_stage::close ||
                         trial.writing.durability == durability::each_write || trial.writing.temporary;
  return is_at_end && (trial.names_promise() || trial.writing.temporary) &&
                 (std::string_view{report.operation} != "write" || trial.writing.durability == durability::each_write)
             ? outcome::promise_error
             : outcome::refused_later;
}

}  // namespace file_trials

/// Whether this may come of a trial where the system opens files and writes, or reads, them, and may refuse all else.
[[nodiscard]] inline bool is_right(const file_trial& trial, outcome what) {
  return what < outcome::refused_later && (what != outcome::refused_at_open || !trial.must_work());
}

/// Judges what a trial's program has left in `directory`, without the library's help. `status` is from waitpid().
[[nodiscard]] inline verdict judge(const file_trial& trial, const trial_report& report, int status,
                                   const std::filesystem::path& directory) {
  using namespace file_trials;
  if (WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM) return {outcome::broken, "hangs"};
  if (WIFSIGNALED(status)) return {outcome::broken, "signal " + std::to_string(WTERMSIG(status))};
  if (report.stage == trial_stage::start) return {outcome::broken, "its surroundings could not be made"};
  if (report.stage == trial_stage::differs) return {outcome::broken, "what was read differs from what was written"};
  const auto path = directory / trial_file;
  // What may not be removed stays.
  const bool may_leave_names = std::string_view{report.operation} == "delete";
  if (const std::string names = names_left(trial, directory); !names.empty() && !may_leave_names)
    return {outcome::broken, "names are left:" + names + (*report.message != '\0' ? " after " : "") + report.message};
  if (report.stage == trial_stage::end) {
    if (!trial.leaves_name() || content_of(path) == content_after(trial)) return {outcome::works, {}};
    return {outcome::broken, "no error, but the bytes are not those that were written"};
  }
  for (const std::string& wrong : {wrong_message(report), wrong_rest(trial, report, path)})
    if (!wrong.empty()) return {outcome::broken, wrong + ": " + report.message};
  return {outcome_of(trial, report), report.message};
}

/// Memory that a child process shares.
class shared_report {
 public:
  shared_report() {
    void* const memory =
        ::mmap(nullptr, sizeof(trial_report), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) throw std::bad_alloc{};
    report_ = new (memory) trial_report{};
  }
  shared_report(const shared_report&) = delete;
  shared_report& operator=(const shared_report&) = delete;
  ~shared_report() { ::munmap(report_, sizeof(trial_report)); }
  [[nodiscard]] trial_report& operator*() const { return *report_; }

 private:
  trial_report* report_;
};

/// Seconds after which a trial counts as hanging.
inline constexpr unsigned longest_trial = 30;

/// Makes the trial in a child process and judges it. `directory` is empty, and is emptied again. `surround` is called
/// in the child before the library's first call, and returns false if the surroundings could not be made; then the
/// library finds the directory as `inside` (in a chroot, under another name than here).
template <class Surround>
[[nodiscard]] verdict try_surrounded(const file_trial& trial, const std::filesystem::path& directory, Surround surround,
                                     const std::filesystem::path& inside) {
  prepare(trial, directory);
  const shared_report report;
  const pid_t child = ::fork();
  if (child == 0) {
    const rlimit no_core{0, 0};
    ::setrlimit(RLIMIT_CORE, &no_core);
    ::alarm(longest_trial);
    if (surround()) run(trial, inside, *report);
    ::_exit(0);
  }
  int status = 0;
  if (child < 0 || ::waitpid(child, &status, 0) != child) return {outcome::broken, "no child process"};
  verdict result = judge(trial, *report, status, directory);
  for (const auto& entry : std::filesystem::directory_iterator{directory}) std::filesystem::remove_all(entry);
  return result;
}

/// The same where the directory keeps its name.
template <class Surround>
[[nodiscard]] verdict try_surrounded(const file_trial& trial, const std::filesystem::path& directory,
                                     Surround surround) {
  return try_surrounded(trial, directory, surround, directory);
}

}  // namespace freshet::test
