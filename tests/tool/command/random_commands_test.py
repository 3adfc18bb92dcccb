#!/usr/bin/env python3
"""Random calls of every command in random places, for hours: results must be right, memory and descriptors stay flat.

  tests/tool/command/random_commands_test.py FRESHET [SECONDS=60] [CALL]

SECONDS is how long to go on; with CALL only the call of this number is made, as a failure says. The places are memory, a disk
($FRESHET_TEST_DISK, else /var/tmp), and for root images of ext4, xfs and btrfs; half of the directories have a space and an
umlaut in their names. SIGINT ends it with the table of what was done.
"""
import collections
import contextlib
import os
import random
import re
import shlex
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

from commands import CALLS, OPTIONS, Sandbox, words_with
from places import open_places
from results import NAMES, UNSOUND, Wrong, check, require

INTERVAL = 0.05  # seconds between looks at a process
LONGEST_CALL = 300  # seconds of a long one, on a machine that has other work
LONG_SHARE = 0.05  # of the calls: they take 10 to 40 s, the others about one

# More values that work than the table of options has: it lists those that are quick.
MORE = {
    ('text', '--size'): ['1000', '4097', '1M', '16M'],
    ('text', '--method'): ['uring', 'libaio', 'aio', 'direct', 'uring-buffered'],
    ('bench', '--size'): ['1000', '4097', '1M'], ('bench', '--rounds'): ['5'],
    ('bench', '--method'): ['uring,libaio,aio', 'writebehind', 'uring-buffered,stdio'],
    ('bytes', '--ways'): ['writer.put,reader.get', 'stream.put,stream.get'],
    ('corpus', '--files'): ['40'], ('corpus', '--lines'): ['1000'], ('corpus', '--chars'): ['5000'],
    ('encrypt', '--threads'): ['8', '64'], ('encrypt', '--work'): ['1000'],
    ('sweep', '--corpora'): ['long-lines', 'large-files,small-files'], ('writetest', '--i'): ['5'],
}
# Calls that last, as the same work again and again: what they hold must not grow. Their blocks are small, so that it matters
# little whether a look meets a trial or the pause between two. XFS sets some 32 KiB aside for each small file until it writes
# back: more files at once would fill its image.
LONG = {
    'bench': 'd --size 4K --block 4K --method buffered,direct,uring --rounds 200',
    'bytes': 'file --size 64K --ways fwrite,fread --buffer 4K --rounds 100',
    'corpus': 'out --files 10000 --lines 100 --chars 100',
    'encrypt': 'many out --work 5000',
    'sweep': 'd --corpora small-files --strategies streaming,buffering,pipelined --threads 1,2 --work 0 --scale 0.01 '
             '--rounds 12',
    'writetest': '--output-dir d --b 65536 --i 60 --stdio --genio',
}
# A program that is built takes 10 s and more, so that is rare.
PEERS_SHARE = 0.15
# Options that would make a long call another one, or its end different from its middle.
# AES takes a hundred times as long.
NOT_IN_LONG = {'--size', '--order', '--time', '--class', '--durability', '--max-bytes', '--i', '--b', '--vary', '--reserve',
               '--cipher'}

# How much the last third of a long call may hold beyond the middle one. KiB: the results of all trials become one JSON text
# and rows of the store at the end, and a thread that a look meets by chance has 8 MiB of stack. Descriptors: the store, its
# journal, the results' files and the queue of a method.
TOLERANCE = {'VmRSS': 16 << 10, 'VmData': 16 << 10, 'descriptors': 8}
LEAST_LOOKS = 6
LOOKS_AT_THE_END = 8  # 0.4 s


class Stopped(Exception):
    """A signal asked for the end."""


