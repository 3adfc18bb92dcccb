"""Bypasses the page cache with O_DIRECT: a thread writes one block while the program fills the other."""

import mmap
import os
import queue
import sys
import threading

sys.path.append(os.path.join(os.path.dirname(__file__), "../common/python"))
import peer

LINES = 1000  # joined at a time
LONGEST = 80  # no line is longer
TABS = ["\t" * count for count in range(8)]


def make_block(size):
    """Page-aligned memory. Huge pages mean fewer faults, and fewer pages for the kernel to pin."""
    memory = mmap.mmap(-1, size)
    memory.madvise(mmap.MADV_HUGEPAGE)
    return memoryview(memory)


class Blocks:
    def __init__(self, descriptor, size):
        self.descriptor = descriptor
        self.block = make_block(size)
        self.used = 0
        self.empty = queue.SimpleQueue()
        self.empty.put(make_block(size))
        self.full = queue.SimpleQueue()
        self.failure = None
        self.writer = threading.Thread(target=self.write_blocks, daemon=True)
        self.writer.start()

    def write_blocks(self):
        """Writes full blocks in their order. os.write() lets the other thread run meanwhile."""
        while full := self.full.get():
            block, length = full
            rest = block[:length]
            try:
                while rest and not self.failure:
                    rest = rest[os.write(self.descriptor, rest) :]
            except OSError as error:
                self.failure = error
            self.empty.put(block)

    def put(self, text):
        text = memoryview(text)
        while len(text) >= len(self.block) - self.used:
            room = len(self.block) - self.used
            self.block[self.used :] = text[:room]
            self.full.put((self.block, len(self.block)))
            self.block = self.empty.get()
            self.used = 0
            if self.failure:
                raise self.failure
            text = text[room:]
        self.block[self.used : self.used + len(text)] = text
        self.used += len(text)

    def end(self):
        """Waits for all blocks."""
        self.full.put(None)
        self.writer.join()

    def finish(self):
        """Writes the last block as whole pages; the file is truncated afterwards."""
        self.full.put((self.block, -(-self.used // peer.PAGE) * peer.PAGE))
        self.end()
        if self.failure:
            raise self.failure


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


def write(options):
    descriptor = options.opener(options.file, options.flags())
    try:
        out = Blocks(descriptor, options.buffer)
        try:
            written = text(out, options.size)
        except OSError:
            out.end()
            raise
        out.finish()
        peer.cut(descriptor, written)
    finally:
        with peer.during("close"):
            os.close(descriptor)


peer.Options.buffer = 4 << 20
peer.Options.is_direct = True
peer.run(
    write,
    ["text"],
    ["buffer", "reserve", "write-through", "no-cache", "sequential", "overwrite"],
)
