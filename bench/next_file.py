#!/usr/bin/env python3
"""Do programs get what tune says? Runs tune again and again, and after each a program that opens its first file.

Usage: next_file.py FRESHET DIR [--tunes N] [--programs N] [--time T] [--neighbour MB/s]

Prints, for each run of tune, its answer for writing, its leading group, and for each program whether the MB/s of its first
file of 256 MiB lie in the range that tune predicted; then how often they did, and the methods that were in most leading
groups. With --neighbour, another process writes so much to the same disk all the time. The profile and the store of the
user are left alone; all files are made below DIR and removed.
"""
import argparse
import collections
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

SIZE = '256M'


def neighbour(path: Path, megabytes_per_second: float) -> None:
    """Writes blocks of 1 MB to one file of 1 GB, over and over, at an even pace. Never returns."""
    block = os.urandom(1_000_000)
    file = os.open(path, os.O_WRONLY | os.O_CREAT)
    start = time.monotonic()
    count = 0
    while True:
        os.pwrite(file, block, count % 1000 * len(block))
        count += 1
        if count % 50 == 0:
            os.fdatasync(file)
        ahead = start + count / megabytes_per_second - time.monotonic()
        if ahead > 0:
            time.sleep(ahead)


def call(freshet: str, words: list, env: dict) -> dict:
    """Returns the JSON that a call of freshet prints."""
    done = subprocess.run([freshet, *words, '--json', '-'], env=env, stdout=subprocess.PIPE, check=True)
    return json.loads(done.stdout)


def plan_name(plan: dict) -> str:
    return f"{plan['method']} {plan['block'] >> 10}K" if plan['block'] else plan['method']


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('freshet')
    parser.add_argument('directory', type=Path)
    parser.add_argument('--tunes', type=int, default=10)
    parser.add_argument('--programs', type=int, default=1)
    parser.add_argument('--time', default='60s')
    parser.add_argument('--neighbour', type=float, default=0)
    options = parser.parse_args()
    freshet = str(Path(options.freshet).resolve())
    with tempfile.TemporaryDirectory(dir=options.directory) as place:
        env = dict(os.environ, FRESHET_PROFILE=f'{place}/profile.toml', XDG_STATE_HOME=f'{place}/state')
        beside = os.fork() if options.neighbour else None
        if beside == 0:
            neighbour(Path(place) / 'neighbour', options.neighbour)
        try:
            run_all(freshet, Path(place), env, options)
        finally:
            if beside:
                os.kill(beside, 9)
                os.waitpid(beside, 0)


def run_all(freshet: str, place: Path, env: dict, options: argparse.Namespace) -> None:
    tried = inside = 0
    leading = collections.Counter()
    named = 0
    for number in range(1, options.tunes + 1):
        result = call(freshet, ['tune', str(place), '--time', options.time], env)
        verdict = next(each for each in result['verdicts'] if each['class'] == 'none')
        group = [plan_name(each['plan']) for each in verdict['ranking'] if each['standing'] in ('pick', 'leading')]
        may_lead = {plan_name(each['plan']) for each in verdict['ranking']
                    if each['standing'] in ('pick', 'leading', 'left_early')}
        leading.update(may_lead)
        named += verdict['state'] in ('decided', 'alike', 'undecided')
        print(f"tune {number}: {verdict['answer']}\n  state {verdict['state']}, leading: {', '.join(group)}")
        prediction = verdict['next_file']
        for _ in range(options.programs):
            file = place / 'file'
            trial = call(freshet, ['text', str(file), '--size', SIZE, '--no-store'], env)['trial']
            file.unlink()
            rate = trial['mb_per_second_to_close']
            if prediction is None:
                print(f'  a program: {rate:.0f} MB/s; nothing was predicted')
                continue
            low, high = prediction['mb_per_second_range']
            tried += 1
            inside += low <= rate <= high
            print(f"  a program: {rate:.0f} MB/s by {trial['method']}, predicted {low:.0f}-{high:.0f} "
                  f"({prediction['coverage']:.0%}): {'inside' if low <= rate <= high else 'outside'}")
        sys.stdout.flush()
    print(f'{inside} of {tried} programs inside the predicted range')
    print(f'{named} of {options.tunes} verdicts name a group')
    print('in most leading groups:', ', '.join(f'{name} {count}' for name, count in leading.most_common(3)))


if __name__ == '__main__':
    main()
