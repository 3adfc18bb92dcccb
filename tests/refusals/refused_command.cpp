// Has the command start with a system call refused, as FRESHET_REFUSE says: the call's number, the error, and for each
// argument that counts its number, mask and value.
#include <unistd.h>

#include <cstdlib>
#include <sstream>

#include "tests/support/refused_call.hpp"

namespace freshet::test {
namespace {

constexpr unsigned longest_seconds = 60;

[[maybe_unused]] const bool is_refused = [] {
  const char* const wanted = std::getenv("FRESHET_REFUSE");
  if (wanted == nullptr) return false;
  std::istringstream words{wanted};
  system_call call;
  int error = 0;
  words >> call.number >> error;
  for (argument_test each; words >> each.number >> each.mask >> each.value;) call.when.push_back(each);
  ::alarm(longest_seconds);
  if (!refuse_call(call, error)) std::abort();
  return true;
}();

}  // namespace
}  // namespace freshet::test
