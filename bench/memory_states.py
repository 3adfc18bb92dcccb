#!/usr/bin/env python3
"""The states of a machine's memory in which files are written and compared. As a program, it holds pages until its input ends.

left       as the trial before left it
rested     3 s without work
compacted  after all free memory was compacted and 6 s without work: no small blocks of free memory are left. Takes root
rest       the same with 10 s
freed      1 GiB was just freed by a file
fallen     as rest, and then 256 MiB were freed by a file: the page cache is slow once it has used them. Takes root
ordinary   beside a process that holds one page in each 2 MiB of all available memory but 5 GiB, so that no free block of them is
           large enough to be reported to a host that takes memory back; 1 s without work
"""
import contextlib
import mmap
import os
import subprocess
import sys
import time

IDLE_SECONDS = {'left': 0, 'rested': 3, 'compacted': 6, 'rest': 10, 'freed': 0, 'fallen': 10, 'ordinary': 1}
KEPT_FREE = 5 << 30
LARGE_PAGE = 2 << 20
FREED = {'freed': 1 << 30, 'fallen': 256 << 20}
PIECE = 256 << 10


def hold_pages() -> None:
    """Touches memory, gives it back but one page in each 2 MiB, says so, and waits until its input ends."""
    with open('/proc/meminfo', encoding='ascii') as facts:
        available = next(int(line.split()[1]) << 10 for line in facts if line.startswith('MemAvailable'))
    size = (available - KEPT_FREE) // LARGE_PAGE * LARGE_PAGE
    memory = mmap.mmap(-1, size, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    memory.madvise(mmap.MADV_NOHUGEPAGE)
    touched = b'1' * LARGE_PAGE
    for at in range(0, size, LARGE_PAGE):
        memory[at:at + LARGE_PAGE] = touched
    for at in range(0, size, LARGE_PAGE):
        memory.madvise(mmap.MADV_DONTNEED, at + mmap.PAGESIZE, LARGE_PAGE - mmap.PAGESIZE)
    print('ready', flush=True)
    sys.stdin.read()


@contextlib.contextmanager
def memory_in(state: str):
    """Holds pages while trials of the state `ordinary` run."""
    if state != 'ordinary':
        yield
        return
    with subprocess.Popen([sys.executable, __file__], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as holder:
        holder.stdout.readline()
        yield
        holder.stdin.close()


def free_a_file(directory: str, size: int) -> None:
    path = os.path.join(directory, f'freed.{os.getpid()}')
    with open(path, 'xb', buffering=0) as file:
        try:
            for _ in range(size // PIECE):
                file.write(bytes(PIECE))
            os.fdatasync(file.fileno())
        finally:
            os.unlink(path)


def bring_about(state: str, directory: str) -> None:
    """Sets the state for one trial that writes to `directory`."""
    subprocess.run(['sync', '-f', directory], check=True)
    if state in ('compacted', 'rest', 'fallen'):
        with open('/proc/sys/vm/compact_memory', 'w', encoding='ascii') as compact:
            compact.write('1')
    time.sleep(IDLE_SECONDS[state])
    if state in FREED:
        free_a_file(directory, FREED[state])


if __name__ == '__main__':
    hold_pages()
