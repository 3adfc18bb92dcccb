"""Every command of freshet, with every option that `freshet help --json` names: what the tests of options, signals, limits and
faults go through.

A call is run in a scratch directory of its own that holds what the commands need:
  d/        an empty directory         in/     two files of three lines
  store     two stored runs of bench   file    does not exist
  key       32 bytes                   sealed  in/one, sealed with this key
  plan.toml a campaign of two steps    slow.toml  one whose step takes ten minutes
"""
import concurrent.futures
import itertools
import json
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

# Values that no option of the kind takes.
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
    'export': ['', 'nonsense out', 'csv', 'csv '],
    'flag': [],
}
# The kind of an option, where its argument's name does not say it.
KINDS = {'SIZE': 'size', 'RATE': 'size', 'TIME': 'duration', 'PERCENTAGE': 'percent', 'DATE': 'time', 'SCALE': 'share',
         'N': 'number', 'NUMBER': 'number', 'PASSES': 'number', 'DEPTH': 'count', 'FILES': 'count', 'THREADS': 'count',
         'ROUNDS': 'count', 'MB': 'count', 'NAME': 'name', 'PRESET': 'name', 'GEOMETRY': 'name'}
KIND_OF = {'--export': 'export', '--run': 'run', '--b': 'count'} | dict.fromkeys(
    ('--jobs', '--rounds', '--repeat', '--writers', '--i', '--id', '--step'), 'count')
BLOCKS = {('text', '--block'), ('bench', '--block'), ('sustain', '--block'), ('encrypt', '--buffer'), ('sweep', '--buffer')}

# Values that work: of options that several commands have, and of those of one command. None: the option is not tried alone.
# A flag that is not named works, and so does no value of another option.
CLASSES = ['none', 'at_close', 'each_write']
USUAL_VALUES = {
    '--store': ['store'], '--export': ['csv out.csv', 'markdown out.md'], '--json': ['out.json', '-'], '--seed': ['0', '7'],
    '--max-bytes': ['64M'], '--command': ['bench'], '--since': ['2020-01-01'], '--directory': ['/'],
    '--target': ['new', 'overwrite'], '--memory': ['rested', 'reused', 'left'], '--rounds': ['1'], '--durability': CLASSES,
    '--key-file': ['key'], '--passphrase-file': None, '--cold': None, '--cipher': ['xor', 'aes'], '--streams': ['std', 'freshet'],
    '--matters': ['0', '5%'],
}
VALUES = {
    'tune': {
        '--size': ['64K', '65536'], '--time': ['2s'], '--max-bytes': ['16M'],
        '--class': CLASSES + ['cold', 'warm', 'none,warm'], '--workload': ['text', 'blocks'],
        '--system': None, '--fio-job': ['out.fio', '-'], '--compress': None, '--sample': None},
    'bench': {
        '--method': ['buffered', 'mmap,direct'], '--block': ['4K', '4K,64K'], '--depth': ['1', '1,2'],
        '--class': CLASSES + ['warm'], '--size': ['4K', '64K'], '--workload': ['text', 'blocks'],
        '--jobs': ['1', '2'], '--access': ['sequential', 'once,random'], '--caching': ['automatic'], '--prior': ['none', 'none,process'],
        '--preset': None,
        '--size-ahead': None, '--rounds': ['1', '2'], '--order': ['cycle', 'sequential', 'random'], '--against': None,
        '--program': ['date>{}'], '--reads': None, '--check': None, '--timeout': None, '--fail-if-worse': None},
    'text': {
        '--size': ['4K', '64K'], '--method': ['buffered', 'writebehind'], '--block': ['4K'], '--depth': ['2'],
        '--no-cache': None, '--repeat': ['2'], '--caching': ['automatic', 'keep', 'drop'], '--rate-limit': ['64M'],
        '--access': ['sequential', 'random', 'once'], '--compress': ['zstd', 'zstd:1'], '--checksum': ['xxh3'],
        '--temporary': None},
    'bytes': {
        '--size': ['4K'], '--ways': ['fwrite', 'getc,putc'], '--buffer': ['4K']},
    'sustain': {
        '--rate': ['100K', '50000'], '--time': ['1s'], '--writers': ['1', '2'], '--size': ['64K'],
        '--method': ['buffered', 'auto'], '--block': ['4K'], '--depth': ['1'], '--max-bytes': ['1G']},
    'peers': {
        '--only': ['c', 'freshet'], '--workload': ['text', 'bytes'], '--size': ['1M'], '--buffer': ['64K'],
        '--order': ['cycle', 'random'], '--time-limit': ['1m'], '--list': None},
    'corpus': {
        '--files': ['1', '3'], '--lines': ['0', '1'], '--chars': ['0', '100'], '--json': ['-']},
    'encrypt': {
        '--strategy': ['streaming', 'buffering', 'pipelined', 'async', 'auto'], '--threads': ['1', '2'],
        '--work': ['0', '3'], '--decrypt': None, '--resume': None, '--access': ['sequential', 'once'],
        '--buffer': ['4K', '64K'], '--caching': ['automatic', 'keep', 'drop']},
    'sweep': {
        '--strategies': ['buffering', 'streaming,auto'], '--threads': ['1', '1,2'], '--work': ['0', '0,1'],
        '--corpora': ['short-lines', 'mixed'], '--input': None, '--output': ['out'], '--scale': ['0.001'],
        '--buffer': ['4K', '4K,64K'], '--access': ['sequential'], '--time': ['5s'], '--full': None},
    'history': {
        '--run': ['1', 'last', 'last~1']},
    'compare': {
        '--since': [], '--metric': ['close', 'disk', 'cpu', 'ranking'], '--across': None, '--fail-if-worse': ['5%', '400%']},
    'report': {
        '--run': ['1', '1 2', 'last'], '--out': ['page.html', '-']},
    'doctor': {
        '--check': None, '--proc-root': ['/proc', 'd'], '--sys-root': ['/sys', 'd']},
    'filesystems': {
        '--for': ['large', 'small', 'durable'], '--time': ['5s'], '--types': ['ext4', 'ext4,xfs'],
        '--methods': ['buffered', 'direct,uring'], '--volume': ['ext4', 'xfs'], '--preset': ['w4'], '--size': ['1M'],
        '--volume-size': ['1G'], '--raid': ['64Kx4'], '--device': ['/dev/null'], '--destroy': None, '--list': None},
    'writetest': {
        '--output-dir': ['d', 'new'], '--i': ['1'], '--mb': None, '--b': ['4096'], '--block': ['4K', '100000', 'whole'],
        '--version': None},
    'seal': {
        '--compress': ['zstd', 'zstd:1']},
    'campaign': {
        '--store': ['campaigns', 'store'], '--settle': ['1s'], '--id': None, '--step': None, '--unit-dir': ['d'],
        '--reboot-command': ['true'], '--proc-root': ['/proc'], '--boot': None},
}

