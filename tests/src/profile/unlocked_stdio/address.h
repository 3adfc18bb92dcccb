/* The address of a function is the C library's, and what is called through it does the same. In a file of its own,
 * since it needs the symbol that the rest must not need. */
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif
size_t write_by_address(const char* text, size_t length);
#ifdef __cplusplus
}
#endif
