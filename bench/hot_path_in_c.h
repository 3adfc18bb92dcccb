// The part of hot_path that is compiled as C.
#pragma once

#include <stdint.h>
#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Writes `count` bytes to `out`, each by a call of fwrite_unlocked().
void write_bytes_unlocked_in_c(FILE* out, int64_t count);

#ifdef __cplusplus
}
#endif
