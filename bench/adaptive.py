#!/usr/bin/env python3
"""How close does a program without a profile come to the best fixed method? Prints a table in Markdown.

Usage: adaptive.py PROGRAM DIR [--rounds N] [--memory rest,freed] [--cases 1024,64,10x256,…] [--methods M,…]

PROGRAM is bench_write_files. A case is [FILES x] MIB [@THREADS] [*PROCESSES]: "1024" is one file of 1 GiB, "10x256" are ten files of
256 MiB one after another, "256@8" are eight threads with one such file each, "256*2" two processes. Each trial is a process of
its own, and the methods take turns. "rest": memory that the host backs is held, so that files get other memory. "freed": as much memory as the files need was just
freed by other files. Files are made in DIR/adaptive.* and removed.
"""
import argparse
import collections
import json
import os
import re
import shutil
import statistics
import subprocess
import tempfile
import time
from pathlib import Path

IDLE_SECONDS = 4  # a host takes free memory back within two


class Case:
    def __init__(self, text: str):
        files, mib, threads, processes = re.fullmatch(r'(?:(\d+)x)?(\d+)(?:@(\d+))?(?:\*(\d+))?', text).groups()
        self.name = text
        self.mib = int(mib)
        self.files = int(files or 1)
        self.threads = int(threads or 1)
        self.processes = int(processes or 1)

    def all_mib(self) -> int:
        return self.mib * self.files * self.threads * self.processes


class Trials:
    def __init__(self, program: str, place: Path):
        self.program = program
        self.place = place
        self.env = dict(os.environ, FRESHET_PROFILE='none')

    def start(self, prefix: str, case: Case, method: str, words=()):
        call = [self.program, str(self.place / prefix), str(case.mib), method, str(case.files), str(case.threads), *words]
        return subprocess.Popen(call, env=self.env, stdout=subprocess.PIPE, text=True)

    def clear(self) -> None:
        for each in self.place.iterdir():
            each.unlink()
        subprocess.run(['sync', '-f', self.place], check=True)

    def run(self, case: Case, method: str, memory: str) -> list:
        """Returns the MB/s of the first file, of each later one, and of all together."""
        self.clear()
        words = []
        if memory == 'rest':
            time.sleep(IDLE_SECONDS)
            words = ['at-rest']
        else:
            for _ in range(2):  # the first of them finds memory at rest
                whole = Case(str(min(case.all_mib(), 4096)))
                self.start('before', whole, 'buffered').communicate()
                for each in self.place.iterdir():
                    each.unlink()
        running = [self.start(f'file{number}', case, method, words) for number in range(case.processes)]
        results = [json.loads(each.communicate()[0]) for each in running]
        files = [each for result in results for each in result['files']]
        begin = min(each['begin'] for each in files)
        seconds = max(each['begin'] + each['seconds'] for each in files) - begin
        alone = [case.mib * 1.048576 / each['seconds'] for each in files]
        return alone, case.all_mib() * 1.048576 / seconds, [each['log'] for each in files]


def show(values: list) -> str:
    return f'{statistics.median(values):.0f} ({min(values):.0f}-{max(values):.0f})'


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('program')
    parser.add_argument('directory', type=Path)
    parser.add_argument('--rounds', type=int, default=9)
    parser.add_argument('--memory', default='rest,freed')
    parser.add_argument('--cases', default='1024,64,10x256')
    parser.add_argument('--methods', default='buffered,uring,uring:2048:2')
    parser.add_argument('--logs', type=Path, help='a file for what each file says of itself')
    options = parser.parse_args()
    methods = [*options.methods.split(','), 'auto']
    place = Path(tempfile.mkdtemp(prefix='adaptive.', dir=options.directory))
    trials = Trials(str(Path(options.program).resolve()), place)
    print('| memory | files | ' + ' | '.join(methods) + ' | auto / best |')
    print('|---|---|' + '---|' * (len(methods) + 1))
    try:
        for memory in options.memory.split(','):
            for case in map(Case, options.cases.split(',')):
                measure(trials, case, memory, methods, options)
    finally:
        shutil.rmtree(place)


def measure(trials: Trials, case: Case, memory: str, methods: list, options) -> None:
    rates = collections.defaultdict(lambda: collections.defaultdict(list))
    for number in range(options.rounds):
        turn = number % len(methods)
        for method in methods[turn:] + methods[:turn]:
            alone, together, logs = trials.run(case, method, memory)
            if case.files == 1:
                rates[''][method].append(together)
            else:
                rates[': first'][method].append(alone[0])
                rates[': later ones'][method].append(statistics.median(alone[1:]))
            if options.logs and method == 'auto':
                with open(options.logs, 'a') as file:
                    file.writelines(f'{memory} {case.name}: {line}\n' for line in logs)
    for part, by_method in rates.items():
        medians = {method: statistics.median(values) for method, values in by_method.items()}
        best = max((method for method in medians if method != 'auto'), key=medians.get)
        ratio = medians['auto'] / medians[best]
        pairs = [mine / other for mine, other in zip(by_method['auto'], by_method[best])]
        cells = ' | '.join(show(by_method[method]) for method in methods)
        print(f'| {memory} | {case.name}{part} | {cells} | {ratio:.2f} ({min(pairs):.2f}-{max(pairs):.2f}) |', flush=True)


if __name__ == '__main__':
    main()
