// Makes tests that root runs meet the errors of ordinary users.
#pragma once

#include <unistd.h>

namespace freshet::test {

/// While it exists, root acts as the user nobody; other users act as themselves. Programs that are started meanwhile
/// run as nobody to their end. The real user changes, too: if it differed from the effective user, the kernel would not
/// let the leak sanitizer inspect the program (prctl(2), PR_SET_DUMPABLE).
class ordinary_user {
 public:
  ordinary_user() : was_{::geteuid()} { set(was_ == 0 ? nobody : was_); }
  ordinary_user(const ordinary_user&) = delete;
  ordinary_user& operator=(const ordinary_user&) = delete;
  ~ordinary_user() { set(was_); }

 private:
  static constexpr uid_t nobody = 65534;
  static void set(uid_t user) {
    constexpr auto unchanged = static_cast<uid_t>(-1);
    if (::setresuid(user, user, unchanged) != 0)
      ::_exit(1);  // going on with other rights than the test believes would show nothing
  }
  uid_t was_;
};

}  // namespace freshet::test
