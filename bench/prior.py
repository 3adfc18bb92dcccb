#!/usr/bin/env python3
"""What does a program gain by what is known before its file shows it? Measures in turns, and prints tables in Markdown.

Usage: prior.py FRESHET PROGRAM DIR --results FILE [--before PROGRAM] [--states STATE,…] [--only STATE,…] [--sizes MIB,…] [--cross FROM:TO,…]
                [--later MIBxFILES,…] [--rounds N] [--seed N]

PROGRAM is bench_write_files, --before the same of an earlier commit. A state is one of memory_states.py, or writer: left, beside a process
that writes 30 MiB with fsync again and again, at 150 MB/s. In each state:
- `freshet tune` runs once, with no options, and keeps a profile;
- for each size, three rounds find the best of `buffered`, `uring`, `direct` and `dontcache` (in the states of --only alone, where it is
  given). Then a process each takes turns: with the profile (tuned); with the profile of another state (from STATE, for each pair of --cross that ends here, 256 MiB and 1 GiB); with none
  (first); with none, by the earlier commit (before); and by the best fixed method under two names (one, other);
- --later does the same for processes that write FILES files, of which the first does not count: with no profile (later), by the earlier
  commit (before), and by the best fixed method.
Each file is then read once, which is timed, too: by another process and, in every second round, by the one that wrote it.

Results are appended to FILE as JSON; what it has is printed, not measured again. Files are made in DIR/prior.* and removed.
"""
import argparse
import json
import os
import random
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

from adaptive import METHODS, busy_writer, read_back
from memory_states import bring_about, memory_in
from turns import print_head, row_of

FIRST_ROUNDS = 3
CROSS_SIZES = (256, 1024)


class Way:
    """How a process writes: by which program, with which profile, by which method."""

    def __init__(self, program: str, method: str = 'auto', profile: str = 'none'):
        self.program = program
        self.method = method
        self.env = dict(os.environ, FRESHET_PROFILE=profile)

    def write(self, state: str, place: Path, mib: int, files: int, reads_itself: bool):
        """Returns the seconds that a file took, and the read after it; None if the method does not work here."""
        bring_about('left' if state == 'writer' else state, str(place))
        call = [self.program, str(place / 'file'), str(mib), self.method, str(files), '1', 'none', *(['read'] if reads_itself else [])]
        done = subprocess.run(call, env=self.env, stdout=subprocess.PIPE, text=True, check=False)
        if done.returncode != 0:
            return None
        told = json.loads(done.stdout)
        counted = told['files'][1:] or told['files']
        paths = sorted(place.glob('file*'))
        reread = (told['reread'] if reads_itself else read_back(paths)) / len(paths)
        for each in paths:
            each.unlink()
        return {'seconds': statistics.median(file['seconds'] for file in counted), 'reread': reread, 'log': counted[-1]['log']}


def take_turns(ways: dict, state: str, place: Path, mib: int, files: int, rounds: int, generator: random.Random) -> dict:
    """All trials of each way; ways that do not work here have none."""
    trials = {name: [] for name in ways}
    for number in range(rounds):
        for name in generator.sample(list(trials), len(trials)):
            trial = ways[name].write(state, place, mib, files, number % 2 == 1)
            if trial is None:
                del trials[name]
            else:
                trials[name].append(trial)
    return trials


def median_of(trials: list, what: str = 'seconds') -> float:
    return statistics.median(trial[what] for trial in trials)


class Results:
    """What FILE has, by key, and what is added."""

    def __init__(self, path: Path):
        self.path = path
        self.known = {}
        if path.exists():
            for line in path.read_text(encoding='utf-8').splitlines():
                result = json.loads(line)
                self.known[result['key']] = result

    def get(self, key: str, measure) -> dict:
        if key not in self.known:
            self.known[key] = {'key': key, **measure()}
            with open(self.path, 'a', encoding='utf-8') as file:
                file.write(json.dumps(self.known[key]) + '\n')
        return self.known[key]


