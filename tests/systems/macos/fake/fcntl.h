// The additions of macOS to <fcntl.h>, with the numbers that they have there.
#pragma once

#include_next <fcntl.h>

#define O_SEARCH O_PATH

#define F_PREALLOCATE 42
#define F_RDADVISE 44
#define F_RDAHEAD 45
#define F_NOCACHE 48
#define F_GETPATH 50
#define F_FULLFSYNC 51

#define F_ALLOCATECONTIG 0x00000002
#define F_ALLOCATEALL 0x00000004
#define F_PEOFPOSMODE 3

typedef struct fstore {
  unsigned int fst_flags;
  int fst_posmode;
  off_t fst_offset;
  off_t fst_length;
  off_t fst_bytesalloc;
} fstore_t;

struct radvisory {
  off_t ra_offset;
  int ra_count;
};

extern "C" int fake_fcntl(int descriptor, int command, ...);
#define fcntl fake_fcntl
