#!/usr/bin/env python3
"""How does the size of each write() change the speed of the page cache? Prints a table in Markdown for each state of memory.

Usage: page_cache_pieces.py DIR [--size SIZE] [--pieces 64K,128K,…] [--states left,rested,compacted,ordinary] [--rounds N] [--seed N]

Each trial is a process of its own that writes SIZE of one buffer to a new file by pwrite(), and times each 64 MiB. The pieces take
turns, in an order drawn anew each round. A piece with a "d" before it is written with RWF_DONTCACHE (Linux 6.14), "d128K".
The states are those of memory_states.py. Files are made in DIR and removed.
"""
import argparse
import json
import os
import random
import resource
import statistics
import subprocess
import sys
import tempfile
import time

from memory_states import bring_about, memory_in

UNITS = {'K': 1 << 10, 'M': 1 << 20, 'G': 1 << 30}
WINDOW = 64 << 20
RWF_DONTCACHE = 0x80


def parse_size(text: str) -> int:
    return int(text[:-1]) * UNITS[text[-1]]


def write_file(path: str, size: int, piece: str) -> None:
    """Writes one file, and prints the seconds of each window, all seconds until close() and the CPU seconds as JSON."""
    flags = RWF_DONTCACHE if piece.startswith('d') else 0
    length = parse_size(piece.removeprefix('d'))
    data = memoryview(bytearray(os.urandom(1 << 16)) * max(1, length >> 16))[:length]
    target = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    windows = []
    begin = last = time.monotonic()
    for offset in range(0, size, length):
        written = os.pwritev(target, [data], offset, flags)
        if written != length:
            sys.exit(f'{path}: {written} of {length} bytes written')
        if (offset + length) % WINDOW == 0:
            now = time.monotonic()
            windows.append(now - last)
            last = now
    os.close(target)
    used = resource.getrusage(resource.RUSAGE_SELF)
    print(json.dumps({'windows': windows, 'seconds': time.monotonic() - begin, 'cpu': used.ru_utime + used.ru_stime}))


def run_trial(directory: str, size: int, piece: str, state: str) -> dict:
    bring_about(state, directory)
    with tempfile.TemporaryDirectory(dir=directory, prefix='pieces.') as scratch:
        call = [sys.executable, __file__, '--write', os.path.join(scratch, 'file'), str(size), piece]
        return json.loads(subprocess.run(call, stdout=subprocess.PIPE, check=True).stdout)


def format_rates(rates: list) -> str:
    return f'{statistics.median(rates):.0f} ({min(rates):.0f}-{max(rates):.0f})'


def print_table(state: str, size: int, trials: dict) -> None:
    rounds = len(next(iter(trials.values())))
    print(f'\n{state}, {size >> 20} MiB, MB/s until closed: median (range) of {rounds}; of each 64 MiB, medians\n')
    print('| piece | MB/s | CPU s | the first 64 MiB | in the middle | the last |')
    print('|---|---|---|---|---|---|')
    for piece, each in trials.items():
        def window(at: int, some=each) -> str:
            return f'{statistics.median(WINDOW / one["windows"][at] / 1e6 for one in some):.0f}' if some[0]['windows'] else '-'
        rates = [size / one['seconds'] / 1e6 for one in each]
        cpu = statistics.median(one['cpu'] for one in each)
        middle = len(each[0]['windows']) // 2
        print(f'| {piece} | {format_rates(rates)} | {cpu:.2f} | {window(0)} | {window(middle)} | {window(-1)} |')


def main() -> None:
    if sys.argv[1:2] == ['--write']:
        path, size, piece = sys.argv[2:]
        return write_file(path, int(size), piece)
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('directory', metavar='DIR')
    parser.add_argument('--size', type=parse_size, default=1 << 30)
    parser.add_argument('--pieces', default='64K,128K,256K,1M,4M')
    parser.add_argument('--states', default='left,rested')
    parser.add_argument('--rounds', type=int, default=5)
    parser.add_argument('--seed', type=int, default=random.randrange(100_000))
    options = parser.parse_args()
    pieces = options.pieces.split(',')
    generator = random.Random(options.seed)
    print(f'the same order again: --seed {options.seed}')
    for state in options.states.split(','):
        trials = {piece: [] for piece in pieces}
        with memory_in(state):
            for _ in range(options.rounds):
                for piece in generator.sample(pieces, len(pieces)):
                    trials[piece].append(run_trial(options.directory, options.size, piece, state))
        print_table(state, options.size, trials)
    return None


if __name__ == '__main__':
    main()
