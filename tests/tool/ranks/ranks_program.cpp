// Does with the other ranks what its first word says, as the command's main() would: talk, fail or wait.
//   mpirun -n R ranks_program talk|fail|fail-in-talk|fail-together|wait
#include <cstdio>
#include <stdexcept>
#include <string>
#include <string_view>

#include "tool/base/interrupt.hpp"
#include "tool/ranks/ranks.hpp"

namespace {

using freshet::tool::ranks;

void require(bool holds, const char* what) {
  if (!holds) throw std::logic_error{what};
}

std::string text_of(unsigned rank, std::size_t length) {
  std::string text(length, '\0');
  for (std::size_t at = 0; at < length; ++at) text[at] = static_cast<char>(at * 7 + rank);
  return text;
}

void talk(ranks& all) {
  require(all.leads() == (all.number() == 0), "number 0 leads");
  for (const std::size_t length : {0UL, 1UL, 1000UL, 3'000'000UL}) {
    require(all.from_first(all.leads() ? text_of(0, length) : "not this") == text_of(0, length), "from_first");
    const auto told = all.to_first(text_of(all.number(), length * (all.number() + 1)));
    require(told.size() == (all.leads() ? all.count() : 0), "to_first tells rank 0 alone");
    for (unsigned rank = 0; rank < told.size(); ++rank)
      require(told[rank] == text_of(rank, length * (rank + 1)), "to_first keeps the order");
    all.meet();
  }
  if (all.leads()) std::printf("%u ranks talked\n", all.count());
}

void act(std::string_view what) {
  ranks& all = freshet::tool::all_ranks();
  all.meet();
  const bool chosen = all.number() == all.count() - 1;
  if (what == "fail" && chosen) throw std::runtime_error{"the disk of the last rank is full"};
  if (what == "fail-in-talk") {
    if (chosen) throw std::runtime_error{"the disk of the last rank is full"};
    static_cast<void>(all.to_first("whole"));
    static_cast<void>(all.from_first("an answer that needs all"));
    all.meet();
  }
  if (what == "fail-together") throw std::runtime_error{"rank " + std::to_string(all.number()) + " fails, too"};
  if (what == "wait") {
    if (all.leads()) std::puts("waiting");
    std::fflush(stdout);
    if (all.leads()) freshet::tool::sleep_interruptibly(60);
    all.meet();
  }
  if (what == "talk") talk(all);
}

}  // namespace

int main(int count, char** words) {
  int exit_code = 0;
  try {
    freshet::tool::join_ranks(words);
    freshet::tool::note_interrupts();
    act(count > 1 ? words[1] : "talk");
  } catch (const freshet::tool::interrupted& wish) {
    std::fputs("interrupted\n", stderr);
    exit_code = wish.exit_code();
  } catch (const std::exception& failure) {
    std::fprintf(stderr, "%s\n", failure.what());
    exit_code = 1;
  }
  freshet::tool::leave_ranks(exit_code);
  return exit_code;
}
