#pragma once

#include_next <sys/mman.h>

#define MINCORE_INCORE 0x1
extern "C" int fake_mincore(const void* memory, size_t length, char* pages);
#define mincore fake_mincore
