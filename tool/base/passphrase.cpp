#include "tool/base/passphrase.hpp"

#include <fcntl.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <unistd.h>

#include <array>
#include <stdexcept>

#include "tool/base/interrupt.hpp"

namespace freshet::tool {
namespace {

constexpr int longest_passphrase = 1000;

// Without one, OpenSSL would read standard input.
void require_terminal() {
  const int terminal = ::open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY);
  if (terminal < 0)
    throw std::runtime_error{"there is no terminal to ask for a passphrase; give --key-file or --passphrase-file"};
  ::close(terminal);
}

}  // namespace

encryption_key ask_for_passphrase(bool twice) {
  require_terminal();
  struct wiped {
    std::array<char, longest_passphrase + 1> text{};
    ~wiped() { OPENSSL_cleanse(text.data(), text.size()); }
  } entered;
  const int failed = EVP_read_pw_string_min(entered.text.data(), 1, longest_passphrase, "Passphrase: ", twice ? 1 : 0);
  throw_if_interrupted();
  if (failed != 0) throw std::runtime_error{"no passphrase was entered, or not the same twice"};
  return encryption_key::from_passphrase(entered.text.data());
}

}  // namespace freshet::tool
