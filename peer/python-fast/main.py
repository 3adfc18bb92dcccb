"""Joins many lines at a time in blocks of its own: the fastest way with the standard library, also with direct I/O."""

import mmap
import os
import sys

sys.path.append(os.path.join(os.path.dirname(__file__), "../common/python"))
import peer

LINES = 1000  # joined at a time
LONGEST = 80  # no line is longer
TABS = ["\t" * count for count in range(8)]


class Blocks:
    def __init__(self, descriptor, size):
        self.descriptor = descriptor
        self.block = memoryview(mmap.mmap(-1, size))  # page-aligned, for direct I/O
        self.used = 0

    def put(self, text):
        text = memoryview(text)
        while len(text) >= len(self.block) - self.used:
            room = len(self.block) - self.used
            self.block[self.used :] = text[:room]
            self.emit(len(self.block))
            text = text[room:]
        self.block[self.used : self.used + len(text)] = text
        self.used += len(text)

    def emit(self, length):
        block = self.block[:length]
        while block:
            block = block[os.write(self.descriptor, block) :]
        self.used = 0


def text(out, size):
    names = peer.NAMES
    first = 1
    written = 0
    while True:
        # As many lines as certainly fit; near the end, one that may not.
        count = max(1, min(LINES, (size - written) // LONGEST))
        lines = "".join(
            [
                f"{TABS[n % 8]}All work and no play makes {names[n % 6]} a dull boy.\n"
                for n in range(first, first + count)
            ]
        )
        if written + len(lines) > size:
            return written
        out.put(lines.encode("ascii"))
        written += len(lines)
        first += count


def one_by_one(out, size):
    table = peer.byte_table()
    for start in range(0, size, len(table)):
        block = bytearray()
        append = block.append
        for i in range(min(len(table), size - start)):
            append(table[i])
        out.put(block)
    return size


def write(options):
    descriptor = options.opener(options.file, options.flags())
    try:
        out = Blocks(descriptor, options.buffer)
        work = one_by_one if options.workload == "bytes" else text
        written = work(out, options.size)
        pages = -(-out.used // peer.PAGE) * peer.PAGE
        out.emit(pages if options.no_cache else out.used)  # the file is truncated afterwards
        peer.cut(descriptor, written)
    finally:
        with peer.during("close"):
            os.close(descriptor)


peer.run(
    write,
    ["text", "bytes"],
    ["buffer", "reserve", "write-through", "no-cache", "sequential", "overwrite"],
)
