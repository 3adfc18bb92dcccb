"""What a disk was told, as dm-log-writes defines it and QEMU's blklogwrites writes it, and what the disk may have kept of it."""
import struct

SECTOR = 512
FLUSH, FUA, DISCARD, MARK = 1, 2, 4, 8
MAGIC, VERSION = 0x6a736677736872, 1


class Entry:
    """One entry of the log: a write of `data` at byte `offset`, a flush, or a discard of `length` bytes."""

    def __init__(self, flags, offset, length, data):
        self.flags, self.offset, self.length, self.data = flags, offset, length, data

    def is_flush(self):
        return bool(self.flags & FLUSH)

    def part(self, start, end):
        return Entry(self.flags, self.offset + start, end - start, self.data[start:end])

    def apply(self, image):
        image.seek(self.offset)
        image.write(b'\0' * self.length if self.flags & DISCARD else self.data)


def read(path):
    """All entries, also those after the last flush, which the log's first sector does not count.

    QEMU logs a request when the disk has it and before the guest learns of it. So a flush stands behind all writes whose end the
    guest knew when it asked for the flush. Where QEMU was killed between two entries, the log ends at the first that is missing.
    """
    log = memoryview(path.read_bytes())
    if len(log) < SECTOR or struct.unpack_from('<QQ', log) != (MAGIC, VERSION):
        return []
    entries, at = [], SECTOR
    while at + SECTOR <= len(log):
        sector, sectors, flags, _ = struct.unpack_from('<QQQQ', log, at)
        at += SECTOR
        stored = 0 if flags & DISCARD else sectors * SECTOR
        if (sectors == 0 and not flags & FLUSH) or flags & ~(FLUSH | FUA | DISCARD | MARK) or at + stored > len(log):
            break
        entries.append(Entry(flags, sector * SECTOR, sectors * SECTOR, log[at:at + stored]))
        at += stored
    return entries


def after_last_flush(entries):
    return max((i + 1 for i, entry in enumerate(entries) if entry.is_flush()), default=0)


def lose_some(entries, chooser):
    """What a disk may keep of `entries`, none of which was flushed: of each all, nothing, or some of its sectors.

    What remains is applied in the order of the log. The disk may write in any order, but where two writes overlap, the later one
    is what it has, unless it loses that.
    """
    for entry in entries:
        if entry.flags & FUA:
            yield entry
            continue
        choice = chooser.randrange(4)
        if choice < 2:
            yield entry
        elif choice == 2 and entry.length > SECTOR:
            start, end = sorted(SECTOR * chooser.randrange(entry.length // SECTOR + 1) for _ in range(2))
            if start < end:
                yield entry.part(start, end)
