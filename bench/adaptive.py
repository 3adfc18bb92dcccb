#!/usr/bin/env python3
"""How close does a program without a profile come to the best fixed method? Prints a table in Markdown.

Usage: adaptive.py PROGRAM DIR --cells CELL,… [--peers OWN=PATH,OTHER=PATH,…] [--rounds N] [--results FILE] [--seed N]

PROGRAM is bench_write_files, which writes W1's text. A cell is STATE:FILES[:SURROUNDINGS][:DURABILITY], such as left:1024,
rest:64:at_close or ordinary:1024:writer.
- STATE of the memory as in memory_states.py: left, rest, freed, ordinary, fallen.
- FILES: MIB, MIB@THREADS or MIB*PROCESSES: "1024" is one file of 1 GiB, "256@8" are eight threads with one of 256 MiB each, "256*2"
  two processes.
- SURROUNDINGS: writer, beside a process that writes 30 MiB with fsync again and again, at 150 MB/s; cgroup, with 256 MiB of memory;
  overlay, on overlayfs over DIR; slow, on ext4 on a loop device of which the kernel takes 150 MB/s; slow_cache, the same below a page
  cache of about 0.8 GB/s, as strace delays each call that writes; halved and doubled, as slow, with 1,200 MB/s until half of the bytes
  are written and 600 from then on, and the other way round. All but the first take root.

Each trial is a process of its own. In each cell, the library's own choice takes turns with the best of `buffered`, `uring`, `direct` and
`dontcache`, beside a control, as turns.py says; a cell whose control is off is marked "!" and not judged.

With --peers, programs as peer/README.md describes them write the same text instead: OWN takes the place of the library's own choice, and
the others that of the methods. Their cells have one file in no surroundings.

Beside the rates: CPU seconds, extents, and the seconds to read the file back at once and after it was dropped from the page cache, by the
library's own choice / the reference. Results are appended to FILE as JSON; cells that it has are printed, not measured again. Files are
made in DIR/adaptive.* and removed.
"""
import argparse
import contextlib
import json
import os
import random
import re
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from memory_states import bring_about, memory_in
from turns import HEADINGS, columns_of, is_off, print_head, ratio_of, row_of, take_turns

METHODS = ['buffered', 'uring', 'direct', 'dontcache']
LIMITED_MEMORY = 256 << 20
DEVICE_RATES = {'slow': (150, 150), 'slow_cache': (150, 150), 'halved': (1200, 600), 'doubled': (600, 1200)}  # MB/s of the first and the second half
# A page cache of 0.8 GB/s: microseconds by which a call is delayed, of 256 KiB by pwrite and of 1 MiB by pwritev2 (`dontcache`). What is
# written past it, 4 MiB a call, is hardly slower for that.
DELAYS = {'pwrite64': 130, 'pwritev2': 650}
SLOW_CALLS = ['strace', '-D', '-f', '-qq', '--seccomp-bpf', '-o', '/dev/null', '-e', 'trace=' + ','.join(DELAYS),
              *(word for call, delay in DELAYS.items() for word in ('-e', f'inject={call}:delay_enter={delay}'))]
CGROUPS = Path('/sys/fs/cgroup')
PIECE = 1 << 20
COUNTED = {'cpu': 'CPU s', 'extents': 'extents', 'reread': 'read back s', 'reread_cold': 'cold s'}


class Cell:
    def __init__(self, text: str):
        self.name = text
        self.state, files, *more = text.split(':')
        match = re.fullmatch(r'(\d+)(?:@(\d+))?(?:\*(\d+))?', files)
        if match is None:
            sys.exit(f'adaptive.py: {text}: these files are not understood')
        self.mib = int(match[1])
        self.threads = int(match[2] or 1)
        self.processes = int(match[3] or 1)
        self.durability = next((word for word in more if word in ('none', 'at_close', 'each_write')), 'none')
        self.surroundings = next((word for word in more if word in ('writer', 'cgroup', 'overlay', *DEVICE_RATES)), '')

    def all_bytes(self) -> int:
        return (self.mib * self.threads * self.processes) << 20


