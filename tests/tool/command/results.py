"""Whether a call of freshet did what its words ask for: its files, figures, stored trials and exit code.

A call (random_commands_test.py) has .command, .words, .directory and .number.
"""
import contextlib
import csv
import filecmp
import hashlib
import io
import json
import random
import re
import sqlite3
from pathlib import Path

from commands import LISTING, OPTIONS

# Options that exclude each other, of which --class and --durability are one.
REFUSED = re.compile(r'excludes|requires|goes to standard output already|has no trials to export|is given more than once|'
                     r'has blocks of its own|needs --streams freshet')
UNUSABLE = re.compile(r'Operation not supported|valid trial|freshet peers: not measured|more than --max-bytes allows')
# Words of calls that are names of files: relative or absolute, which must make no difference.
NAMES = {'d', 'in', 'many', 'out', 'file', 'store', 'out.json', 'out.csv', 'out.md', 'out.fio', 'page.html'}
RESULTS = NAMES | {'again', 'new', 'store-journal', 'store.campaign', 'campaigns', 'campaigns-journal', 'campaigns.campaign',
                   'plan.toml', 'slow.toml', 'key', 'sealed'}
UNMEASURED = LISTING | {'compare', 'campaign'}  # the steps of the campaign only print
WITHOUT_VERSION = {'methods', 'profile'}  # a list of methods; the profile as it is


class Wrong(Exception):
    """A result is not as it should be."""


# What reading a result that is wrong may raise.
UNSOUND = (Wrong, OSError, LookupError, TypeError, ValueError, csv.Error, sqlite3.Error)


def require(holds, wanted):
    if not holds:
        raise Wrong(wanted)


def size_of(text):
    return int(text.rstrip('KM')) << {'K': 10, 'M': 20}.get(text[-1], 0)


def query(store, question, *values):
    with contextlib.closing(sqlite3.connect(f'{store.as_uri()}?mode=ro', uri=True)) as database:
        return database.execute(question, values).fetchall()


def check_stores(call):
    for store in (call.directory / 'store', call.directory / 'home/freshet/trials.sqlite'):
        if store.exists():
            require(query(store, 'pragma integrity_check') == [('ok',)], f'a whole {store}')
            require(not query(store, 'pragma foreign_key_check'), f'a {store} whose rows belong together')


def check_left(call, done):
    """Only what the call was asked for may be new."""
    left = [path for path in call.directory.rglob('*') if 'home' not in path.relative_to(call.directory).parts]
    done.left = [str(path.relative_to(call.directory)) for path in left
                 if path.parent == call.directory and path.name not in RESULTS | {'home'} or
                 path.name.startswith('.freshet') and path.name != '.freshet-encrypt.json' or
                 path.parent == call.directory / 'd' or path.parent == call.directory / 'new']
    if call.command == 'bytes' and '--keep' not in call.words and (call.directory / 'file').exists():
        done.left.append('file')
    require(not done.left, 'nothing left behind')
    require(not done.stray, 'no process left behind')


def trials_of(result):
    """How many trials a JSON has; one where the whole of it is one trial."""
    of_programs = 2 * len(result.get('programs', []))  # of `tune`: the first file and a later one of each
    return sum(len(result[key]) for key in ('memory', 'warm_up', 'trials') if isinstance(result.get(key), list)) + of_programs or 1


def check_json(call, done):
    if '--json' not in call.words:
        return
    result = json.loads(call.result(done, '--json'))
    require(call.command in WITHOUT_VERSION or result['freshet'], 'JSON with the version')
    if call.command == 'history':
        # A filter keeps all of the store's runs: they are of bench, below /, and of today.
        runs = 1 if '--run' in call.words else query(call.store(), 'select count(*) from runs')[0][0]
        require(len(result['runs']) == runs, f'{runs} runs')
    elif '--store' in OPTIONS[call.command] and call.command not in UNMEASURED and '--no-store' not in call.words:
        stored = query(call.store(), 'select count(*) from trials where run = (select max(id) from runs)')[0][0]
        require(stored == trials_of(result), f'{trials_of(result)} trials in the store, not {stored}')


