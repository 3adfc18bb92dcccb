// The numbers and the layout of what the seam passes to macOS: compiled for macOS, this shows that the headers of the
// tests on Linux say what macOS's own say.
#pragma once

#include <copyfile.h>
#include <fcntl.h>
#include <sys/attr.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>

static_assert(F_PREALLOCATE == 42 && F_RDADVISE == 44 && F_RDAHEAD == 45);
static_assert(F_NOCACHE == 48 && F_GETPATH == 50 && F_FULLFSYNC == 51);
static_assert(F_ALLOCATECONTIG == 2 && F_ALLOCATEALL == 4 && F_PEOFPOSMODE == 3);
static_assert(offsetof(fstore_t, fst_flags) == 0 && offsetof(fstore_t, fst_posmode) == 4);
static_assert(offsetof(fstore_t, fst_offset) == 8 && offsetof(fstore_t, fst_length) == 16);
static_assert(offsetof(fstore_t, fst_bytesalloc) == 24 && sizeof(fstore_t) == 32);
static_assert(offsetof(radvisory, ra_offset) == 0 && offsetof(radvisory, ra_count) == 8);
static_assert(MINCORE_INCORE == 1);
static_assert(SYNC_VOLUME_FULLSYNC == 1 && SYNC_VOLUME_WAIT == 2);
static_assert(COPYFILE_ACL == 1 && COPYFILE_XATTR == 4);
static_assert(ATTR_BIT_MAP_COUNT == 5 && ATTR_VOL_INFO == 0x80000000U && ATTR_VOL_UUID == 0x40000);
static_assert(offsetof(attrlist, volattr) == 8 && sizeof(attrlist) == 24);
