#pragma once

struct statfs {
  char f_fstypename[16];
  char f_mntfromname[1024];
};
extern "C" int fake_fstatfs(int descriptor, struct statfs* mount);
#define fstatfs fake_fstatfs
