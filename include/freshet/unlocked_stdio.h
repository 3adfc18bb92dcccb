/** @file
 * stdio without the lock, for C and C++: after this include, what a file calls of these
 *
 *     fread fwrite  fgetc getc getchar  fputc putc putchar  fgets fputs  fflush  feof ferror clearerr fileno
 *
 * is their unlocked form (fread_unlocked, …), where the C library has it: all of them on glibc and musl, the first
 * eight and fflush on Windows (_fread_nolock, …), none elsewhere. Nothing else changes. The header may stand before or
 * after `<stdio.h>` and `<cstdio>`; std::fwrite is meant, too; &fwrite is still the C library's function, lock and
 * all; classes may have members of these names; -std=c11 and _FORTIFY_SOURCE work. On glibc and musl, fwrite and fread
 * of one byte go straight to the stream's buffer.
 *
 * What the lock was for is the program's business from then on: a stream that several threads use at the same time
 * needs a lock around each use (flockfile, a mutex). What is compiled elsewhere (printf, puts, libraries, std::cout)
 * goes on locking. Inline functions in headers that come after this one call the unlocked forms, too: include it last,
 * lest a function that other files compile as well have two meanings.
 *
 * Of functions that the C library's header defines itself (fread and fgets of glibc with _FORTIFY_SOURCE) and on
 * Windows, function-like macros are made instead. They rename members that are called the same: include this header
 * before such a class, everywhere, or not at all. The checks of _FORTIFY_SOURCE are kept where the unlocked form has
 * them: in C that takes _GNU_SOURCE.
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
