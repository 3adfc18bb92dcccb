#!/usr/bin/env python3
"""What was promised durable survives every power cut.

  tests/power_cuts/power_cuts_test.py WRITE_UNTIL_CUT

In a virtual machine, files are written by every method and durability class, trials are added to a store, and each promise is logged
on the disk itself, behind its file system. The disk keeps a log of its writes and flushes.
Resets: the machine is ended at a random moment, its disk loses a random part of what was not flushed, and the next machine boots
from it, checks all promises, and goes on.
States: the log of a machine is replayed to each flush, and to 20 random subsets of what was written between it and the next; the
host checks each. A disk that loses what was flushed must be found out.
Growth: the same for files of which nothing is durable, by buffered and adaptive in turns, while the kernel writes back soon, and while it
writes nothing back by itself. Adaptive ones
have zeros in place of bytes only if buffered ones have, and none before what was written past the page cache.
A part of that, chosen by FRESHET_TEST_SEED, unless FRESHET_TEST_COMPLETE=1.

Not covered: what Linux 6.1 lacks (RWF_DONTCACHE, cachestat), and writes with FUA, for which this disk is flushed instead.
"""
import contextlib
import os
import random
import shutil
import subprocess
import sys
import tempfile
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import guest
import write_log

MIB = 1 << 20
SIZES = {'ext4': 128 * MIB, 'xfs': 304 * MIB}  # mkfs.xfs makes none below 300 MiB
MKFS = {'ext4': ['-F', '-J', 'size=4'], 'xfs': ['-f']}
PROMISE_LOG = 4096  # bytes behind the file system where one program logs its promises
COMPLETE = bool(os.environ.get('FRESHET_TEST_COMPLETE'))
SEED = int(os.environ.get('FRESHET_TEST_SEED') or random.randrange(1 << 30))
RESETS = int(os.environ.get('FRESHET_POWER_RESETS') or (100 if COMPLETE else 5))
FILES = 24 if COMPLETE else 60  # written for the states
STATES = int(os.environ.get('FRESHET_POWER_STATES') or (0 if COMPLETE else 300))  # 0: all
SUBSETS = 20  # of what was written between two flushes
CONTROLS = 20
GROWING = 12 if COMPLETE else 6  # files, twice
GROWTH_STATES = 2000 if COMPLETE else 100
BOOT = 240  # seconds, with much other work on the machine

MOUNT = """
mount -t {kind} /dev/vda /mnt || poweroff -f
mkdir -p /mnt/files
write_until_cut check /mnt </promises && echo guest: kept
"""
WORK = MOUNT + """
write_until_cut log /dev/vda {files_log} forget
rm -rf /mnt/files/*
echo guest: begins
write_until_cut trials /mnt /dev/vda {trials_log} & trials=$!
write_until_cut write /mnt /dev/vda {files_log} {run} {files} && echo guest: wrote
kill $trials
"""
GROW = MOUNT + """
echo 10 >/proc/sys/vm/dirty_writeback_centisecs
echo 20 >/proc/sys/vm/dirty_expire_centisecs
echo 262144 >/proc/sys/vm/dirty_background_bytes
echo guest: begins
write_until_cut grow /mnt /dev/vda {files_log} 0 {files}
echo 0 >/proc/sys/vm/dirty_writeback_centisecs
echo 200000000 >/proc/sys/vm/dirty_background_bytes
write_until_cut grow /mnt /dev/vda {files_log} {files} {files} && echo guest: wrote
"""


def run(*words):
    return subprocess.run(words, check=True, capture_output=True, text=True).stdout


def sparse_copy(source, target):
    run('cp', '--sparse=always', source, target)


class Failed(Exception):
    pass


