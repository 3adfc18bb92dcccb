#!/usr/bin/env python3
"""Whether a program is one for macOS: macho.py PROGRAM PROCESSOR

PROCESSOR is x86_64 or aarch64. The program must be a Mach-O executable for it, run on macOS 12, need no library but the
system's own, and call what the seam of macOS calls.
"""
import struct
import sys

PROCESSORS = {"x86_64": 0x01000007, "aarch64": 0x0100000C}  # <mach/machine.h>: CPU_TYPE_X86_64, CPU_TYPE_ARM64
MAGIC, EXECUTE = 0xFEEDFACF, 2  # <mach-o/loader.h>: MH_MAGIC_64, MH_EXECUTE
SYMBOLS, LIBRARY, BUILD_VERSION = 0x2, 0xC, 0x32  # LC_SYMTAB, LC_LOAD_DYLIB, LC_BUILD_VERSION
MACOS, OLDEST = 1, (12, 0)  # PLATFORM_MACOS
SYSTEM_LIBRARY = "/usr/lib/libSystem.B.dylib"
CALLS = {"fcntl", "fsync", "fsync_volume_np", "mincore", "fcopyfile", "fgetattrlist", "fstatfs", "flock", "renameat"}


def text_at(data, offset):
    return data[offset:data.index(b"\0", offset)].decode()


def commands(data):
    count, = struct.unpack_from("<I", data, 16)
    offset = 32
    for _ in range(count):
        kind, size = struct.unpack_from("<II", data, offset)
        yield kind, offset
        offset += size


def undefined_names(data, offset):
    first, count, texts = struct.unpack_from("<III", data, offset + 8)
    for i in range(count):
        text, kind = struct.unpack_from("<IB", data, first + 16 * i)
        if kind & 0x0E == 0:  # N_TYPE: N_UNDF
            yield text_at(data, texts + text).removeprefix("_").partition("$")[0]  # without $INODE64


def faults(data, processor):
    magic, cpu, _, file_type = struct.unpack_from("<IIII", data)
    if magic != MAGIC or file_type != EXECUTE:
        yield "it is no Mach-O executable"
        return
    if cpu != PROCESSORS[processor]:
        yield f"it is for processor {cpu:#x}"
    libraries, undefined, version = [], set(), None
    for kind, offset in commands(data):
        if kind == LIBRARY:
            libraries.append(text_at(data, offset + struct.unpack_from("<I", data, offset + 8)[0]))
        elif kind == SYMBOLS:
            undefined.update(undefined_names(data, offset))
        elif kind == BUILD_VERSION:
            platform, oldest = struct.unpack_from("<II", data, offset + 8)
            version = platform, (oldest >> 16, oldest >> 8 & 0xFF)
    if version != (MACOS, OLDEST):
        yield f"it is for platform and version {version}"
    if libraries != [SYSTEM_LIBRARY]:
        yield f"it needs {libraries}"
    if missing := CALLS - undefined:
        yield f"it does not call {', '.join(sorted(missing))}"


def main():
    path, processor = sys.argv[1:]
    with open(path, "rb") as program:
        found = list(faults(program.read(), processor))
    for fault in found:
        print(f"{path}: {fault}", file=sys.stderr)
    print(f"{path}: a program for macOS 12 on {processor}" if not found else f"{path}: not as it should be")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
