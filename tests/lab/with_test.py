#!/usr/bin/env python3
"""Adds an ability to the laboratory: tests/lab/hello, a folder of one source, and one line of lab/abilities.cmake.

  tests/lab/with_test.py BUILD

This happens in a copy of the repository, whose programs are linked from the objects of BUILD: only that source and the two
lists of abilities may be compiled. Then everybody knows the ability: the help, for people, programs and shells, and both
programs.
"""
import json
import os
import shutil
import signal
import sys
import tempfile
from pathlib import Path

from without_test import SOURCE, Copy, Original, commands_of, must, require

NAME = 'hello'
SUMMARY = 'Greet, as an ability of the laboratory may'
MOST_LINES = 30  # a new ability needs no more


def add(copy):
    folder = SOURCE / 'tests/lab' / NAME
    sources = list(folder.iterdir())
    require(len(sources) == 1 and len(sources[0].read_text().splitlines()) <= MOST_LINES,
            f'{folder} is one source of at most {MOST_LINES} lines: {sources}')
    shutil.copytree(folder, copy.root / 'lab' / NAME)
    with (copy.root / 'lab/abilities.cmake').open('a') as abilities:
        abilities.write(f'ability({NAME} "{SUMMARY}")\n')


def check(copy, original_help):
    freshet = copy.build / 'tool/freshet'
    scratch = copy.root.parent
    environment = os.environ | {'HOME': str(scratch), 'XDG_STATE_HOME': str(scratch / 'state'), 'FRESHET_PROFILE': 'none'}

    def call(*words, program=freshet):
        return must(program, *words, env=environment, timeout=60)

    help_text = call('help')
    require(commands_of(help_text) == commands_of(original_help) | {NAME}, f'the help lists it, too:\n{help_text}')
    require(SUMMARY in help_text, f'the help has its summary:\n{help_text}')
    require(call('help', program=freshet.with_name('freshet-lab')) == help_text, 'both programs list the same')
    described = {each['name']: each for each in json.loads(call('help', '--json'))['commands']}[NAME]
    require((described['summary'], described['group']) == (SUMMARY, 'Laboratory'), f'--json describes it: {described}')
    options = {name: each for each in described['options'] for name in each['names']}
    require(options['--name']['argument'] == 'NAME' and '--json' in options, f'--json has its options: {options}')
    own_help = call(NAME, '--help')
    require(f'freshet {NAME} [OPTIONS]' in own_help and '--name NAME' in own_help, f'it has a help of its own:\n{own_help}')
    require(call('help', NAME) == own_help, 'help NAME shows the same')
    require(f'\\fBfreshet {NAME}\\fR' in call('help', NAME, '--man'), 'it has a page of the manual')
    require(f"{NAME}) _freshet_words '-h --help --name --json'" in call('completion', 'bash'), 'shells complete its options')
    for program in (freshet, freshet.with_name('freshet-lab')):
        require(call(NAME, program=program) == 'Hello, world!\n', 'it works')
        require(call(NAME, '--name', 'you', program=program) == 'Hello, you!\n', 'it reads its option')
        greeted = json.loads(call(NAME, '--json', '-', program=program))
        require(greeted.get('greeted') == 'world' and 'freshet' in greeted, f'its result is JSON: {greeted}')


def main():
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, lambda number, _: sys.exit(128 + number))  # what is temporary is removed
    original = Original(Path(sys.argv[1]).resolve())
    with tempfile.TemporaryDirectory(prefix='freshet-with.', dir=os.environ.get('FRESHET_TEST_DIR', '/var/tmp')) as root:
        copy = Copy(Path(root) / 'source', original)
        add(copy)
        lines, _ = copy.configure(set(filter(None, original.value('FRESHET_WITHOUT').split(';'))))
        taken = copy.link(lines, NAME)
        check(copy, original.help)
        print(f'with {NAME}: linked from {taken} objects', flush=True)


if __name__ == '__main__':
    main()
