// Talks with the other ranks, fails or waits, as its first word says, in the way the command's main() would.
//   mpirun -n R ranks_program talk|fail|fail-in-talk|fail-together|wait
#include <cstdio>
#include <stdexcept>
#include <string>
#include <string_view>

#include "lab/ranks/ranks.hpp"
#include "tool/base/interrupt.hpp"

namespace {

using freshet::tool::ranks;

void require(bool holds, const char* expectation) {
  if (!holds) throw std::logic_error{expectation};
}

std::string text_of(unsigned rank, std::size_t length) {
  std::string text(length, '\0');
  for (std::size_t at = 0; at < length; ++at) text[at] = static_cast<char>(at * 7 + rank);
  return text;
}

void talk(ranks& all) {
  require(all.is_root() == (all.number() == 0), "number 0 is the root");
  for (const std::size_t length : {0UL, 1UL, 1000UL, 3'000'000UL}) {
    require(all.broadcast(all.is_root() ? text_of(0, length) : "not this") == text_of(0, length), "broadcast");
    const auto texts = all.gather(text_of(all.number(), length * (all.number() + 1)));
    require(texts.size() == (all.is_root() ? all.count() : 0), "gather returns texts at the root alone");
    for (unsigned rank = 0; rank < texts.size(); ++rank)
      require(texts[rank] == text_of(rank, length * (rank + 1)), "gather keeps the order");
    all.barrier();
  }
  if (all.is_root()) std::printf("%u ranks talked\n", all.count());
}

void act(std::string_view action) {
  ranks& all = freshet::tool::all_ranks();
  all.barrier();
  const bool is_last = all.number() == all.count() - 1;
  if (action == "fail" && is_last) throw std::runtime_error{"the disk of the last rank is full"};
  if (action == "fail-in-talk") {
    if (is_last) throw std::runtime_error{"the disk of the last rank is full"};
    static_cast<void>(all.gather("whole"));
    static_cast<void>(all.broadcast("a text that needs every rank"));
    all.barrier();
  }
  if (action == "fail-together") throw std::runtime_error{"rank " + std::to_string(all.number()) + " fails as well"};
  if (action == "wait") {
    if (all.is_root()) std::puts("waiting");
    std::fflush(stdout);
    if (all.is_root()) freshet::tool::sleep_interruptibly(60);
    all.barrier();
  }
  if (action == "talk") talk(all);
}

}  // namespace

int main(int count, char** words) {
  int exit_code = 0;
  try {
    freshet::tool::join_ranks(words);
    freshet::tool::note_interrupts();
    act(count > 1 ? words[1] : "talk");
  } catch (const freshet::tool::interrupted& interruption) {
    std::fputs("interrupted\n", stderr);
    exit_code = interruption.exit_code();
  } catch (const std::exception& failure) {
    std::fprintf(stderr, "%s\n", failure.what());
    exit_code = 1;
  }
  freshet::tool::leave_ranks(exit_code);
  return exit_code;
}