# Every option of every command: its kind, and values that work. Filled by learn().
OPTIONS = {}


def words_with(command, option, value, words=None):
    """The words of the command's call, or `words`, with the option given this value: None for a flag."""
    words = CALLS[command].split() if words is None else list(words)
    if option in words:
        at = words.index(option)
        del words[at:at + (1 if OPTIONS[command][option][0] == 'flag' else 2)]
    return words + [option] + ([] if value is None else value.split(' ') if value else [''])


def kind_of(command, name, option):
    """Which of BAD's values the option refuses."""
    if option['argument'] is None:
        return 'flag'
    if (command, name) in BLOCKS:
        return 'block'
    return KIND_OF.get(name) or ('name' if option['words'] else KINDS.get(option['argument'].removesuffix(',...'), 'text'))


def learn(program):
    """Fills OPTIONS with what the program says of its commands, and takes the abilities that this build lacks out of the tables."""
    usage = subprocess.run([program, 'help', '--json'], capture_output=True, text=True, check=True).stdout
    for command in json.loads(usage)['commands']:
        options = OPTIONS.setdefault(command['name'], {})
        usual = USUAL_VALUES | VALUES.get(command['name'], {})
        for option in command['options']:
            for name in set(option['names']) - {'--help'}:
                if name.startswith('--'):
                    kind = kind_of(command['name'], name, option)
                    values = usual.get(name, [])
                    options[name] = kind, values if kind != 'flag' or values is None else []
    missing = sorted(ABILITIES - set(OPTIONS))
    for name in missing:
        del CALLS[name]
        LISTING.discard(name)
    if missing:
        print(f'left out, as this build lacks them: {", ".join(missing)}')
    unknown = sorted(f'{command} {name}' for command in VALUES if command in OPTIONS for name in VALUES[command] if name not in OPTIONS[command])
    if unknown or set(CALLS) != set(OPTIONS):
        sys.exit(f'the tables name options that there are not: {unknown}, or lack commands: {sorted(set(CALLS) ^ set(OPTIONS))}')


class Sandbox:
    """Runs calls of `program`, each in a fresh directory, and keeps what the failed ones printed."""

    def __init__(self, program):
        self.program = os.path.abspath(program)
        learn(self.program)
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