class Looks:
    """What a process held whenever it was looked at."""

    def __init__(self):
        self.all = []

    def add(self, process):
        try:
            status = Path(f'/proc/{process}/status').read_text(encoding='utf-8')
            held = {name: int(kib) for name, kib in re.findall(r'^(VmRSS|VmData):\s+(\d+) kB', status, re.M)}
            held['descriptors'] = len(os.listdir(f'/proc/{process}/fd'))
        except OSError:
            return  # it has just ended
        if held.keys() == TOLERANCE.keys():
            self.all.append(held)

    def most(self, what, part=slice(None)):
        return max((held[what] for held in self.all[part]), default=0)

    def require_flat(self):
        # At its end, `encrypt` measures for the store how fast memory is that nobody has touched.
        looks = self.all[:-LOOKS_AT_THE_END]
        third = len(looks) // 3
        for what, more in TOLERANCE.items() if len(looks) >= LEAST_LOOKS else ():
            middle, last = self.most(what, slice(third, 2 * third)), self.most(what, slice(2 * third, len(looks)))
            require(last <= middle + more, f'{what} that stays flat, not {middle}, then {last} ({len(looks)} looks)')


def end_group(group):
    """Kills what is left of a call's processes; says whether there was any."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(group, signal.SIGKILL)
        return True
    return False


class Call:
    """One call: a command, its words and its place, all chosen by the seed and the call's number."""

    def __init__(self, box, places, number):
        self.box, self.number = box, number
        box.random = random.Random(f'{box.seed} {number}')
        self.command = box.random.choice(sorted(OPTIONS))
        self.place = box.random.choice(sorted(places))
        self.long = self.command in LONG and box.random.random() < LONG_SHARE * len(OPTIONS) / len(LONG)
        if self.command == 'encrypt' and 'corpus' not in CALLS:  # which makes the many files
            self.long = False
        self.directory = box.fresh(places[self.place], box.random.choice(['call', 'ein Aufruf mit ü']))
        self.words = [self.somehow(word) for word in self.choose_words()]

    def choose_words(self):
        chance, words = self.box.random, CALLS[self.command].split()
        if self.long:
            words = LONG[self.command].split()
        elif self.command == 'peers' and chance.random() < PEERS_SHARE:
            words = 'd --only c-write --size 1M --rounds 1'.split()
        elif self.command == 'encrypt':
            words[0] = chance.choice(['in', 'many'] if 'corpus' in CALLS else ['in'])
        fixed = NOT_IN_LONG | set(words) if self.long else {'--only'}
        for option in chance.sample(sorted(OPTIONS[self.command]), chance.randint(0, min(5, len(OPTIONS[self.command])))):
            kind, values = OPTIONS[self.command][option]
            if option in fixed or values is None or not values and kind != 'flag':
                continue
            value = chance.choice(values + MORE.get((self.command, option), [])) if values else None
            words = words_with(self.command, option, value, words)
        return words

    def somehow(self, word):
        return str(self.directory / word) if word in NAMES and self.box.random.random() < 0.3 else word

    def steps(self):
        """The commands to run in turn: what makes the input, if the call needs one, and the call."""
        if Path(self.words[0]).name == 'many':
            files = 3000 if self.long else self.box.random.choice([1, 7, 100])
            yield 'corpus', ['many', '--files', str(files), '--lines', '50', '--chars', '80', '--vary']
        yield self.command, self.words

    def value(self, option, default=None):
        return self.words[self.words.index(option) + 1] if option in self.words else default

    def run(self, command, words):
        """Runs a command here to its end, and looks at it meanwhile."""
        process = subprocess.Popen([self.box.program, command, *words], cwd=self.directory, stdin=subprocess.DEVNULL,
                                   env=self.box.environment(self.directory), stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                   text=True, errors='replace', start_new_session=True)
        began, looks, output = time.monotonic(), Looks(), None
        try:
            while output is None:
                try:
                    output = process.communicate(timeout=INTERVAL)
                except subprocess.TimeoutExpired:
                    looks.add(process.pid)
                    if stop.asked:
                        raise Stopped from None
                    if time.monotonic() > began + LONGEST_CALL:
                        break
        finally:
            stray = end_group(process.pid)
            process.wait()
        done = subprocess.CompletedProcess(process.args, process.returncode, *(output or ('', 'it ran for too long')))
        done.seconds, done.looks, done.left = time.monotonic() - began, looks, []
        done.call = (f'freshet {command} {shlex.join(words)}  # {self.place}; again: FRESHET_TEST_SEED={self.box.seed} '
                     f'{sys.argv[0]} {sys.argv[1]} 0 {self.number}')
        done.stray = stray and output is not None
        return done

    def result(self, done, option):
        """What the call wrote to the file that the option names, or to standard output, as with a flag."""
        name = '-' if OPTIONS[self.command][option][0] == 'flag' else self.value(option)
        return done.stdout if name == '-' else (self.directory / name).read_text(encoding='utf-8')

    def store(self):
        return self.directory / self.value('--store', 'home/freshet/trials.sqlite')


