// The processes of a run that mpirun started. MPI's own waiting keeps a processor busy, which the run itself could use:
// so nothing here waits in MPI, but asks now and then.
#include <fmt/format.h>
#include <mpi.h>

#include <array>
#include <chrono>
#include <cstdlib>
#include <limits>
#include <memory>
#include <numeric>
#include <stdexcept>
#include <thread>

#include "tool/base/interrupt.hpp"
#include "tool/ranks/launched.hpp"
#include "tool/ranks/ranks.hpp"

namespace freshet::tool {
namespace {

constexpr auto patience = std::chrono::milliseconds{1};
// For others to fail for the same reason; whoever does not by then would wait for ever.
constexpr auto time_to_fail_together = std::chrono::seconds{3};

void check(int answer, std::string_view operation) {
  if (answer == MPI_SUCCESS) return;
  std::array<char, MPI_MAX_ERROR_STRING> reason = {};
  int length = 0;
  MPI_Error_string(answer, reason.data(), &length);
  throw std::runtime_error{
      fmt::format("MPI: {}: {}", operation, std::string_view{reason.data(), static_cast<std::size_t>(length)})};
}

bool is_done(MPI_Request& request) {
  int done = 0;
  check(MPI_Test(&request, &done, MPI_STATUS_IGNORE), "ask");
  return done != 0;
}

class mpi_ranks final : public ranks {
 public:
  mpi_ranks() {
    // Sandboxes often forbid it, and then it complains at length. Whoever wants it sets it to something else.
    ::setenv("OMPI_MCA_btl_vader_single_copy_mechanism", "none", 0);
    int level = 0;
    check(MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &level), "start");
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    // Of their own, so that a farewell is never taken for an answer.
    check(MPI_Comm_dup(MPI_COMM_WORLD, &talk_), "start");
    check(MPI_Comm_dup(MPI_COMM_WORLD, &farewell_), "start");
    check(MPI_Comm_rank(talk_, &number_), "ask for the rank");
    check(MPI_Comm_size(talk_, &count_), "ask for the number of ranks");
    if (const unsigned launched = launched_processes(); launched > 1 && count_ == 1)
      throw std::runtime_error{fmt::format(
          "{} processes were started, but not by Open MPI's mpirun: they cannot find each other", launched)};
  }

  [[nodiscard]] unsigned number() const noexcept override { return static_cast<unsigned>(number_); }
  [[nodiscard]] unsigned count() const noexcept override { return static_cast<unsigned>(count_); }

  [[nodiscard]] std::string from_first(std::string_view text) override {
    length_ = leads() ? length_of(text) : 0;
    finish([&](auto* request) { return MPI_Ibcast(&length_, 1, MPI_INT, 0, talk_, request); }, "send from rank 0");
    text_.assign(leads() ? text : std::string_view{});
    text_.resize(static_cast<std::size_t>(length_));
    finish([&](auto* request) { return MPI_Ibcast(text_.data(), length_, MPI_CHAR, 0, talk_, request); },
           "send from rank 0");
    return text_;
  }

  [[nodiscard]] std::vector<std::string> to_first(std::string_view text) override {
    length_ = length_of(text);
    text_.assign(text);
    lengths_.assign(leads() ? count() : 0, 0);
    finish(
        [&](auto* request) {
          return MPI_Igather(&length_, 1, MPI_INT, lengths_.data(), 1, MPI_INT, 0, talk_, request);
        },
        "send to rank 0");
    offsets_.assign(lengths_.size(), 0);
    const std::size_t all =
        std::accumulate(lengths_.begin(), lengths_.end(), std::size_t{0},
                        [](std::size_t sum, int length) { return sum + static_cast<std::size_t>(length); });
    if (all > most) throw std::length_error{"MPI: send to rank 0: more than 2 GiB"};
    std::exclusive_scan(lengths_.begin(), lengths_.end(), offsets_.begin(), 0);
    texts_.resize(all);
    finish(
        [&](auto* request) {
          return MPI_Igatherv(text_.data(), length_, MPI_CHAR, texts_.data(), lengths_.data(), offsets_.data(),
                              MPI_CHAR, 0, talk_, request);
        },
        "send to rank 0");
    return cut();
  }

  void meet() override {
    finish([&](auto* request) { return MPI_Ibarrier(talk_, request); }, "meet");
  }

  // Returns when all take their leave; a failed one ends those that do not within some seconds.
  void leave(int exit_code) {
    using clock = std::chrono::steady_clock;
    const auto deadline = clock::now() + time_to_fail_together;
    MPI_Request request = MPI_REQUEST_NULL;
    check(MPI_Ibarrier(farewell_, &request), "leave");
    while (!is_done(request)) {
      if (exit_code != 0 && clock::now() > deadline) MPI_Abort(MPI_COMM_WORLD, exit_code);
      std::this_thread::sleep_for(patience);
    }
    check(MPI_Finalize(), "end");
  }

 private:
  static constexpr auto most = static_cast<std::size_t>(std::numeric_limits<int>::max());

  static int length_of(std::string_view text) {
    if (text.size() > most) throw std::length_error{"MPI: a text of more than 2 GiB"};
    return static_cast<int>(text.size());
  }

  template <typename Start>
  static void finish(Start start, std::string_view operation) {
    MPI_Request request = MPI_REQUEST_NULL;
    check(start(&request), operation);
    while (!is_done(request)) sleep_interruptibly(std::chrono::duration<double>{patience}.count());
    // NOLINTNEXTLINE(clang-analyzer-optin.mpi.MPI-Checker): it does not know MPI_Test
  }

  // What to_first() brought, by rank.
  [[nodiscard]] std::vector<std::string> cut() const {
    std::vector<std::string> texts;
    for (std::size_t rank = 0; rank < lengths_.size(); ++rank)
      texts.push_back(
          texts_.substr(static_cast<std::size_t>(offsets_[rank]), static_cast<std::size_t>(lengths_[rank])));
    return texts;
  }

  MPI_Comm talk_ = MPI_COMM_NULL;
  MPI_Comm farewell_ = MPI_COMM_NULL;
  int number_ = 0;
  int count_ = 1;
  // What is being sent and received: members, since MPI may still use them when waiting was interrupted.
  int length_ = 0;
  std::string text_;
  std::string texts_;
  std::vector<int> lengths_;
  std::vector<int> offsets_;
};

// Null until somebody asks for the ranks.
std::unique_ptr<mpi_ranks>& found_ranks() noexcept {
  static std::unique_ptr<mpi_ranks> found;
  return found;
}

}  // namespace

ranks& all_ranks() {
  auto& found = found_ranks();
  if (found == nullptr) found = std::make_unique<mpi_ranks>();
  return *found;
}

void join_ranks(char* const* /*words*/) {}

void leave_ranks(int exit_code) noexcept {
  try {
    int started = 0;
    int finished = 0;
    MPI_Initialized(&started);
    MPI_Finalized(&finished);
    if (started == 0 || finished != 0) return;
    if (found_ranks() != nullptr)
      found_ranks()->leave(exit_code);
    else
      MPI_Abort(MPI_COMM_WORLD, exit_code);  // those that were found while this one failed would wait for it
  } catch (const std::exception& failure) {
    fmt::print(stderr, "freshet: {}\n", failure.what());
    MPI_Abort(MPI_COMM_WORLD, exit_code != 0 ? exit_code : 1);
  }
}

}  // namespace freshet::tool
