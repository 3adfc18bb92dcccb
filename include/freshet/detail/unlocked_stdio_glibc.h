/* For glibc. Its <stdio.h> declares some of the forms depending on feature macros, and all of them in C++. */
#ifndef __USE_MISC
extern int fgetc_unlocked(FILE*);
extern int fputc_unlocked(int, FILE*);
extern int fflush_unlocked(FILE*);
extern size_t(fread_unlocked)(void*, size_t, size_t, FILE*);
extern size_t(fwrite_unlocked)(const void*, size_t, size_t, FILE*);
extern void clearerr_unlocked(FILE*);
extern int feof_unlocked(FILE*);
extern int ferror_unlocked(FILE*);
#endif
#ifndef __USE_POSIX199506
extern int getc_unlocked(FILE*);
extern int getchar_unlocked(void);
extern int putc_unlocked(int, FILE*);
extern int putchar_unlocked(int);
#endif
#ifndef __USE_GNU
extern char* fgets_unlocked(char*, int, FILE*);
extern int fputs_unlocked(const char*, FILE*);
#endif

#define FRESHET_NOTHROW __NTH
#if defined __USE_POSIX && defined __USE_MISC
#define FRESHET_DECLARES_FILENO
#endif
#ifndef __USE_EXTERN_INLINES
#define FRESHET_LACKS_GETCHAR
#endif

#if !defined __USE_FORTIFY_LEVEL || __USE_FORTIFY_LEVEL == 0
#define FRESHET_LACKS_FREAD
#else
#ifdef __cplusplus
namespace std {
using ::fgets_unlocked;
using ::fread_unlocked;
}  // namespace std
#endif
#define fread(...) fread_unlocked(__VA_ARGS__)
#define fgets(...) fgets_unlocked(__VA_ARGS__)
#endif

#include <freshet/detail/unlocked_stdio_inline.h>