def write_in_pieces(directory: str) -> None:
    """Writes 30 MiB with fsync again and again, at 150 MB/s, until its input ends."""
    path = os.path.join(directory, f'beside.{os.getpid()}')
    data = bytes(PIECE)
    os.set_blocking(0, False)
    try:
        while sys.stdin.buffer.raw.read(1) is None:
            begin = time.monotonic()
            with open(path, 'wb', buffering=0) as file:
                for _ in range(30):
                    file.write(data)
                os.fsync(file.fileno())
            time.sleep(max(0, begin + 30 * PIECE / 150e6 - time.monotonic()))
    finally:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(path)


@contextlib.contextmanager
def busy_writer(directory: Path):
    with subprocess.Popen([sys.executable, __file__, '--write-beside', str(directory)], stdin=subprocess.PIPE) as process:
        try:
            yield
        finally:
            process.stdin.close()


@contextlib.contextmanager
def limited_group(controller: str, limit: str, limit_of_v1: str, value: str):
    """A cgroup with a limit, by either version of cgroups; yields its directory."""
    by_controller = CGROUPS / controller
    group = (by_controller if by_controller.exists() else CGROUPS) / f'freshet-adaptive-{os.getpid()}'
    group.mkdir()
    try:
        (group / (limit_of_v1 if by_controller.exists() else limit)).write_text(value, encoding='ascii')
        yield group
    finally:
        group.rmdir()


@contextlib.contextmanager
def limited_device(device: str):
    """Yields a function that has the kernel take so many MB/s of a device, and the cgroup that this holds for; None: for all."""
    for_all = CGROUPS / 'blkio/blkio.throttle.write_bps_device'
    if for_all.exists():
        try:
            yield lambda rate: for_all.write_text(f'{device} {rate * 1_000_000}', encoding='ascii'), None
        finally:
            for_all.write_text(f'{device} 0', encoding='ascii')
        return
    with limited_group('io', 'io.max', '', f'{device} wbps=max') as group:
        yield lambda rate: (group / 'io.max').write_text(f'{device} wbps={rate * 1_000_000}', encoding='ascii'), group


def unmount(place: Path) -> None:
    """The kernel holds files for a moment after a process was killed that wrote them by io_uring."""
    tries = 100
    while subprocess.run(['umount', place], stderr=subprocess.DEVNULL if tries else None, check=not tries).returncode != 0:
        time.sleep(0.1)
        tries -= 1


@contextlib.contextmanager
def loop_device(directory: Path, size: int):
    """Mounts a new ext4 on a loop device; yields where, and the device's numbers."""
    image = directory / 'image'
    with open(image, 'xb') as file:
        file.truncate(size)
    try:
        subprocess.run(['mkfs.ext4', '-q', image], check=True)
        device = subprocess.run(['losetup', '--direct-io=on', '--find', '--show', image], stdout=subprocess.PIPE, text=True, check=True).stdout.strip()
        mounted = directory / 'mounted'
        mounted.mkdir()
        try:
            subprocess.run(['mount', device, mounted], check=True)
            try:
                numbers = os.stat(device).st_rdev
                yield mounted, f'{os.major(numbers)}:{os.minor(numbers)}'
            finally:
                unmount(mounted)
        finally:
            mounted.rmdir()
            subprocess.run(['losetup', '--detach', device], check=True)
    finally:
        image.unlink()


@contextlib.contextmanager
def overlay_over(directory: Path):
    """Mounts an overlay whose upper layer is in `directory`; yields where."""
    parts = {name: directory / name for name in ('lower', 'upper', 'work', 'merged')}
    for each in parts.values():
        each.mkdir()
    layers = f'lowerdir={parts["lower"]},upperdir={parts["upper"]},workdir={parts["work"]}'
    subprocess.run(['mount', '-t', 'overlay', '-o', layers, 'overlay', parts['merged']], check=True)
    try:
        yield parts['merged']
    finally:
        unmount(parts['merged'])
        for each in parts.values():
            shutil.rmtree(each)


