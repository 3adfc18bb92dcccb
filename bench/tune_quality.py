#!/usr/bin/env python3
"""Do programs get what tune promises? Runs tune again and again, and after each programs that write as it left them.

Usage: tune_quality.py FRESHET PROGRAM DIR [--tunes N] [--writer] [--sizes MIB,…] [--rounds N] [--results FILE] [--seed N]

PROGRAM is bench_write_files. Each tune has no options, and a profile of its own. Then a process writes a file of each size as that
left it: by the library's own choice with that profile or, where the answer was a line of code, by the method that it names for that
size; in turns with the best fixed method, found once for each size by three rounds of `buffered`, `uring`, `direct` and `dontcache`
and entered twice under two names: the reference, whose halves are the control. With --writer, all of it takes place beside a process that
writes 30 MiB with fsync again and again, at 150 MB/s.

Prints each tune's seconds, bytes and answers, and a table: the ratio of the medians, and how many of the programs lie in the range that
tune told for files of its size. Files are made in DIR/adaptive.* and removed.
"""
import argparse
import contextlib
import json
import os
import random
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from adaptive import METHODS, Cell, Trials, busy_writer


class Tune:
    """One call without options, and what it left."""

    def __init__(self, freshet: str, place: Path, home: Path):
        self.env = {key: value for key, value in os.environ.items() if key != 'FRESHET_PROFILE'}
        self.env.update(XDG_CONFIG_HOME=str(home), XDG_STATE_HOME=str(home))
        begin = time.monotonic()
        called = subprocess.run([freshet, 'tune', str(place), '--json', str(home / 'tune.json')], env=self.env, stdout=subprocess.PIPE,
                                stderr=subprocess.STDOUT, text=True, check=False)
        self.seconds = time.monotonic() - begin
        self.screen = called.stdout
        self.exit_code = called.returncode
        self.result = json.loads((home / 'tune.json').read_text(encoding='utf-8')) if called.returncode == 0 else None

    def advice(self, measured_class: str):
        for verdict in self.result['verdicts'] if self.result else []:
            if verdict['class'] == measured_class and verdict['advice']['what'] != 'none':
                return verdict['advice']
        return None

    def method_for(self, size: int) -> str:
        """As bench_write_files takes it: the library's own choice unless a program has to name a method."""
        advice = self.advice('none')
        if advice is None or advice['what'] != 'code':
            return 'auto'
        plan = next((each['plan'] for each in advice['by_size'] if size <= each['up_to']), advice['way'])
        return 'auto' if plan['method'] == 'adaptive' else f'{plan["method"]}:{plan["block"] >> 10}:{plan["depth"]}'

    def told_range(self):
        """MB/s between which four of five files of the size asked about should lie; None where the answer is for smaller ones."""
        advice = self.advice('none')
        if advice is None or advice['expected']['size'] != self.result['size']:
            return None
        return advice['expected']['mb_per_second_range']


def rate_of(trial: dict, mib: int) -> float:
    return (mib << 20) / trial['seconds'] / 1e6


def find_best(program: str, place: Path, mib: int, generator: random.Random) -> str:
    trials = Trials(program, place, Cell(f'left:{mib}'), None)
    taken = {method: [] for method in METHODS}
    for _ in range(3):
        for method in generator.sample(list(taken), len(taken)):
            trial = trials.run(method)
            if trial is None:
                del taken[method]
            else:
                taken[method].append(trial['seconds'])
    return min(taken, key=lambda method: statistics.median(taken[method]))


def compare(program: str, place: Path, mib: int, best: str, left_by: Tune, rounds: int, generator: random.Random) -> dict:
    tuned = Trials(program, place, Cell(f'left:{mib}'), None)
    tuned.env = left_by.env
    fixed = Trials(program, place, Cell(f'left:{mib}'), None)
    ways = {'tuned': (tuned, left_by.method_for(mib << 20)), 'one': (fixed, best), 'other': (fixed, best)}
    rates = {name: [] for name in ways}
    for _ in range(rounds):
        for name in generator.sample(list(ways), len(ways)):
            trials, method = ways[name]
            rates[name].append(rate_of(trials.run(method), mib))
    return {'mib': mib, 'best': best, 'method': ways['tuned'][1], **rates}


def line_of(pair: dict, told) -> str:
    mine = statistics.median(pair['tuned'])
    reference = statistics.median(pair['one'] + pair['other'])
    control = statistics.median(pair['one']) / statistics.median(pair['other'])
    within = '' if told is None else f'{sum(told[0] <= rate <= told[1] for rate in pair["tuned"])} of {len(pair["tuned"])}'
    return f'| {pair["tune"]} | {pair["mib"]} | {pair["method"]} | {pair["best"]} | {mine:.0f} | {reference:.0f} | {mine / reference:.2f} | {control:.2f} | {within} |'


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('freshet')
    parser.add_argument('program')
    parser.add_argument('directory', type=Path)
    parser.add_argument('--tunes', type=int, default=5)
    parser.add_argument('--writer', action='store_true')
    parser.add_argument('--sizes', default='64,256,1024,2048')
    parser.add_argument('--rounds', type=int, default=7)
    parser.add_argument('--results', type=Path)
    parser.add_argument('--seed', type=int, default=random.randrange(100_000))
    options = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit('tune_quality.py: ended'))
    print(f'the same order again: --seed {options.seed}\n')
    generator = random.Random(options.seed)
    program = str(Path(options.program).resolve())
    place = Path(tempfile.mkdtemp(prefix='adaptive.', dir=options.directory))
    pairs = []
    lines = []
    try:
        with busy_writer(place) if options.writer else contextlib.nullcontext():
            best = {mib: find_best(program, place, mib, generator) for mib in map(int, options.sizes.split(','))}
            for number in range(1, options.tunes + 1):
                home = Path(tempfile.mkdtemp(prefix='home.', dir=options.directory))
                try:
                    tune = Tune(options.freshet, place, home)
                    written = tune.result['bytes_written'] if tune.result else 0
                    print(f'== tune {number}: exit code {tune.exit_code}, {tune.seconds:.0f} s, {written / 2**30:.1f} GiB\n{tune.screen}', flush=True)
                    for mib, method in best.items():
                        pair = {'tune': number, **compare(program, place, mib, method, tune, options.rounds, generator)}
                        told = tune.told_range() if tune.result and mib << 20 == tune.result['size'] else None
                        pairs.append(pair)
                        lines.append(line_of(pair, told))
                        if options.results:
                            with open(options.results, 'a', encoding='utf-8') as file:
                                file.write(json.dumps({**pair, 'told': told}) + '\n')
                finally:
                    shutil.rmtree(home)
    finally:
        shutil.rmtree(place)
    print('| tune | MiB | as it left programs | best fixed | MB/s | reference | ratio | control | in the range told |')
    print('|---|---|---|---|---|---|---|---|---|')
    print('\n'.join(lines))
    ratios = [statistics.median(pair['tuned']) / statistics.median(pair['one'] + pair['other']) for pair in pairs]
    print(f'\n{sum(ratio >= 0.9 for ratio in ratios)} of {len(ratios)} pairs at least 0.90, {sum(ratio >= 0.8 for ratio in ratios)} at least 0.80, '
          f'the lowest {min(ratios):.2f}')


if __name__ == '__main__':
    main()
