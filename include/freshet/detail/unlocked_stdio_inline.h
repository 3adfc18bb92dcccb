/* Defines bodies, for the compiler to inline, of functions that the C library's header only declares, as glibc's own
 * headers do for _FORTIFY_SOURCE. Taking an address still yields the library's function. There are no macros, so
 * std::fwrite and members named putc do not change.
 *
 * The header for the C library in use, which includes this one, declares the unlocked forms and defines
 *   FRESHET_NOTHROW(declarator)  how the library declares functions that are not cancellation points
 *   FRESHET_DECLARES_FILENO      if <stdio.h> declares fileno; otherwise a program may have a fileno of its own
 *   FRESHET_LACKS_FREAD          if fread and fgets have no body yet; there can be only one
 *   FRESHET_LACKS_GETCHAR        if getchar and putchar have no body yet; otherwise they call getc and putc */
#define FRESHET_IN_PLACE extern __inline __attribute__((__gnu_inline__, __always_inline__))

/* Some versions have macros of these names. */
#undef getc
#undef putc
#undef getchar
#undef putchar
#undef feof
#undef ferror
#undef clearerr
#undef fileno

#ifdef __cplusplus
extern "C" {
#endif

/* NOLINTBEGIN(readability-inconsistent-declaration-parameter-name): the C library's names are reserved */

FRESHET_IN_PLACE int fgetc(FILE* stream) { return fgetc_unlocked(stream); }
FRESHET_IN_PLACE int getc(FILE* stream) { return getc_unlocked(stream); }
FRESHET_IN_PLACE int fputc(int character, FILE* stream) { return fputc_unlocked(character, stream); }
FRESHET_IN_PLACE int putc(int character, FILE* stream) { return putc_unlocked(character, stream); }
FRESHET_IN_PLACE int fputs(const char* text, FILE* stream) { return fputs_unlocked(text, stream); }
FRESHET_IN_PLACE int fflush(FILE* stream) { return fflush_unlocked(stream); }
FRESHET_IN_PLACE int FRESHET_NOTHROW(feof(FILE* stream)) { return feof_unlocked(stream); }
FRESHET_IN_PLACE int FRESHET_NOTHROW(ferror(FILE* stream)) { return ferror_unlocked(stream); }
FRESHET_IN_PLACE void FRESHET_NOTHROW(clearerr(FILE* stream)) { clearerr_unlocked(stream); }

/* If the compiler knows that the size is one byte, access the buffer directly, which is more than ten times as fast as
 * the call. In C, glibc's macros do the same but cause conversion warnings; the parentheses around the names avoid
 * them. */
FRESHET_IN_PLACE size_t fwrite(const void* from, size_t size, size_t count, FILE* stream) {
  if (__builtin_constant_p(size * count) && size * count == 1) {
    unsigned char byte = 0;
    __builtin_memcpy(&byte, from, 1);
    return putc_unlocked(byte, stream) != EOF;
  }
  return (fwrite_unlocked)(from, size, count, stream);
}

#ifdef FRESHET_LACKS_FREAD
FRESHET_IN_PLACE size_t fread(void* into, size_t size, size_t count, FILE* stream) {
  if (__builtin_constant_p(size * count) && size * count == 1) {
    const int byte = getc_unlocked(stream);
    if (byte != EOF) __builtin_memset(into, byte, 1);
    return byte != EOF;
  }
  return (fread_unlocked)(into, size, count, stream);
}
FRESHET_IN_PLACE char* fgets(char* into, int size, FILE* stream) { return fgets_unlocked(into, size, stream); }
#endif

#ifdef FRESHET_LACKS_GETCHAR
FRESHET_IN_PLACE int getchar(void) { return getchar_unlocked(); }
FRESHET_IN_PLACE int putchar(int character) { return putchar_unlocked(character); }
#endif

#ifdef FRESHET_DECLARES_FILENO
FRESHET_IN_PLACE int FRESHET_NOTHROW(fileno(FILE* stream)) { return fileno_unlocked(stream); }
#endif

/* NOLINTEND(readability-inconsistent-declaration-parameter-name) */

#ifdef __cplusplus
}
#endif

#undef FRESHET_IN_PLACE
#undef FRESHET_NOTHROW
#undef FRESHET_DECLARES_FILENO
#undef FRESHET_LACKS_FREAD
#undef FRESHET_LACKS_GETCHAR