class Tally:
    """The table of what was done: a line per command, a column per place."""

    def __init__(self, places):
        self.places = list(places)
        self.lines = collections.defaultdict(collections.Counter)

    def add(self, call, done, refused, failed):
        line = self.lines[call.command]
        line.update({'calls': not refused, call.place: not refused, 'refused': refused, 'failed': failed, 'long': call.long})
        for name, value in (('seconds', done.seconds), ('MiB', done.looks.most('VmRSS') / 1024),
                            ('MiB data', done.looks.most('VmData') / 1024), ('fds', done.looks.most('descriptors'))):
            line[name] = max(line[name], value)

    def print(self):
        columns = ['calls', *self.places, 'long', 'refused', 'failed', 'seconds', 'MiB', 'MiB data', 'fds']
        most = {'seconds', 'MiB', 'MiB data', 'fds'}
        lines = dict(sorted(self.lines.items()))
        lines['all'] = {name: (max if name in most else sum)([line[name] for line in lines.values()] or [0])
                        for name in columns}
        print(f'{"command":10}' + ''.join(f'{name:>9}' for name in columns))
        for command, line in lines.items():
            print(f'{command:10}' + ''.join(f'{line[name]:9.0f}' for name in columns))
        print('seconds, resident MiB, MiB of data and descriptors are the largest of a call')


class Stop:
    """Remembers that a signal asked for the end: what is mounted is unmounted at a place that expects it."""
    asked = False

    def __call__(self, *_):
        self.asked = True


stop = Stop()


def run_call(box, places, number, tally):
    call, refused, failures = Call(box, places, number), False, box.failures
    try:
        for command, words in call.steps():
            done = call.run(command, words)
            if done.returncode != 0:
                break
        try:
            refused = check(call, done)
            if call.long:
                done.looks.require_flat()
        except UNSOUND as why:
            box.fail(done, why if isinstance(why, Wrong) else repr(why))
        tally.add(call, done, refused, box.failures - failures)
    finally:
        shutil.rmtree(call.directory, ignore_errors=True)


def main():
    seconds = float(sys.argv[2]) if len(sys.argv) > 2 else 60
    with Sandbox(sys.argv[1]) as box, contextlib.ExitStack() as opened:
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, stop)
        print(f'FRESHET_TEST_SEED={box.seed}', flush=True)
        places = open_places(box, opened)
        tally, end, number = Tally(places), time.monotonic() + seconds, 0
        with contextlib.suppress(Stopped):
            if len(sys.argv) > 3:
                run_call(box, places, int(sys.argv[3]), tally)
            while time.monotonic() < end and not stop.asked:
                run_call(box, places, number, tally)
                number += 1
        tally.print()
        if number == 0 and len(sys.argv) <= 3 and not stop.asked:
            sys.exit('there was no time for a call')
        box.finish()


if __name__ == '__main__':
    os.umask(0o022)
    main()