def check_export(call, done):
    if '--export' not in call.words:
        return
    kind, name = call.words[call.words.index('--export') + 1:][:2]
    text = done.stdout if name == '-' else (call.directory / name).read_bytes().decode()
    if kind == 'markdown':
        require('|' in text, 'a table')
        return
    rows = list(csv.DictReader(io.StringIO(text, newline=''), strict=True))
    require(rows and len({row['run'] for row in rows}) == 1 and None not in rows[0], 'rows of one run')
    if '--no-store' not in call.words:
        stored = query(call.store(), 'select count(*) from trials where run = ?', rows[0]['run'])[0][0]
        require(len(rows) == stored, f'{stored} rows, not {len(rows)}')
    if '--json' in call.words and call.command != 'history':
        trials = trials_of(json.loads(call.result(done, '--json')))
        require(len(rows) == trials, f'{trials} rows, not {len(rows)}')


def written_text(call):
    """What the file holds, for whoever has the key."""
    if not {'--compress', '--key-file'} & set(call.words):
        return (call.directory / 'file').read_bytes()
    plain = call.run('cat', ['file', *(['--key-file', 'key'] if '--key-file' in call.words else [])])
    require(plain.returncode == 0, f'a file that can be read again: {plain.call}: {plain.stderr}')
    return plain.stdout.encode()


def check_text(call, _done):
    if '--delete-on-close' in call.words:
        require(not (call.directory / 'file').exists(), 'no file after it was closed')
        return
    size, content = size_of(call.value('--size')), written_text(call)
    require(0 <= size - len(content) < 100 and content.endswith(b'\n'), f'whole lines of {size} bytes, not {len(content)}')
    # The same size is the same text, by whatever method.
    known = texts.setdefault(size, hashlib.sha256(content).digest())
    require(hashlib.sha256(content).digest() == known, f'the text of {size} bytes that other methods write')


def check_bytes(call, _done):
    if '--keep' in call.words:
        size = (call.directory / 'file').stat().st_size
        require(size == size_of(call.value('--size')), f'a file of {call.value("--size")} bytes, not {size}')


def check_corpus(call, done):
    files = sorted((call.directory / 'out').iterdir())
    require(len(files) == int(call.value('--files')), f'{call.value("--files")} files')
    total = sum(file.stat().st_size for file in files)
    if '--vary' not in call.words:
        lines, chars = int(call.value('--lines')), int(call.value('--chars'))
        require(total == len(files) * lines * (chars + 1), f'{lines} lines of {chars} characters in each file')
        counts = {file.read_bytes().count(b'\n') for file in random.Random(call.number).sample(files, min(20, len(files)))}
        require(counts == {lines}, f'{lines} lines, not {counts}')
    if '--json' in call.words:
        require(json.loads(done.stdout)['bytes'] == total, f'{total} bytes in the figures')


def check_encrypt(call, done):
    """The output decrypts to the input."""
    source = call.directory / call.words[0]
    names = sorted(path.name for path in source.iterdir())
    if '--verify' in call.words and call.value('--json') != '-':
        require(re.search(rf'verified: {len(names)} files? hold', done.stdout + done.stderr), f'{len(names)} verified files')
    again = call.run('encrypt', ['out', 'again', '--decrypt', '--threads', '2', *random.Random(call.number).choice(
        [[], ['--strategy', 'streaming'], ['--strategy', 'async'], ['--verify']])])
    require(again.returncode == 0, f'a decrypted output: {again.call}: {again.stderr}')
    same, *others = filecmp.cmpfiles(source, call.directory / 'again', names, shallow=False)
    require(len(same) == len(names), f'the input again, not {others[0][:3]} {others[1][:3]}')


def check_report(call, done):
    page = done.stdout if call.value('--out') == '-' else (call.directory / call.value('--out')).read_text(encoding='utf-8')
    require(page.startswith('<!doctype html>') and page.rstrip().endswith('</html>'), 'a page')


CHECKS = {'text': check_text, 'bytes': check_bytes, 'corpus': check_corpus, 'encrypt': check_encrypt, 'report': check_report}
texts = {}  # the digest of the text of each size


def check(call, done):
    """Says whether the call was refused; raises where a result is wrong."""
    check_left(call, done)
    check_stores(call)
    if done.returncode == 2 and REFUSED.search(done.stderr):
        return True
    if done.returncode == 1 and UNUSABLE.search(done.stderr):
        return False
    if done.returncode == 3 and 'cannot tell' in done.stderr:
        return False
    require(done.returncode == 0, 'exit code 0')
    check_json(call, done)
    check_export(call, done)
    if call.command in CHECKS:
        CHECKS[call.command](call, done)
    return False
