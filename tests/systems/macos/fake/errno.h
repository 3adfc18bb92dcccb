// On macOS these are two numbers.
#include_next <errno.h>
#undef ENOTSUP
#define ENOTSUP 1045
