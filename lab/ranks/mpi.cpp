// The ranks of a run that mpirun started. Waiting inside MPI would keep a processor busy that the run itself can use,
// so every operation is started without blocking and polled.
#include <fmt/format.h>
#include <mpi.h>

#include <array>
#include <chrono>
#include <cstdlib>
#include <limits>
#include <memory>
#include <stdexcept>
#include <thread>

#include "lab/ranks/ranks.hpp"
#include "tool/base/interrupt.hpp"
#include "tool/command/laboratory.hpp"

namespace freshet::tool {
namespace {

constexpr auto poll_interval = std::chrono::milliseconds{1};
// Gives other ranks time to fail for the same reason and print theirs. A rank that has not failed by then would wait
// for ever.
constexpr auto time_to_fail_together = std::chrono::seconds{3};

void check(int status, std::string_view operation) {
  if (status == MPI_SUCCESS) return;
  std::array<char, MPI_MAX_ERROR_STRING> reason = {};
  int length = 0;
  MPI_Error_string(status, reason.data(), &length);
  throw std::runtime_error{
      fmt::format("MPI: {}: {}", operation, std::string_view{reason.data(), static_cast<std::size_t>(length)})};
}

bool is_done(MPI_Request& request) {
  int done = 0;
  check(MPI_Test(&request, &done, MPI_STATUS_IGNORE), "test a request");
  return done != 0;
}

class mpi_ranks final : public ranks {
 public:
  mpi_ranks() {
    // Sandboxes often forbid single-copy transfers, and Open MPI then prints long warnings. A value that the user set
    // stays.
    ::setenv("OMPI_MCA_btl_vader_single_copy_mechanism", "none", 0);
    int level = 0;
    check(MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &level), "initialize");
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    // Two communicators, so that the barrier of leave() never matches another operation.
    check(MPI_Comm_dup(MPI_COMM_WORLD, &exchange_), "initialize");
    check(MPI_Comm_dup(MPI_COMM_WORLD, &farewell_), "initialize");
    check(MPI_Comm_rank(exchange_, &number_), "find the rank");
    check(MPI_Comm_size(exchange_, &count_), "count the ranks");
    if (const unsigned launched = launched_processes(); launched > 1 && count_ == 1)
      throw std::runtime_error{fmt::format(
          "{} processes were started, but not by the mpirun of Open MPI, so they cannot connect; start them with it",
          launched)};
  }

  [[nodiscard]] unsigned number() const noexcept override { return static_cast<unsigned>(number_); }
  [[nodiscard]] unsigned count() const noexcept override { return static_cast<unsigned>(count_); }

  [[nodiscard]] std::string broadcast(std::string_view text) override {
    length_ = is_root() ? length_of(text) : 0;
    finish([&](auto* request) { return MPI_Ibcast(&length_, 1, MPI_INT, 0, exchange_, request); }, "broadcast");
    text_.assign(is_root() ? text : std::string_view{});
    text_.resize(static_cast<std::size_t>(length_));
    finish([&](auto* request) { return MPI_Ibcast(text_.data(), length_, MPI_CHAR, 0, exchange_, request); },
           "broadcast");
    return text_;
  }

  [[nodiscard]] std::vector<std::string> gather(std::string_view text) override {
    std::vector<std::string> texts;
    if (is_root()) {
      texts.emplace_back(text);
      while (texts.size() < count()) texts.push_back(receive_from(static_cast<int>(texts.size())));
    } else {
      text_.assign(text);
      finish(
          [&](auto* request) { return MPI_Isend(text_.data(), length_of(text), MPI_CHAR, 0, 0, exchange_, request); },
          "gather");
    }
    return texts;
  }

  void barrier() override {
    finish([&](auto* request) { return MPI_Ibarrier(exchange_, request); }, "barrier");
  }

  // Returns when every rank has called it. A rank that failed ends those that do not call it within some seconds.
  void leave(int exit_code) {
    using clock = std::chrono::steady_clock;
    const auto deadline = clock::now() + time_to_fail_together;
    MPI_Request request = MPI_REQUEST_NULL;
    check(MPI_Ibarrier(farewell_, &request), "leave the run");
    while (!is_done(request)) {
      if (exit_code != 0 && clock::now() > deadline) MPI_Abort(MPI_COMM_WORLD, exit_code);
      std::this_thread::sleep_for(poll_interval);
    }
    check(MPI_Finalize(), "finalize");
  }

 private:
  static constexpr auto largest_message = static_cast<std::size_t>(std::numeric_limits<int>::max());

  static int length_of(std::string_view text) {
    if (text.size() > largest_message) throw std::length_error{"MPI: a message of more than 2 GiB"};
    return static_cast<int>(text.size());
  }

  static void pause() { sleep_interruptibly(std::chrono::duration<double>{poll_interval}.count()); }

  template <typename Start>
  static void finish(Start start, std::string_view operation) {
    MPI_Request request = MPI_REQUEST_NULL;
    check(start(&request), operation);
    while (!is_done(request)) pause();
    // NOLINTNEXTLINE(clang-analyzer-optin.mpi.MPI-Checker): the checker does not know MPI_Test
  }

  std::string receive_from(int rank) {
    MPI_Status status = {};
    for (int has_arrived = 0; has_arrived == 0;) {
      check(MPI_Iprobe(rank, 0, exchange_, &has_arrived, &status), "gather");
      if (has_arrived == 0) pause();
    }
    check(MPI_Get_count(&status, MPI_CHAR, &length_), "gather");
    text_.resize(static_cast<std::size_t>(length_));
    finish([&](auto* request) { return MPI_Irecv(text_.data(), length_, MPI_CHAR, rank, 0, exchange_, request); },
           "gather");
    return text_;
  }

  MPI_Comm exchange_ = MPI_COMM_NULL;
  MPI_Comm farewell_ = MPI_COMM_NULL;
  int number_ = 0;
  int count_ = 1;
  // Buffers of the current operation. They are members because MPI may still use them after an interrupted wait.
  int length_ = 0;
  std::string text_;
};

// Null until the first call of all_ranks().
std::unique_ptr<mpi_ranks>& connected_ranks() noexcept {
  static std::unique_ptr<mpi_ranks> connected;
  return connected;
}

}  // namespace

ranks& all_ranks() {
  auto& connected = connected_ranks();
  if (connected == nullptr) connected = std::make_unique<mpi_ranks>();
  return *connected;
}

void join_ranks(char* const* /*words*/) {}

void leave_ranks(int exit_code) noexcept {
  try {
    int started = 0;
    int finished = 0;
    MPI_Initialized(&started);
    MPI_Finalized(&finished);
    if (started == 0 || finished != 0) return;
    if (connected_ranks() != nullptr)
      connected_ranks()->leave(exit_code);
    else
      MPI_Abort(MPI_COMM_WORLD, exit_code);  // the ranks that did connect would wait for this one
  } catch (const std::exception& failure) {
    fmt::print(stderr, "freshet: {}\n", failure.what());
    MPI_Abort(MPI_COMM_WORLD, exit_code != 0 ? exit_code : 1);
  }
}

}  // namespace freshet::tool
