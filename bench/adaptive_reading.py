#!/usr/bin/env python3
"""How close does a reader without a profile come to the best fixed method? Prints rows of a table in Markdown.

Usage: adaptive_reading.py PROGRAM DIR [--mib N] [--rounds N] [--methods A,B] [--cached S,T] [--memory freed,rest] [--pace NS]

PROGRAM is bench_read_file. Each round reads the file once by each method, in a process of its own that starts from the same
state; the order of the methods turns from round to round. A row has the median of MB/s by method and its range, and what
`auto` reaches of the method with the best median: the ratio of the medians, and the median and the range of the ratios of the
rounds. A method may have a block in KiB and a depth: uring:2048:2.

  --cached  cold; warm; first, second: this half of the file is in the page cache; alternate: every other MiB is
  --memory  freed: as much memory as the file has was just freed; rest: memory that the host backs is held, so that new pages
            are as slow as after some idle seconds
  --pace    nanoseconds that the program takes for each KiB

The file is made in DIR and removed.
"""
import argparse
import mmap
import os
import signal
import statistics
import subprocess
import sys
import tempfile
import time

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


def read_once(options: argparse.Namespace, path: str, pattern: str, memory: str, method: str) -> float:
    """Returns MB/s."""
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
    return float(done.stdout.split()[0])


def measure(options: argparse.Namespace, path: str, pattern: str, memory: str) -> None:
    methods = options.methods.split(',')
    rates: dict = {method: [] for method in methods}
    for number in range(options.rounds):
        turn = number % len(methods)
        for method in methods[turn:] + methods[:turn]:
            rates[method].append(read_once(options, path, pattern, memory, method))
    cells = [f'{statistics.median(each):.0f} ({min(each):.0f}-{max(each):.0f})' for each in rates.values()]
    fixed = [method for method in methods if method != 'auto']
    if 'auto' in methods and fixed:
        best = max(fixed, key=lambda method: statistics.median(rates[method]))
        ratios = [mine / other for mine, other in zip(rates['auto'], rates[best])]
        of_medians = statistics.median(rates['auto']) / statistics.median(rates[best])
        cells += [best, f'{of_medians:.2f}', f'{statistics.median(ratios):.2f} ({min(ratios):.2f}-{max(ratios):.2f})']
    print(f'| {pattern}, {memory} | ' + ' | '.join(cells) + ' |', flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('program')
    parser.add_argument('directory')
    parser.add_argument('--mib', type=int, default=1024)
    parser.add_argument('--rounds', type=int, default=9)
    parser.add_argument('--methods', default='buffered,direct,uring,auto')
    parser.add_argument('--cached', default='cold,warm,first,second,alternate')
    parser.add_argument('--memory', default='freed,rest')
    parser.add_argument('--pace', type=float, default=0)
    parser.add_argument('--log', action='store_true', help='print what auto did')
    options = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # the file is removed
    with tempfile.TemporaryDirectory(prefix='adaptive_reading.', dir=options.directory) as place:
        path = os.path.join(place, 'file')
        with open(path, 'wb', buffering=0) as file:
            for _ in range(options.mib):
                file.write(os.urandom(MIB))
            os.fsync(file.fileno())
        for memory in options.memory.split(','):
            for pattern in options.cached.split(','):
                measure(options, path, pattern, memory)


if __name__ == '__main__':
    main()