@contextlib.contextmanager
def ended(process: subprocess.Popen):
    """A process and those of its group, which have ended afterwards: what still writes keeps its file system mounted."""
    try:
        yield process
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()


class Trials:
    """Runs the trials of one cell."""

    def __init__(self, program: str, place: Path, cell: Cell, group):
        self.program = program
        self.place = place
        self.cell = cell
        self.group = group
        self.limit_device = None
        self.env = dict(os.environ, FRESHET_PROFILE='none')

    def start(self, number: int, method: str):
        cell = self.cell
        call = [self.program, str(self.place / f'file{number}'), str(cell.mib), method, '1', str(cell.threads), cell.durability]
        if cell.surroundings == 'slow_cache':
            call = [*SLOW_CALLS, *call]
        if self.group is not None:
            call = ['sh', '-c', f'echo $$ > {self.group}/cgroup.procs && exec "$@"', 'sh', *call]
        return subprocess.Popen(call, env=self.env, stdout=subprocess.PIPE, text=True, process_group=0)

    def wait_for_half(self, running: list) -> None:
        while any(each.poll() is None for each in running):
            if 2 * sum(each.stat().st_size for each in self.place.glob('file*')) >= self.cell.all_bytes():
                return
            time.sleep(0.002)

    def run(self, method: str):
        """Returns what one trial showed; None if the method does not work here."""
        bring_about(self.cell.state, str(self.place))
        if self.limit_device is not None:
            self.limit_device(DEVICE_RATES[self.cell.surroundings][0])
        begin = time.monotonic()
        with contextlib.ExitStack() as stack:
            running = [stack.enter_context(ended(self.start(number, method))) for number in range(self.cell.processes)]
            if self.limit_device is not None:
                self.wait_for_half(running)
                self.limit_device(DEVICE_RATES[self.cell.surroundings][1])
            said = [each.communicate()[0] for each in running]
        if any(each.returncode != 0 for each in running):
            return None
        told = [json.loads(each) for each in said]
        seconds = told[0]['seconds'] if len(told) == 1 else time.monotonic() - begin
        return {'seconds': seconds, 'cpu': sum(each['cpu'] for each in told), 'log': told[0]['files'][0]['log'],
                **evidence_of(sorted(self.place.glob('file*')))}


class PeerTrials(Trials):
    """The same by programs of their own, called by the names that `peers` gives them."""

    def __init__(self, peers: dict, place: Path, cell: Cell):
        super().__init__('', place, cell, None)
        self.peers = peers

    def run(self, method: str):
        bring_about(self.cell.state, str(self.place))
        file = self.place / 'file'
        call = [self.peers[method], '--workload', 'text', '--file', file, '--size', str(self.cell.all_bytes())]
        with subprocess.Popen(call, env=self.env, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as running:
            running.stdout.readline()  # "ready"
            begin = time.monotonic()
            print(file=running.stdin, flush=True)
            log = running.stdout.readline()
            seconds = time.monotonic() - begin
            running.stdin.close()
            _, status, used = os.wait4(running.pid, 0)
            running.returncode = os.waitstatus_to_exitcode(status)
        if running.returncode != 0:
            return None
        return {'seconds': seconds, 'cpu': used.ru_utime + used.ru_stime, 'log': log, **evidence_of([file])}


def evidence_of(files: list) -> dict:
    """What the files show; removes them."""
    evidence = {'reread': read_back(files), 'extents': count_extents(files)}
    for each in files:
        drop_pages(each)
    evidence['reread_cold'] = read_back(files)
    for each in files:
        each.unlink()
    return evidence


def read_back(files: list) -> float:
    begin = time.monotonic()
    buffer = bytearray(PIECE)
    for each in files:
        with open(each, 'rb', buffering=0) as file:
            while file.readinto(buffer):
                pass
    return time.monotonic() - begin


def drop_pages(path: Path) -> None:
    with open(path, 'rb') as file:
        os.fsync(file.fileno())
        os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)


