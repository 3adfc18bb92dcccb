/* For musl. Its <stdio.h> declares all forms with these feature macros, which C++ always defines, and fewer without. */
#if !defined _GNU_SOURCE && !defined _BSD_SOURCE
extern int fgetc_unlocked(FILE*);
extern int fputc_unlocked(int, FILE*);
extern int fflush_unlocked(FILE*);
extern size_t fread_unlocked(void*, size_t, size_t, FILE*);
extern size_t fwrite_unlocked(const void*, size_t, size_t, FILE*);
extern void clearerr_unlocked(FILE*);
extern int feof_unlocked(FILE*);
extern int ferror_unlocked(FILE*);
extern int getc_unlocked(FILE*);
extern int getchar_unlocked(void);
extern int putc_unlocked(int, FILE*);
extern int putchar_unlocked(int);
#endif
#ifndef _GNU_SOURCE
extern char* fgets_unlocked(char*, int, FILE*);
extern int fputs_unlocked(const char*, FILE*);
#endif

#define FRESHET_NOTHROW(declarator) declarator
#if defined _GNU_SOURCE || defined _BSD_SOURCE
#define FRESHET_DECLARES_FILENO
#endif
#define FRESHET_LACKS_FREAD
#define FRESHET_LACKS_GETCHAR

#include <freshet/detail/unlocked_stdio_inline.h>
