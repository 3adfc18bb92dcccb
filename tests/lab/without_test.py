#!/usr/bin/env python3
"""Takes an ability of the laboratory away, as CONTRIBUTING.md says: the rest is configured, linked and works.

  tests/lab/without_test.py BUILD [ABILITY…]

In a copy of the repository, the folders of the ability and of those that rest on it are removed, and their lines of
lab/abilities.cmake. The programs are linked from the objects of BUILD: only the two lists of abilities may be compiled, since
an object that needs more than that would be one that includes what is gone. One ability is drawn by FRESHET_TEST_SEED;
FRESHET_TEST_COMPLETE=1 takes all, one after another.
"""
import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

SOURCE = Path(__file__).resolve().parents[2]
FOLDERS = 'bench cmake example include lab packaging peer src tests tool'.split()
PROGRAMS = ['freshet_command', 'freshet_lab']
LISTS = ['tool/laboratory_list.cpp', 'lab/abilities.cpp']  # what CMake makes of lab/abilities.cmake, in a build
SAMPLE = SOURCE / 'tests/tool/store/samples/version-1.sqlite'  # has a run of sweep


def run(*words, **how):
    return subprocess.run([str(word) for word in words], capture_output=True, text=True, stdin=subprocess.DEVNULL, check=False,
                          **how)


def require(holds, what):
    if not holds:
        sys.exit(f'FAILED: {what}')


def must(*words, **how):
    done = run(*words, **how)
    require(done.returncode == 0, f'{words}: exit code {done.returncode}: {done.stdout[-2000:]}{done.stderr[-2000:]}')
    return done.stdout


def read_list(file):
    """The abilities, each with those that it rests on."""
    rows = re.findall(r'^ability\((\w+) "[^"]*"\s*(.*)\)$', file.read_text(), re.M)
    return {name: others.split() for name, others in rows}


def all_that_rest_on(name, abilities):
    gone = {name}
    for other, below in abilities.items():  # in the list, an ability stands below those that it rests on
        if gone & set(below):
            gone.add(other)
    return gone


def take_out_of_list(file, gone):
    lines = file.read_text().splitlines(keepends=True)
    kept = [line for line in lines if not re.match(rf'ability\(({"|".join(gone)}) ', line)]
    require(len(kept) == len(lines) - len(gone), f'{sorted(gone)} have a line each in {file.name}')
    file.write_text(''.join(kept))


def commands_of(help_text):
    return set(re.findall(r'^  ([a-z]+)  ', help_text.split('Subcommands:')[1].split('Examples:')[0], re.M))


class Original:
    """The build whose objects are taken."""

    def __init__(self, folder):
        self.folder = folder
        self.cache = (folder / 'CMakeCache.txt').read_text()
        self.lines = set(must('ninja', '-C', folder, '-t', 'commands', *PROGRAMS).splitlines())
        self.help = must(folder / 'tool/freshet', 'help')
        self.ingredients = {}
        for entry in re.split(r'\n(?=\S)', must('ninja', '-C', folder, '-t', 'deps')):
            name, *files = entry.split('\n')
            self.ingredients[name.split(': #deps')[0]] = [
                Path(os.path.normpath(folder / file.strip())) for file in files if file.strip()]

    def value(self, name):
        match = re.search(rf'^{name}:\w+=(.*)$', self.cache, re.M)
        return match[1] if match else ''