def count_extents(files: list) -> int:
    """Also writes what is still in the page cache, which has no extents yet; -1 where the file system does not tell."""
    told = subprocess.run(['filefrag', '-s', *files], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=False).stdout
    counts = re.findall(r': (\d+) extents? found', told)
    return sum(map(int, counts)) if len(counts) == len(files) else -1


def measure(program: str, peers: dict, place: Path, cell: Cell, rounds: int, generator: random.Random) -> dict:
    with contextlib.ExitStack() as stack:
        stack.enter_context(memory_in(cell.state))
        group = limit_device = None
        if cell.surroundings == 'cgroup':
            group = stack.enter_context(limited_group('memory', 'memory.max', 'memory.limit_in_bytes', str(LIMITED_MEMORY)))
        if cell.surroundings in DEVICE_RATES:
            place, device = stack.enter_context(loop_device(place, 2 * cell.all_bytes() + (256 << 20)))
            limit_device, group = stack.enter_context(limited_device(device))
        if cell.surroundings == 'writer':
            stack.enter_context(busy_writer(place))
        if cell.surroundings == 'overlay':
            place = stack.enter_context(overlay_over(place))
        own, *others = list(peers) or ['auto', *METHODS]
        trials = PeerTrials(peers, place, cell) if peers else Trials(program, place, cell, group)
        trials.limit_device = limit_device
        return {'cell': cell.name, **take_turns(trials.run, own, others, cell.all_bytes(), rounds, generator)}


def line_of(result: dict) -> str:
    def both(name: str) -> str:
        own = statistics.median(trial[name] for trial in result['auto'])
        theirs = statistics.median(trial[name] for each in ('one', 'other') for trial in result[each])
        return f'{own:.4g} / {theirs:.4g}'

    return row_of([result['cell'], *columns_of(result), *map(both, COUNTED)])


def known_results(path) -> dict:
    if path is None or not path.exists():
        return {}
    with open(path, encoding='utf-8') as lines:
        return {result['cell']: result for result in map(json.loads, lines)}


def main() -> None:
    if sys.argv[1:2] == ['--write-beside']:
        write_in_pieces(sys.argv[2])
        return
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('program')
    parser.add_argument('directory', type=Path)
    parser.add_argument('--cells', required=True)
    parser.add_argument('--peers', default='')
    parser.add_argument('--rounds', type=int, default=9)
    parser.add_argument('--results', type=Path)
    parser.add_argument('--seed', type=int, default=random.randrange(100_000))
    options = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit('adaptive.py: ended'))  # what was mounted is unmounted
    print(f'the same order again: --seed {options.seed}\n')
    generator = random.Random(options.seed)
    known = known_results(options.results)
    peers = dict(each.split('=', 1) for each in options.peers.split(',') if each)
    print_head(['cell', *HEADINGS, *COUNTED.values()])
    ratios = []
    place = Path(tempfile.mkdtemp(prefix='adaptive.', dir=options.directory))
    try:
        for cell in map(Cell, options.cells.split(',')):
            result = known.get(cell.name) or measure(str(Path(options.program).resolve()), peers, place, cell, options.rounds, generator)
            if options.results and cell.name not in known:
                with open(options.results, 'a', encoding='utf-8') as file:
                    file.write(json.dumps(result) + '\n')
            print(line_of(result), flush=True)
            if not is_off(result):
                ratios.append(ratio_of(result))
    finally:
        shutil.rmtree(place)
    if ratios:
        print(f'\nmean of {len(ratios)} medians: {statistics.mean(ratios):.2f}')


if __name__ == '__main__':
    main()
