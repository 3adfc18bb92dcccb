#include "lab/encrypt/work_arguments.hpp"

#include "tool/command/arguments.hpp"

namespace freshet::tool {

choices<wanted_strategy> strategies() {
  return make_choices("a strategy", wanted_strategies(), [](const wanted_strategy& how) { return name_of(how); });
}

choices<cipher_kind> ciphers() { return make_choices<cipher_kind>("a cipher"); }

unsigned parse_threads(std::string_view text) {
  return parse_number<unsigned>(text, 1, most_threads, "a number of threads");
}

unsigned parse_work(std::string_view text) {
  return parse_number<unsigned>(text, 0, 1'000'000'000, "a number of passes");
}

void add_streams_option(command_parser& command, stream_kind& streams) {
  command.add("--streams", streams, make_choices<stream_kind>("a kind of streams"),
              "The streams that streaming and buffering use: std or freshet");
}

}  // namespace freshet::tool
