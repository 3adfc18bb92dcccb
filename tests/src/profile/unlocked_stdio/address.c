#include "address.h"

#include <freshet/unlocked_stdio.h>

static size_t (*volatile by_address)(const void*, size_t, size_t, FILE*) = &fwrite;

size_t write_by_address(const char* text, size_t length) { return by_address(text, 1, length, stdout); }
