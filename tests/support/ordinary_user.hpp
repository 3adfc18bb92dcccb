// What root is allowed hides what users meet.
#pragma once

#include <unistd.h>

namespace freshet::test {

/// Until its end, root acts as the user nobody; others act as they are. Programs started meanwhile do so, too, and for
/// good: the real user changes as well, since the kernel keeps a program of two users from being looked into, by the
/// leak sanitizer, too (prctl(2), PR_SET_DUMPABLE).
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