class Machine:
    """A file system on a disk, behind which promises are logged, and the guest that writes to it by `programs`.

    The first of these is write_until_cut.
    """

    def __init__(self, programs, kernel, kind, directory):
        self.programs, self.kernel, self.kind, self.directory = programs, kernel, kind, directory
        self.disk, self.log, self.promises_from = directory / 'disk', directory / 'log', SIZES[kind]
        self.disk.touch()
        os.truncate(self.disk, self.promises_from)
        run(f'mkfs.{kind}', '-q', *MKFS[kind], self.disk)
        os.truncate(self.disk, self.promises_from + 2 * PROMISE_LOG)

    def boot(self, script, promises, number, files=''):
        script = script.format(kind=self.kind, run=number, files=files,
                               files_log=self.promises_from, trials_log=self.promises_from + PROMISE_LOG)
        initial = guest.initial_files(self.kernel, script, programs=self.programs, modules=[*guest.DISK_MODULES, self.kind],
                                      files={'promises': '\n'.join([*promises, '']).encode()})
        return guest.Guest(self.kernel, initial, self.directory / f'said-{number}', self.disk, self.log)

    def promises(self, entry):
        """The promises in an entry of the log. The kernel may make one write of two programs' blocks."""
        if entry.offset < self.promises_from:
            return []
        return [line.decode() for line in bytes(entry.data).split(b'\0') if line]

    def mount(self, image, point, *options):
        """Where a sector was lost of ext4's superblock, or of the last block of its journal, the kernel leaves it to e2fsck.

        Returns whether it was repaired.
        """
        options = ['loop', *options, *(['nouuid'] if self.kind == 'xfs' else [])]
        call = ('mount', '-t', self.kind, '-o', ','.join(options), image, point)
        try:
            run(*call)
        except subprocess.CalledProcessError:
            if self.kind != 'ext4':
                raise
            subprocess.run(('e2fsck', '-fy', image), check=False, capture_output=True)  # fails also where it repaired
            run(*call)
            return True
        return False


class Resets:
    """One disk through a row of power cuts."""

    def __init__(self, machine, chooser):
        self.machine, self.chooser, self.promises = machine, chooser, []

    def cut(self, number):
        before = self.machine.directory / 'before'
        sparse_copy(self.machine.disk, before)
        with self.machine.boot(WORK, self.promises, number) as booted:
            if not booted.wait_for('guest: begins', BOOT) or 'guest: kept' not in booted.said():
                raise Failed(f'{self.machine.kind}, after {number - 1} cuts:\n{booted.said()}')
            with contextlib.suppress(subprocess.TimeoutExpired):
                booted.process.wait(self.chooser.uniform(0.1, 6))
        entries = write_log.read(self.machine.log)
        flushed = write_log.after_last_flush(entries)
        with before.open('r+b') as image:
            for entry in [*entries[:flushed], *write_log.lose_some(entries[flushed:], self.chooser)]:
                entry.apply(image)
        before.replace(self.machine.disk)
        self.repair_where_a_boot_would()
        promises = [line for entry in entries for line in self.machine.promises(entry)]
        self.promises += promises
        return len(promises), len(entries) - flushed

    def repair_where_a_boot_would(self):
        """A boot runs e2fsck, which the guest lacks, where a cut tore ext4's superblock or the commit block that ends its journal.

        Otherwise the disk stays as it is, and the guest replays the journal.
        """
        copy, point = self.machine.directory / 'copy', self.machine.directory / 'mounted'
        sparse_copy(self.machine.disk, copy)
        point.mkdir(exist_ok=True)
        repaired = self.machine.mount(copy, point)
        run('umount', point)
        if repaired:
            copy.replace(self.machine.disk)

    def run_all(self, count):
        promises, unflushed = zip(*[self.cut(number) for number in range(1, count + 1)])
        with self.machine.boot(MOUNT, self.promises, 'end') as booted:
            if not booted.wait_for('guest: kept', BOOT):
                raise Failed(f'{self.machine.kind}, after the last cut:\n{booted.said()}')
        return f'{count} resets, {sum(promises)} promises kept, {sum(unflushed)} writes not flushed'


