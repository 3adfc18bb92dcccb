#pragma once

#include_next <unistd.h>

#define SYNC_VOLUME_FULLSYNC 0x01
#define SYNC_VOLUME_WAIT 0x02
extern "C" int fsync_volume_np(int descriptor, int flags);

extern "C" int fake_fsync(int descriptor);
#define fsync fake_fsync

extern "C" int fgetattrlist(int descriptor, void* wanted, void* answer, size_t size, unsigned int options);
