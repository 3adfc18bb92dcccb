"""Every command of freshet, with every option: what the tests of options, signals, limits and faults go through.

A call is run in a scratch directory of its own that holds what the commands need:
  d/        an empty directory         in/     two files of three lines
  store     two stored runs of bench   file    does not exist
  key       32 bytes                   sealed  in/one, sealed with this key
  plan.toml a campaign of two steps    slow.toml  one whose step takes ten minutes
"""
import concurrent.futures
import itertools
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

LONGEST = 60  # seconds that a refused or failing call may take, on a machine that has other work

# The words of a call that works and is quick.
CALLS = {
    'tune': 'd --size 64K --time 2s --max-bytes 16M',
    'bench': 'd --size 64K --method buffered --rounds 1',
    'text': 'file --size 64K',
    'bytes': 'file --size 64K --ways fwrite,fread --rounds 1',
    'sustain': 'd --rate 100K --time 1s --size 64K',
    'peers': 'd --list',
    'corpus': 'out --files 2 --lines 3 --chars 10',
    'encrypt': 'in out',
    'sweep': 'd --corpora small-files --strategies streaming --threads 1 --work 0 --scale 0.001 --rounds 1',
    'history': '--store store',
    'compare': '1 2 --store store',
    'report': '--store store --out page.html',
    'methods': 'd',
    'doctor': 'd',
    'filesystems': 'd --list',
    'writetest': '--output-dir d --b 65536 --i 1 --stdio',
    'profile': 'd',
    'seal': 'in/one out --encrypt --key-file key',
    'unseal': 'sealed out --key-file key',
    'cat': 'sealed in/one --key-file key',
    'completion': 'bash',
    'help': 'tune',
    'campaign': 'plan.toml --store campaigns',
}

# The abilities of the laboratory, any of which a build may leave out.
ABILITIES = {'bytes', 'sustain', 'peers', 'corpus', 'encrypt', 'sweep', 'filesystems', 'writetest', 'campaign'}

# Commands whose call only lists what they could measure: there are no trials to store or export.
LISTING = {'peers', 'filesystems'}

# Values that no option of the kind takes, and some that each takes.
HUGE = '99999999999999999999999999'
BAD = {
    'size': ['', '0', '-1', '1X', 'K', '1.5.2', HUGE],
    'block': ['', '0', '-1', '1X', '5000', '2K', '128M', HUGE],
    'count': ['', '0', '-1', '1.5', 'x', HUGE],
    'number': ['', '-1', '1.5', 'x', HUGE],  # 0 has a meaning
    'duration': ['', '0', '0s', '-1s', '5y', 's', HUGE + 's'],
    'share': ['', '0', '-0.1', '1.1', 'x', 'nan'],
    'percent': ['', '-1%', 'x', '5%%'],
    'name': ['', 'nonsense', ',', '0', '\x01'],
    'time': ['', 'yesterday', '2020-13-45', '2020-02-30', '2020-01-01T25:00'],
    'run': ['', 'first', '0', '-1', 'last~', 'last~x', HUGE],
    'text': [''],
    'file': [''],
    'directory': [''],
    'flag': [],
}
STORE = {'--store': ('file', ['store']), '--no-store': ('flag', [])}
EXPORT = {'--export': ('export', ['csv out.csv', 'markdown out.md'])}
RECORDED = STORE | EXPORT | {'--json': ('file', ['out.json', '-'])}
SERIES = {'--seed': ('number', ['0', '7']), '--max-bytes': ('size', ['64M']), '--force': ('flag', [])}
SELECTED = {'--store': ('file', ['store']), '--command': ('text', ['bench']), '--since': ('time', ['2020-01-01']),
            '--directory': ('directory', ['/'])}
CLASSES = ['none', 'at_close', 'each_write']
MEMORY = {'--target': ('name', ['new', 'overwrite']), '--memory': ('name', ['rested', 'reused', 'left'])}