class States:
    """All that a disk may hold when the power is cut, from the log of one machine that ran to its end."""

    work, files = WORK, FILES

    def __init__(self, machine, chooser):
        self.machine, self.chooser, self.entries, self.repaired = machine, chooser, [], []

    def record(self):
        base = self.machine.directory / 'base'
        sparse_copy(self.machine.disk, base)
        with self.machine.boot(self.work, [], SEED % 10_000, self.files) as booted:
            if not booted.wait_for('guest: ended', 4 * BOOT) or 'guest: wrote' not in booted.said():
                raise Failed(f'{self.machine.kind}: the guest did not write all:\n{booted.said()}')
        base.replace(self.machine.disk)
        self.entries = write_log.read(self.machine.log)
        self.machine.log.unlink()
        return [line for line in booted.said().splitlines() if line.startswith('method ')]

    def moments(self, count):
        """Pairs of a flush and how much of what follows it up to the next was written: at the flush itself nothing."""
        flushes = [i for i, entry in enumerate(self.entries) if entry.is_flush()]
        chosen = []
        for flush, following in zip(flushes, [*flushes[1:], len(self.entries)]):
            chosen.append((flush, flush + 1))
            if following - flush > 1:
                chosen += [(flush, self.chooser.randrange(flush + 2, following + 1)) for _ in range(SUBSETS)]
        return sorted(self.chooser.sample(chosen, count)) if 0 < count < len(chosen) else chosen

    def images(self, moments, flushed=lambda flush: flush):
        """Yields each state: its name, an image of its own, and the promises before it. `flushed`: what no cut takes."""
        promises, applied = [], 0
        for number, (flush, end) in enumerate(moments):
            with self.machine.disk.open('r+b') as image:
                for entry in self.entries[applied:flushed(flush) + 1]:
                    entry.apply(image)
                    promises += self.machine.promises(entry)
            applied = flushed(flush) + 1
            state = self.machine.directory / f'state-{number}'
            sparse_copy(self.machine.disk, state)
            with state.open('r+b') as image:
                for entry in write_log.lose_some(self.entries[applied:end], self.chooser):
                    entry.apply(image)
            added = [line for entry in self.entries[applied:end] for line in self.machine.promises(entry)]
            yield f'{self.machine.kind}, flush {flush}, entries to {end}', state, promises + added

    def check(self, name, state, promises):
        """What is not as promised, or nothing."""
        point = state.with_suffix('.mounted')
        point.mkdir()
        try:
            if self.machine.mount(state, point):
                self.repaired.append(name)
            try:
                done = subprocess.run([self.machine.programs[0], 'check', point], input='\n'.join([*promises, '']),
                                      capture_output=True, text=True, check=False)
            finally:
                run('umount', point)
            self.look_at(done.stdout)
            return f'{name}: {done.stdout}{done.stderr}' if done.returncode else ''
        except subprocess.CalledProcessError as why:
            return f'{name}: {why} {why.stderr}'
        finally:
            point.rmdir()
            state.unlink()

    def look_at(self, said):
        """For what else a state shows. Called by several threads."""

    def check_all(self, images):
        """How many states there were, the promises of the last, and what was broken."""
        count, kept, room, checks = 0, 0, threading.Semaphore(2 * os.cpu_count()), []
        with ThreadPoolExecutor(os.cpu_count()) as pool:
            for name, state, promises in images:
                room.acquire()
                checks.append(pool.submit(self.check, name, state, promises))
                checks[-1].add_done_callback(lambda _: room.release())
                count, kept = count + 1, len(promises)
        return count, kept, [each.result() for each in checks if each.result()]

    def run_all(self, count):
        methods = self.record()
        pristine = self.machine.directory / 'pristine'
        sparse_copy(self.machine.disk, pristine)
        count, kept, broken = self.check_all(self.images(self.moments(count)))
        if broken:
            raise Failed(f'{len(broken)} of {count} states:\n' + '\n'.join(broken[:20]))
        repaired = f', {len(self.repaired)} of them repaired by e2fsck' if self.repaired else ''
        # The same with a disk that ignores the second half of the flushes.
        pristine.replace(self.machine.disk)
        middle = len(self.entries) // 2
        moments = [each for each in self.moments(4 * CONTROLS) if each[0] > middle][-CONTROLS:]
        _, _, found = self.check_all(self.images(moments, lambda flush: min(flush, middle)))
        if not found:
            raise Failed(f'{self.machine.kind}: a disk that ignored flushes broke no promise in {len(moments)} states')
        flushes = sum(entry.is_flush() for entry in self.entries)
        return (f'{count} states{repaired} of {len(self.entries)} entries with {flushes} flushes, up to {kept} promises kept in each; '
                f'{len(found)} of {len(moments)} states found broken where flushes were ignored\n' + '\n'.join(methods))