class Copy:
    """A copy of the repository, and a build of it."""

    def __init__(self, root, original):
        self.root, self.original = root, original
        root.mkdir()
        leave = shutil.ignore_patterns('node_modules', '__pycache__')
        for part in SOURCE.iterdir():
            if part.is_file():
                shutil.copy2(part, root)
            elif part.name in FOLDERS:
                shutil.copytree(part, root / part.name, ignore=leave)
        packages = Path('tool/report/web/node_modules')  # with the library of charts
        if (SOURCE / packages).exists():
            (root / packages).symlink_to(SOURCE / packages)
        inside = original.folder.is_relative_to(SOURCE)
        self.build = root / (original.folder.relative_to(SOURCE) if inside else 'build')
        # What the build was configured with, and what CMake found: a compiler needs no second examination.
        self.build.mkdir(parents=True)
        for folder in original.folder.glob('CMakeFiles/[0-9]*'):
            shutil.copytree(folder, self.build / 'CMakeFiles' / folder.name)
        (self.build / 'CMakeCache.txt').write_text(
            re.sub(r'=(/.*)$', lambda match: f'={self.here(Path(match[1]))}', original.cache, flags=re.M))

    def here(self, path):
        """What in the copy is a path of the original; other paths as they are."""
        for old, new in ((self.original.folder, self.build), (SOURCE, self.root)):
            if path.is_relative_to(old):
                return new / path.relative_to(old)
        return path

    def there(self, text):
        return text.replace(str(self.build), str(self.original.folder)).replace(str(self.root), str(SOURCE))

    def configure(self, without):
        """Returns the lines that make the programs, and the lists of abilities."""
        must('cmake', '-S', self.root, '-B', self.build, f'-DFRESHET_WITHOUT={";".join(sorted(without))}')
        lines = must('ninja', '-C', self.build, '-t', 'commands', *PROGRAMS).splitlines()
        return lines, [(self.build / name).read_text() for name in LISTS]

    def remove(self, gone):
        for name in gone:
            shutil.rmtree(self.root / 'lab' / name)
            shutil.rmtree(self.root / 'tests/lab' / name)
        take_out_of_list(self.root / 'lab/abilities.cmake', gone)

    def why_not_taken(self, line, target):
        """Why the original's object is not what this line would compile; empty if it is."""
        if self.there(line) not in self.original.lines:
            return 'it is compiled in another way'
        taken = self.original.folder / target
        if not taken.exists() or not self.original.ingredients.get(target):
            sys.exit(f'{taken} is not there: build {" and ".join(PROGRAMS)} first')
        for file in self.original.ingredients[target]:
            here = self.here(file)
            if here == file or file.suffix == '.gch':
                continue
            if not here.exists():
                return f'it includes {file}, which is gone'
            if file.is_relative_to(self.original.folder):
                changes = set(self.there(here.read_text()).splitlines()) ^ set(file.read_text().splitlines())
                if changes:
                    return f'{here.name} has another content: {sorted(changes)[:4]}'
            elif file.stat().st_mtime > taken.stat().st_mtime:
                sys.exit(f'{taken} is older than {file}: build {" and ".join(PROGRAMS)} first')
        return ''

    def link(self, lines, added=None):
        """Links the programs; returns how many objects were taken. That of the ability `added` is compiled."""
        taken = 0
        of_lists = [self.original.folder / name for name in LISTS]
        for line in lines:
            compiled = re.search(r' -o (\S+) -c \S+$', line)
            target = compiled and f'freshet_lab_{added}.dir/' not in compiled[1] and compiled[1]
            why = target and self.why_not_taken(line, target)
            if why == '':
                (self.build / target).parent.mkdir(parents=True, exist_ok=True)
                (self.build / target).symlink_to(self.original.folder / target)
                taken += 1
                continue
            require(not why or set(of_lists) & set(self.original.ingredients.get(target, [])),
                    f'{target} has to be compiled: {why}')
            must('sh', '-c', line, cwd=self.build)
        return taken


def check_texts(copy, gone):
    """Nothing that is built or included is in a folder that is gone. Fuzz targets are left out with what they include."""
    folder = re.compile(rf'(?<!doc/)\b(?:tests/)?lab/(?:{"|".join(gone)})/')
    found = folder.search((copy.build / 'build.ninja').read_text())
    require(not found, f'build.ninja has {found and found[0]}')
    for file in copy.root.rglob('*.[ch]pp'):
        if file.is_relative_to(copy.build) or file.parent == copy.root / 'tests/fuzz':
            continue
        named = [line for line in file.read_text().splitlines() if line.startswith('#include') and folder.search(line)]
        require(not named, f'{file.relative_to(copy.root)}: {named}')


