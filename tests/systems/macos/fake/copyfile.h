#pragma once

#define COPYFILE_ACL (1 << 0)
#define COPYFILE_XATTR (1 << 2)
extern "C" int fcopyfile(int from, int to, void* state, unsigned int flags);
