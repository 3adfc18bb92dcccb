/* Byte-wise stdio without the lock, for C and C++: after this include the file's own calls of
 *
 *   fread fwrite  fgetc getc getchar  fputc putc putchar  fgets fputs  fflush  feof ferror clearerr fileno
 *
 * do what fread_unlocked, fwrite_unlocked, … do, where the C library has those: all of them on glibc and musl, the
 * first eight and fflush on Windows (_fread_nolock, …). Elsewhere nothing changes. All else stays as it was: include it
 * wherever you like, before or after <stdio.h> or <cstdio>; std::fwrite is meant, too; &fwrite is still the C library's
 * function, lock and all; a class may have members of these names (but see below); -std=c11 and _FORTIFY_SOURCE work.
 *
 * What the lock was for is the program's business from then on: a stream that several threads use at the same time
 * needs a lock around each use (flockfile, a mutex). Calls that are compiled elsewhere (printf, puts, libraries,
 * std::cout) go on locking. Inline functions of headers that come after this one call the unlocked forms, too: include
 * it last, lest a function that another file compiles as well have two meanings.
 *
 * Where the C library defines one of these functions in its header itself (fread and fgets of glibc with
 * _FORTIFY_SOURCE, all of them on Windows), that one becomes a function-like macro: a member of that name is renamed
 * with it, so include this header before its class or not at all. The checks of _FORTIFY_SOURCE are kept where the
 * unlocked form has them, too: in C that takes _GNU_SOURCE.
 */
#ifndef FRESHET_UNLOCKED_STDIO_H
#define FRESHET_UNLOCKED_STDIO_H

#ifdef __cplusplus
#include <cstdio>
#endif
#include <stdio.h>

#if defined _MSC_VER || defined _UCRT
#include <freshet/detail/unlocked_stdio_windows.h>
#elif defined __UCLIBC__ || defined __BIONIC__
/* Their locks stay: nobody has tried. */
#elif defined __GLIBC__
#include <freshet/detail/unlocked_stdio_glibc.h>
#elif defined __linux__ /* musl does not give its name */
#include <freshet/detail/unlocked_stdio_musl.h>
#endif

#endif