def check_programs(copy, gone, original_help):
    freshet = copy.build / 'tool/freshet'
    scratch = copy.root.parent
    environment = os.environ | {'HOME': str(scratch), 'XDG_STATE_HOME': str(scratch / 'state'), 'FRESHET_PROFILE': 'none'}

    def call(*words, code=0):
        done = run(*words, env=environment, timeout=60)
        require(done.returncode == code, f'{words}: exit code {code}, not {done.returncode}: {done.stderr}')
        return done

    help_text = call(freshet, 'help').stdout
    require(commands_of(help_text) == commands_of(original_help) - gone, f'the help lists all but {sorted(gone)}:\n{help_text}')
    require(call(freshet.with_name('freshet-lab'), 'help').stdout == help_text, 'both programs list the same')
    named = re.findall(rf'freshet (?:{"|".join(gone)})\b.*', help_text)
    require(not named, f'the help does not speak of what is gone: {named}')
    for name in gone:
        for program in (freshet, freshet.with_name('freshet-lab')):
            done = call(program, name, code=2)
            require(f'there is no command "{name}"' in done.stderr, f'{name} is refused as unknown: {done.stderr}')
    for name in commands_of(help_text):
        require(f'freshet {name}' in call(freshet, name, '--help').stdout, f'{name} --help is its own')
    if 'peers' in gone:
        refused = call(freshet, 'bench', scratch, '--preset', 'w1', code=1).stderr
        require('built without peers' in refused, f'--preset says what is missing: {refused}')
    store = scratch / 'store.sqlite'
    shutil.copyfile(SAMPLE, store)
    runs = json.loads(call(freshet, 'history', '--store', store, '--json', '-').stdout)['runs']
    number = next(each['id'] for each in runs if each['command'] == 'sweep')
    for words in (['history'], ['report', '--out', '-']):
        shown = call(freshet, *words, '--run', number, '--store', store).stdout
        require(('was built without sweep, which draws it' in shown) == ('sweep' in gone),
                f'{words[0]} says what it cannot draw:\n{shown[:4000]}')


def check_list(root, abilities):
    """A list that lacks what an ability rests on is refused, and so is leaving that out."""
    folder = root / 'lists'
    for name, others in abilities.items():
        for other in others:
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir()
            for file in ('list.cmake', 'abilities.cmake'):
                shutil.copyfile(SOURCE / 'lab' / file, folder / file)
            script = folder / 'read.cmake'
            script.write_text('cmake_policy(VERSION 3.22)\ninclude(${CMAKE_CURRENT_LIST_DIR}/list.cmake)\n')
            left_out = run('cmake', '-DFRESHET_SYSTEM=linux', f'-DFRESHET_WITHOUT={other}', '-P', script)
            take_out_of_list(folder / 'abilities.cmake', {other})
            for done in (left_out, run('cmake', '-DFRESHET_SYSTEM=linux', '-P', script)):
                require(done.returncode != 0 and re.search(rf'\b{name}\s+rests\s+on\s+{other}\b', done.stderr),
                        f'{name} without {other} is refused: {done.stderr}')


def take_away(name, original, abilities, root):
    gone = all_that_rest_on(name, abilities)
    before = set(filter(None, original.value('FRESHET_WITHOUT').split(';')))
    copy = Copy(root / 'source', original)
    left_out = copy.configure(before | gone)
    copy.remove(gone)
    removed = copy.configure(before)
    require(left_out == removed, f'-DFRESHET_WITHOUT does the same as removing {sorted(gone)}')
    check_texts(copy, gone)
    taken = copy.link(removed[0])
    check_programs(copy, gone, original.help)
    print(f'without {", ".join(sorted(gone))}: linked from {taken} objects', flush=True)


def main():
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, lambda number, _: sys.exit(128 + number))  # what is temporary is removed
    original = Original(Path(sys.argv[1]).resolve())
    abilities = read_list(SOURCE / 'lab/abilities.cmake')
    built = [name for name in abilities if name in commands_of(original.help)]
    names = sys.argv[2:] or built
    if not sys.argv[2:] and not os.environ.get('FRESHET_TEST_COMPLETE'):
        seed = int(os.environ.get('FRESHET_TEST_SEED') or random.randrange(1 << 31))
        names = [random.Random(seed).choice(built)]
        print(f'drawn: {names[0]}; FRESHET_TEST_SEED={seed}', flush=True)
    abilities = {name: abilities[name] for name in built}
    for name in names:
        with tempfile.TemporaryDirectory(prefix='freshet-without.', dir=os.environ.get('FRESHET_TEST_DIR', '/var/tmp')) as root:
            check_list(Path(root), abilities)
            take_away(name, original, abilities, Path(root))


if __name__ == '__main__':
    main()
