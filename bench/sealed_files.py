#!/usr/bin/env python3
"""Compares encrypted files with the cipher alone, with the same file without encryption, and with age.

usage: sealed_files.py BUILD DIR [--rounds 6] [--mib 1024] [--states rest,freed]

BUILD has the programs freshet, bench_sealed_files and bench_at_rest. In each round, all ways run once in random order, in
each state of memory: at rest, as after some idle seconds of the whole machine, and just freed, by the removal of the last
way's file. `disk` and `sealed-disk` write by uring, past the page cache; `seal` and `age` read the same file from the page
cache. Prints the median and the range of the seconds, MB/s, and the ratios of medians. FRESHET_PROFILE=none is set, so the
library chooses the method where none is named.
"""
import argparse
import os
import random
import statistics
import subprocess
import tempfile
import time
from pathlib import Path

WAYS = ('cipher', 'plain', 'sealed', 'disk', 'sealed-disk', 'seal', 'age')


def run(words, **more):
    return subprocess.run(words, check=True, capture_output=True, text=True, **more).stdout


class Bench:
    def __init__(self, build, scratch, mib):
        self.build, self.scratch, self.mib = build, scratch, mib
        self.program = build / 'bench/bench_sealed_files'
        (scratch / 'key').write_bytes(os.urandom(32))
        run([self.program, 'plain', scratch / 'in', str(mib)])
        run(['age-keygen', '-o', scratch / 'identity'])
        self.recipient = run(['age-keygen', '-y', scratch / 'identity']).strip()

    def seconds(self, way, at_rest):
        out = self.scratch / 'out'
        if way in ('seal', 'age'):
            subprocess.run(['cat', self.scratch / 'in'], check=True, stdout=subprocess.DEVNULL)
            call = ([self.build / 'tool/freshet', 'seal', self.scratch / 'in', out, '--encrypt', '--key-file',
                     self.scratch / 'key'] if way == 'seal' else
                    ['age', '-r', self.recipient, '-o', out, self.scratch / 'in'])
        else:
            call = [self.program, way, out, str(self.mib)]
        out.unlink(missing_ok=True)
        if way not in ('seal', 'age'):
            taken = float(run(call + ['at-rest'] * at_rest))
        elif at_rest:
            taken = float(run([self.build / 'bench/bench_at_rest', *call]).split()[0])
        else:
            begin = time.monotonic()
            run(call)
            taken = time.monotonic() - begin
        run(['sync', '-f', self.scratch])
        return taken


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('build', type=Path)
    parser.add_argument('directory', type=Path)
    parser.add_argument('--rounds', type=int, default=6)
    parser.add_argument('--mib', type=int, default=1024)
    parser.add_argument('--states', default='rest,freed')
    options = parser.parse_args()
    os.environ['FRESHET_PROFILE'] = 'none'
    states = options.states.split(',')
    with tempfile.TemporaryDirectory(prefix='freshet-sealed-', dir=options.directory) as scratch:
        bench = Bench(options.build.resolve(), Path(scratch), options.mib)
        taken = {(state, way): [] for state in states for way in WAYS}
        for number in range(options.rounds):
            for state, way in random.sample(list(taken), len(taken)):
                taken[state, way].append(bench.seconds(way, state == 'rest'))
            print(f'round {number + 1}, load {os.getloadavg()[0]:.1f}', flush=True)
    for state in states:
        median = {way: statistics.median(taken[state, way]) for way in WAYS}
        for way in WAYS:
            print(f'{state:6}{way:12}{median[way]:7.3f} s ({min(taken[state, way]):.3f}-{max(taken[state, way]):.3f})'
                  f'{options.mib * 1.048576 / median[way]:8.0f} MB/s')
        for sealed, other in (('sealed', 'plain'), ('sealed', 'disk'), ('sealed-disk', 'disk')):
            print(f'{state}: {sealed} against the slower of cipher and {other} '
                  f'{max(median["cipher"], median[other]) / median[sealed]:.2f}')
        print(f'{state}: age / seal {median["age"] / median["seal"]:.2f}')


if __name__ == '__main__':
    main()