class Growth(States):
    """The states of files of which nothing is durable."""

    work, files = GROW, GROWING

    def __init__(self, machine, chooser):
        super().__init__(machine, chooser)
        self.found = []  # (method, files, of them with zeros) of each state

    def look_at(self, said):
        for line in said.splitlines():
            if line.startswith('growing '):
                method, files, with_zeros = line.split()[1:]
                self.found.append((method, int(files), int(with_zeros)))

    def run_all(self, count):
        self.record()
        ordered = sum(line.startswith('ordered ') for entry in self.entries for line in self.machine.promises(entry))
        count, _, broken = self.check_all(self.images(self.moments(count)))
        if broken:
            raise Failed(f'{len(broken)} of {count} states of growing files:\n' + '\n'.join(broken[:20]))
        files = {method: sum(n for which, n, _ in self.found if which == method) for method in ('buffered', 'adaptive')}
        zeros = {method: sum(n for which, _, n in self.found if which == method) for method in files}
        summary = f'{count} states of growing files: ' + ', '.join(
            f'{zeros[method]} of {files[method]} {method} ones have zeros' for method in files) + f'; direct in {ordered} pieces'
        if not all(files.values()) or ordered == 0 or (zeros['adaptive'] and not zeros['buffered']):
            raise Failed(f'{self.machine.kind}: {summary}')
        return summary


def main(program):
    if os.geteuid() != 0:
        raise guest.NotHere('not root, who mounts what the cuts left')
    if not os.path.exists('/dev/loop-control') or subprocess.run(['unshare', '--mount', 'true'], check=False).returncode:
        raise guest.NotHere('nothing can be mounted in this container')
    if not os.environ.get('FRESHET_OWN_MOUNTS'):
        # Mounts of this process are gone when it ends, however it ends.
        os.environ['FRESHET_OWN_MOUNTS'] = '1'
        os.execvp('unshare', ['unshare', '--mount', '--propagation', 'private', *sys.argv])
    parts = ((Resets, RESETS), (States, STATES), (Growth, GROWTH_STATES))  # Part(machine, chooser).run_all(count) returns what it tried
    kernel = guest.find_kernel()
    print(f'FRESHET_TEST_SEED={SEED}, {kernel.image.name}', flush=True)

    def try_one(part, kind, count):
        directory = Path(below, f'{kind}-{part.__name__}')
        directory.mkdir()
        machine = Machine([Path(program).resolve()], kernel, kind, directory)
        summary = part(machine, random.Random(f'{SEED} {part.__name__} {kind}')).run_all(count)
        print(f'{kind}: {summary}', flush=True)
        shutil.rmtree(directory)

    kinds = list(SIZES)
    with tempfile.TemporaryDirectory(prefix='freshet-power.', dir=os.environ.get('FRESHET_TEST_DIR')) as below:
        with ThreadPoolExecutor(len(kinds)) as pool:  # a guest has one processor
            for part, count in parts:
                list(pool.map(lambda i: try_one(part, kinds[i], (count + i) // len(kinds)), range(len(kinds))))


if __name__ == '__main__':
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    try:
        main(sys.argv[1])
    except guest.NotHere as why:
        print(f'skipped: {why}')
        sys.exit(77)
    except Failed as why:
        sys.exit(str(why))