# Every option: its kind, and values that work. `freshet COMMAND --help` must list the same.
OPTIONS = {
    'tune': RECORDED | {
        '--size': ('size', ['64K', '65536']), '--time': ('duration', ['2s']), '--max-bytes': ('size', ['16M']),
        '--class': ('name', CLASSES + ['cold', 'warm', 'none,warm']), '--durability': ('name', CLASSES),
        '--workload': ('name', ['text', 'blocks']), '--system': ('flag', None), '--dry-run': ('flag', []),
        '--fio-job': ('file', ['out.fio', '-']), '--seed': ('number', ['0', '7']), '--matters': ('percent', ['0', '5%']),
        '--details': ('flag', []), '--compress': ('name', None), '--sample': ('file', None)},
    'bench': RECORDED | SERIES | MEMORY | {
        '--method': ('name', ['buffered', 'mmap,direct']), '--block': ('block', ['4K', '4K,64K']),
        '--depth': ('count', ['1', '1,2']), '--class': ('name', CLASSES + ['warm']),
        '--durability': ('name', CLASSES), '--size': ('size', ['4K', '64K']), '--workload': ('name', ['text', 'blocks']),
        '--jobs': ('count', ['1', '2']), '--reserve': ('flag', []), '--unordered': ('flag', []),
        '--access': ('name', ['sequential', 'once,random']), '--caching': ('name', ['automatic']), '--preset': ('name', None),
        '--size-ahead': ('flag', None), '--rounds': ('count', ['1', '2']),
        '--order': ('name', ['cycle', 'sequential', 'random']), '--against': ('text', None),
        '--program': ('text', ['date>{}']), '--reads': ('flag', None), '--check': ('text', None),
        '--timeout': ('duration', None), '--fail-if-worse': ('percent', None)},
    'text': RECORDED | {
        '--size': ('size', ['4K', '64K']), '--method': ('name', ['buffered', 'writebehind']), '--block': ('block', ['4K']),
        '--depth': ('count', ['2']), '--durability': ('name', CLASSES), '--no-cache': ('flag', None),
        '--write-through': ('flag', []), '--reserve': ('flag', []), '--sequential': ('flag', []), '--force': ('flag', []),
        '--repeat': ('count', ['2']), '--caching': ('name', ['automatic', 'keep', 'drop']), '--rate-limit': ('size', ['64M']),
        '--access': ('name', ['sequential', 'random', 'once']), '--compress': ('name', ['zstd', 'zstd:1']),
        '--key-file': ('file', ['key']), '--passphrase-file': ('file', None), '--checksum': ('name', ['xxh3']),
        '--atomic': ('flag', []), '--temporary': ('flag', None), '--delete-on-close': ('flag', [])},
    'bytes': RECORDED | SERIES | {
        '--size': ('size', ['4K']), '--ways': ('name', ['fwrite', 'getc,putc']), '--buffer': ('size', ['4K']),
        '--rounds': ('count', ['1']), '--keep': ('flag', [])},
    'sustain': RECORDED | {
        '--rate': ('size', ['100K', '50000']), '--time': ('duration', ['1s']), '--writers': ('count', ['1', '2']),
        '--size': ('size', ['64K']), '--method': ('name', ['buffered', 'auto']), '--block': ('block', ['4K']), '--depth': ('count', ['1']),
        '--durability': ('name', CLASSES), '--max-bytes': ('size', ['1G'])},
    'peers': RECORDED | SERIES | MEMORY | {
        '--only': ('name', ['c', 'freshet']), '--workload': ('name', ['text', 'bytes']), '--size': ('size', ['1M']),
        '--buffer': ('size', ['64K']), '--reserve': ('flag', []), '--write-through': ('flag', []),
        '--no-cache': ('flag', []), '--sequential': ('flag', []), '--rounds': ('count', ['1']),
        '--order': ('name', ['cycle', 'random']), '--peers': ('directory', []), '--time-limit': ('duration', ['1m']),
        '--list': ('flag', None)},
    'corpus': {
        '--files': ('count', ['1', '3']), '--lines': ('number', ['0', '1']), '--chars': ('number', ['0', '100']),
        '--vary': ('flag', []), '--seed': ('number', ['0', '7']), '--force': ('flag', []), '--json': ('file', ['-'])},
    'encrypt': RECORDED | {
        '--strategy': ('name', ['streaming', 'buffering', 'pipelined', 'async', 'auto']), '--threads': ('count', ['1', '2']),
        '--work': ('number', ['0', '3']), '--cipher': ('name', ['xor', 'aes']), '--decrypt': ('flag', None),
        '--resume': ('flag', None), '--verify': ('flag', []), '--force': ('flag', []), '--cold': ('flag', None),
        '--streams': ('name', ['std', 'freshet']), '--access': ('name', ['sequential', 'once']),
        '--buffer': ('block', ['4K', '64K']), '--caching': ('name', ['automatic', 'keep', 'drop'])},
    'sweep': RECORDED | SERIES | {
        '--strategies': ('name', ['buffering', 'streaming,auto']), '--threads': ('count', ['1', '1,2']),
        '--work': ('number', ['0', '0,1']), '--corpora': ('name', ['short-lines', 'mixed']),
        '--input': ('directory', None), '--output': ('directory', ['out']), '--cipher': ('name', ['xor', 'aes']),
        '--streams': ('name', ['std', 'freshet']), '--scale': ('share', ['0.001']), '--rounds': ('count', ['1']),
        '--buffer': ('block', ['4K', '4K,64K']), '--access': ('name', ['sequential']),
        '--time': ('duration', ['5s']), '--full': ('flag', None), '--cold': ('flag', None)},
    'history': SELECTED | EXPORT | {'--run': ('run', ['1', 'last', 'last~1']), '--json': ('file', ['out.json', '-'])},
    'compare': SELECTED | {
        '--run': ('run', []), '--metric': ('name', ['close', 'disk', 'cpu', 'ranking']),
        '--across': ('name', None), '--since': ('time', []),
        '--fail-if-worse': ('percent', ['5%', '400%']), '--json': ('file', ['out.json', '-'])},
    'report': SELECTED | {'--run': ('run', ['1', '1 2', 'last']), '--out': ('file', ['page.html', '-'])},
    'methods': {'--json': ('file', ['out.json', '-'])},
    'doctor': {
        '--details': ('flag', []), '--check': ('flag', None), '--proc-root': ('directory', ['/proc', 'd']),
        '--sys-root': ('directory', ['/sys', 'd']), '--json': ('file', ['out.json', '-'])},
    'filesystems': RECORDED | {
        '--for': ('name', ['large', 'small', 'durable']), '--time': ('duration', ['5s']), '--types': ('name', ['ext4', 'ext4,xfs']),
        '--methods': ('name', ['buffered', 'direct,uring']), '--volume': ('name', ['ext4', 'xfs']), '--preset': ('name', ['w4']),
        '--size': ('size', ['1M']), '--volume-size': ('size', ['1G']), '--max-bytes': ('size', ['64M']),
        '--raid': ('name', ['64Kx4']),
        '--device': ('file', ['/dev/null']), '--destroy': ('flag', None), '--list': ('flag', None), '--matters': ('percent', ['0', '5%']),
        '--details': ('flag', []), '--seed': ('number', ['0', '7'])},
    'writetest': RECORDED | SERIES | MEMORY | {
        '--output-dir': ('directory', ['d', 'new']), '--i': ('count', ['1']), '--mb': ('count', None),
        '--b': ('count', ['4096']), '--block': ('size', ['4K', '100000', 'whole']), '--version': ('flag', None)} | {
        f'--{method}': ('flag', []) for method in (
            'stdio aio genio adaptive buffered writebehind dontcache direct libaio uring uring-buffered mmap stdio-unlocked '
            'write aio-write ofstream ofstream-tuned fmt').split()},
    'profile': {'--json': ('file', ['out.json', '-']), '--path': ('flag', [])},
    'seal': {'--compress': ('name', ['zstd', 'zstd:1']), '--encrypt': ('flag', []), '--in-place': ('flag', []), '--key-file': ('file', ['key']), '--passphrase-file': ('file', None)},
    'unseal': {'--in-place': ('flag', []), '--partial': ('flag', []), '--key-file': ('file', ['key']), '--passphrase-file': ('file', None)},
    'cat': {'--key-file': ('file', ['key']), '--passphrase-file': ('file', None)},
    'completion': {},
    'help': {'--man': ('flag', [])},
    'campaign': {
        '--store': ('file', ['campaigns', 'store']), '--yes': ('flag', []), '--dry-run': ('flag', []),
        '--settle': ('duration', ['1s']), '--seed': ('number', ['0', '7']), '--id': ('count', None), '--step': ('count', None),
        '--unit-dir': ('directory', ['d']), '--reboot-command': ('text', ['true']), '--proc-root': ('directory', ['/proc']),
        '--boot': ('flag', None), '--json': ('file', ['out.json', '-'])},
}