def tune(freshet: str, place: Path) -> dict:
    home = Path(tempfile.mkdtemp(prefix='home.', dir=place))
    try:
        profile = home / 'profile.toml'
        env = dict(os.environ, FRESHET_PROFILE=str(profile), XDG_STATE_HOME=str(home))
        done = subprocess.run([freshet, 'tune', str(place)], env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
        return {'screen': done.stdout, 'profile': profile.read_text(encoding='utf-8') if profile.exists() else ''}
    finally:
        shutil.rmtree(home)


class Measurement:
    def __init__(self, options, place: Path):
        self.options = options
        self.place = place
        self.generator = random.Random(options.seed)
        self.results = Results(options.results)
        self.profiles = {}

    def tune_in(self, state: str) -> None:
        text = self.results.get(f'tune {state}', lambda: self.tune_now(state))['profile']
        if not text:  # nothing was to be changed: programs write as they do without a profile
            return
        path = self.place / f'{state}.toml'
        path.write_text(text, encoding='utf-8')
        self.profiles[state] = str(path)

    def tune_now(self, state: str) -> dict:
        with busy_writer(self.place) if state == 'writer' else memory_in(state):
            bring_about('left' if state == 'writer' else state, str(self.place))
            return tune(self.options.freshet, self.place)

    def cell(self, state: str, mib: int, files: int, own: dict) -> dict:
        program = self.options.program
        fixed = {method: Way(program, method) for method in METHODS}
        first = take_turns(fixed, state, self.place, mib, files, FIRST_ROUNDS, self.generator)
        best = min(first, key=lambda method: median_of(first[method]))
        ways = {**own, 'one': fixed[best], 'other': fixed[best]}
        return {'best': best, 'mib': mib, 'files': files, 'state': state,
                'trials': take_turns(ways, state, self.place, mib, files, self.options.rounds, self.generator)}

    def ways(self, state: str, mib: int) -> dict:
        program = self.options.program
        ways = {'first': Way(program)}
        if state in self.profiles:
            ways['tuned'] = Way(program, profile=self.profiles[state])
        for pair in self.options.cross:
            begin, end = pair.split(':')
            if end == state and mib in CROSS_SIZES and begin in self.profiles:
                ways[f'from {begin}'] = Way(program, profile=self.profiles[begin])
        if self.options.before:
            ways['before'] = Way(self.options.before)
        return ways

    def measure(self, state: str) -> None:
        surroundings = busy_writer(self.place) if state == 'writer' else memory_in(state)
        with surroundings:
            for mib in self.options.sizes:
                self.results.get(f'{state} {mib}', lambda mib=mib: self.cell(state, mib, 1, self.ways(state, mib)))
            for each in self.options.later if state != 'rest' else []:
                mib, files = map(int, each.split('x'))
                own = {'later': Way(self.options.program), **({'before': Way(self.options.before)} if self.options.before else {})}
                self.results.get(f'{state} {each}', lambda mib=mib, files=files, own=own: self.cell(state, mib, files, own))


def print_tables(results: dict) -> None:
    cells = [each for each in results.values() if 'trials' in each]
    names = sorted({name for each in cells for name in each['trials']} - {'one', 'other', 'before'})
    print_head(['state', 'MiB', 'files', 'best fixed', 'MB/s', *[f'{name} : best' for name in names], 'control', 'first or later : before',
                'with reading : before'])
    for each in cells:
        trials = each['trials']
        reference = median_of(trials['one'] + trials['other'])

        def ratio(name: str, to: float, trials=trials) -> str:
            return f'{to / median_of(trials[name]):.2f}' if name in trials else ''

        row = [each['state'], str(each['mib']), str(each['files']), each['best'], f"{(each['mib'] << 20) / reference / 1e6:.0f}",
               *[ratio(name, reference) for name in names], f"{median_of(trials['other']) / median_of(trials['one']):.2f}"]
        if 'before' in trials:
            row.append(ratio('first' if 'first' in trials else 'later', median_of(trials['before'])))
            both = {name: statistics.median(trial['seconds'] + trial['reread'] for trial in of) for name, of in trials.items()}
            own = next(name for name in ('tuned', 'later', 'first') if name in both)
            row.append(f"{both[own] / both['before']:.2f}")
        print(row_of(row), flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('freshet')
    parser.add_argument('program')
    parser.add_argument('directory', type=Path)
    parser.add_argument('--results', type=Path, required=True)
    parser.add_argument('--before', default='')
    parser.add_argument('--states', type=lambda text: text.split(','), default=['left', 'writer', 'ordinary', 'rest'])
    parser.add_argument('--only', type=lambda text: text.split(','), default=[])
    parser.add_argument('--sizes', type=lambda text: [int(each) for each in text.split(',') if each], default=[64, 256, 1024, 2048])
    parser.add_argument('--cross', type=lambda text: [each for each in text.split(',') if each], default=['left:writer', 'writer:left', 'left:ordinary', 'ordinary:left'])
    parser.add_argument('--later', type=lambda text: [each for each in text.split(',') if each], default=['256x10', '1024x6'])
    parser.add_argument('--rounds', type=int, default=5)
    parser.add_argument('--seed', type=int, default=random.randrange(100_000))
    options = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit('prior.py: ended'))
    print(f'the same order again: --seed {options.seed}\n', flush=True)
    place = Path(tempfile.mkdtemp(prefix='prior.', dir=options.directory))
    try:
        measurement = Measurement(options, place)
        for state in options.states:  # profiles of all come first: each is used in others, too
            measurement.tune_in(state)
        for state in options.only or options.states:
            measurement.measure(state)
        print_tables(measurement.results.known)
    finally:
        shutil.rmtree(place)


if __name__ == '__main__':
    main()
