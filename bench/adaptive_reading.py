#!/usr/bin/env python3
"""How close does a reader without a profile come to the best fixed method? Prints a table in Markdown.

Usage: adaptive_reading.py PROGRAM DIR [--mib N] [--rounds N] [--methods A,B] [--cached S,T] [--memory freed,rest] [--pace NS] [--seed N]

PROGRAM is bench_read_file. Each trial reads the file once, in a process of its own that starts from the same state: `auto` takes turns
with the best of the methods, beside a control, as turns.py says; a row whose control is off is marked "!" and not judged. A method may have
a block in KiB and a depth: uring:2048:2.

  --cached  cold; warm; first, second: this half of the file is in the page cache; alternate: every other MiB is
  --memory  freed: as much memory as the file has was just freed; rest: memory that the host backs is held, so that new pages
            are as slow as after some idle seconds
  --pace    nanoseconds that the program takes for each KiB

The file is made in DIR and removed.
"""
import argparse
import functools
import itertools
import mmap
import os
import random
import signal
import subprocess
import sys
import tempfile
import time

from turns import HEADINGS, columns_of, print_head, row_of, take_turns

MIB = 1 << 20
IDLE_SECONDS = 3  # a host takes free memory back within two


def leave_in_cache(path: str, size: int, pattern: str) -> None:
    """Leaves exactly the parts of the file in the page cache that `pattern` names."""
    is_wanted = {'cold': lambda _: False, 'warm': lambda _: True, 'first': lambda at: at < size // 2,
                 'second': lambda at: at >= size // 2, 'alternate': lambda at: at // MIB % 2 == 1}[pattern]
    file = os.open(path, os.O_RDONLY)
    os.posix_fadvise(file, 0, 0, os.POSIX_FADV_DONTNEED)
    os.posix_fadvise(file, 0, 0, os.POSIX_FADV_RANDOM)  # nothing is read ahead
    for at in range(0, size, MIB):
        if is_wanted(at):
            os.pread(file, MIB, at)
    os.close(file)


def free_memory(length: int) -> None:
    with mmap.mmap(-1, length, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS) as memory:
        memory.madvise(mmap.MADV_NOHUGEPAGE)
        for at in range(0, length, mmap.PAGESIZE):
            memory[at] = 1


def read_once(options: argparse.Namespace, path: str, pattern: str, memory: str, method: str) -> dict:
    size = options.mib * MIB
    leave_in_cache(path, size, pattern)
    words = []
    if memory == 'rest':
        time.sleep(IDLE_SECONDS)
        words = ['at-rest']
    else:
        free_memory(size + size // 4)
    done = subprocess.run([options.program, path, method, str(options.pace), *words], stdout=subprocess.PIPE, check=True,
                          text=True, env=dict(os.environ, FRESHET_PROFILE='none'))
    if options.log and method == 'auto':
        print(done.stdout, end='', file=sys.stderr)
    return {'seconds': size / 1e6 / float(done.stdout.split()[0])}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('program')
    parser.add_argument('directory')
    parser.add_argument('--mib', type=int, default=1024)
    parser.add_argument('--rounds', type=int, default=9)
    parser.add_argument('--methods', default='buffered,direct,uring')
    parser.add_argument('--cached', default='cold,warm,first,second,alternate')
    parser.add_argument('--memory', default='freed,rest')
    parser.add_argument('--pace', type=float, default=0)
    parser.add_argument('--seed', type=int, default=random.randrange(100_000))
    parser.add_argument('--log', action='store_true', help='print what auto did')
    options = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # the file is removed
    print(f'the same order again: --seed {options.seed}\n')
    generator = random.Random(options.seed)
    with tempfile.TemporaryDirectory(prefix='adaptive_reading.', dir=options.directory) as place:
        path = os.path.join(place, 'file')
        with open(path, 'wb', buffering=0) as file:
            for _ in range(options.mib):
                file.write(os.urandom(MIB))
            os.fsync(file.fileno())
        print_head(['in the page cache, memory', *HEADINGS])
        for memory, pattern in itertools.product(options.memory.split(','), options.cached.split(',')):
            result = take_turns(functools.partial(read_once, options, path, pattern, memory), 'auto', options.methods.split(','),
                                options.mib * MIB, options.rounds, generator)
            print(row_of([f'{pattern}, {memory}', *columns_of(result)]), flush=True)


if __name__ == '__main__':
    main()