def words_with(command, option, value, words=None):
    """The words of the command's call, or `words`, with the option given this value: None for a flag."""
    words = CALLS[command].split() if words is None else list(words)
    if option in words:
        at = words.index(option)
        del words[at:at + (1 if OPTIONS[command][option][0] == 'flag' else 2)]
    return words + [option] + ([] if value is None else value.split(' ') if value else [''])


def commands_of(program):
    """The commands that the program's help lists."""
    text = subprocess.run([program, 'help'], capture_output=True, text=True, check=True).stdout
    return set(re.findall(r'^  ([a-z]+)  ', text.split('Subcommands:')[1].split('Examples:')[0], re.M))


def leave_out_missing(program):
    """Takes the abilities that this build lacks out of the tables."""
    missing = sorted(ABILITIES - commands_of(program))
    for name in missing:
        for table in (CALLS, OPTIONS):
            table.pop(name, None)
        LISTING.discard(name)
    if missing:
        print(f'left out, as this build lacks them: {", ".join(missing)}')


class Sandbox:
    """Runs calls of `program`, each in a fresh directory, and keeps what the failed ones printed."""

    def __init__(self, program):
        self.program = os.path.abspath(program)
        leave_out_missing(self.program)
        self.sanitized = b'__asan_init' in Path(program).read_bytes()
        self.seed = int(os.environ.get('FRESHET_TEST_SEED', random.randrange(1 << 31)))
        self.random = random.Random(self.seed)
        self.complete = bool(os.environ.get('FRESHET_TEST_COMPLETE'))
        self.failures = 0
        self.calls = itertools.count()
        self.root = Path(tempfile.mkdtemp(prefix='freshet-machine.', dir=os.environ.get('FRESHET_TEST_DIR', '/var/tmp')))
        self.template = self.root / 'template'
        self.fill(self.template)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        shutil.rmtree(self.root, ignore_errors=True)

    def sample(self, items, count):
        items = list(items)
        return items if self.complete or len(items) <= count else self.random.sample(items, count)

    def fill(self, directory):
        for name in ('d', 'in', 'home'):
            (directory / name).mkdir(parents=True)
        for name in ('one', 'two'):
            (directory / 'in' / name).write_text('a line\nanother\nthe last\n')
        (directory / 'key').write_bytes(bytes(range(32)))
        (directory / 'key').chmod(0o600)
        plan = 'format = 1\nmatrix = {{ n = [1, 2] }}\n[[step]]\ncommand = "{} {{n}}"\n'
        (directory / 'plan.toml').write_text(plan.format('echo'))
        (directory / 'slow.toml').write_text(plan.format('sleep 600; echo'))
        self.start(directory, 'in/one sealed --encrypt --key-file key'.split(), 'seal').check_returncode()
        # Two runs with valid trials: where others write to the same disk, the first attempts may have none.
        for _ in range(20):
            (directory / 'store').unlink(missing_ok=True)
            for _ in range(2):
                done = self.start(directory, CALLS['bench'].split() + ['--store', 'store'], 'bench')
                if done.returncode != 0:
                    sys.exit(f'bench does not work here: {done.stderr}')
            done = self.start(directory, CALLS['compare'].split(), 'compare')
            if done.returncode == 0:
                break
        else:
            sys.exit(f'no two runs of bench can be compared here: {done.stderr}')
        shutil.rmtree(directory / 'home')
        (directory / 'home').mkdir()

    def environment(self, directory):
        home = str(directory / 'home')
        kept = {name: value for name, value in os.environ.items() if name in ('PATH', 'LD_LIBRARY_PATH', 'ASAN_OPTIONS')}
        # A directory for locks of its own: the calls beside it need not wait.
        return kept | {'HOME': home, 'TMPDIR': home, 'XDG_STATE_HOME': home, 'XDG_CONFIG_HOME': home, 'XDG_CACHE_HOME': home,
                       'LC_ALL': 'C', 'COLUMNS': '80'}

    def start(self, directory, words, command, before=(), limit=None, stdout=subprocess.PIPE, timeout=120):
        return subprocess.run([*before, self.program, command, *words], cwd=directory, env=self.environment(directory),
                              stdin=subprocess.DEVNULL, stdout=stdout, stderr=subprocess.PIPE, timeout=timeout,
                              preexec_fn=limit, text=True, errors='replace')

    def each(self, check, items):
        """Returns what `check` returns of each item. Several run at a time: most of a call's time is waiting."""
        with concurrent.futures.ThreadPoolExecutor(2 * os.cpu_count()) as pool:
            return list(pool.map(check, items))

    def fresh(self, below=None, name='call'):
        """A directory with what the commands need, below another one than the sandbox's if `below` is given."""
        directory = (below or self.root) / f'{name}-{next(self.calls)}'
        shutil.copytree(self.template, directory)
        return directory

    def run(self, command, words, **how):
        """Runs a call; returns what it did, with `.seconds`, `.left`: the names that it left behind, and `.content`: the
        bytes of its result files, unsealed."""
        directory = self.fresh()
        began = time.monotonic()
        try:
            done = self.start(directory, words, command, **how)
        except subprocess.TimeoutExpired as late:
            done = subprocess.CompletedProcess(late.cmd, 'timeout', '', 'it ran for too long')
        done.seconds = time.monotonic() - began
        done.left = sorted(str(path.relative_to(directory)) for path in directory.rglob('*')
                           if not (self.template / path.relative_to(directory)).exists() and 'home' not in path.parts)
        done.content = {name: (directory / name).read_bytes() for name in done.left
                        if name.split('/')[0] in ('file', 'out') and (directory / name).is_file() and '.freshet' not in name}
        if command == 'seal':  # never writes the same twice: what it sealed counts
            for name in done.content:
                done.content[name] = self.start(directory, ['out', *words[words.index('--key-file'):]], 'cat').stdout
        shutil.rmtree(directory, ignore_errors=True)
        done.call = f'freshet {command} {" ".join(repr(word) if not word.isprintable() or not word else word for word in words)}'
        return done

    def fail(self, done, wanted):
        self.failures += 1
        print(f'FAILED: {done.call}\n  wanted: {wanted}\n  exit code {done.returncode} after {done.seconds:.1f} s, '
              f'left: {done.left}\n  stderr: {done.stderr[:600]!r}', flush=True)

    def expect(self, done, holds, wanted):
        if not holds:
            self.fail(done, wanted)
        return holds

    def expect_plain_error(self, done, code):
        """One or two lines for a person, no temporary file left behind, soon."""
        lines = done.stderr.splitlines()
        riddles = re.search(r'std::|bad_alloc|terminate|what\(\)|CLI::|basic_string|[\x00-\x08\x0e-\x1a\x1c-\x1f]', done.stderr)
        return (self.expect(done, done.returncode == code, f'exit code {code}') and
                self.expect(done, 1 <= len(lines) <= 2, 'one or two lines on stderr') and
                self.expect(done, not riddles, f'plain words, not {riddles and riddles.group()!r}') and
                self.expect(done, not [name for name in done.left if re.search(r'\.freshet-\d', name)], 'nothing left behind') and
                self.expect(done, done.seconds < LONGEST, f'at most {LONGEST} s'))

    def finish(self):
        print(f'{next(self.calls)} calls, {self.failures} failed; FRESHET_TEST_SEED={self.seed}')
        sys.exit(1 if self.failures else 0)
