#pragma once

#include <stdint.h>

#define MNT_LOCAL 0x00001000

struct statfs {
  uint32_t f_flags;
  char f_fstypename[16];
  char f_mntfromname[1024];
};
extern "C" int fake_fstatfs(int descriptor, struct statfs* mount);
#define fstatfs fake_fstatfs
