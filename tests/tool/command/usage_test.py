#!/usr/bin/env python3
"""Holds the help, the pages of the manual, the completion and the guide against each other.

  tests/tool/command/usage_test.py FRESHET USAGE

USAGE is the directory of the built pages and scripts. `man` and `mandoc` judge the pages where they are installed.
"""
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

from commands import ABILITIES

GUIDE = Path(__file__).resolve().parents[3] / 'doc/guide'
FENCES = {'sh', 'text', 'cpp', 'cmake', 'ini'}  # run, output, compiled, and the rest
failures = 0


def fail(text):
    global failures
    failures += 1
    print(f'FAILED: {text}')


def run(*words, code=0):
    done = subprocess.run(words, capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=60)
    if done.returncode != code:
        fail(f'{" ".join(words)}: exit code {done.returncode}, not {code}: {done.stderr}')
    return done


def options_of(help_text):
    lines = [line for line in help_text.splitlines() if line.startswith('  -')]
    return {name for line in lines for name in re.findall(r'(?<![\w-])--?[a-z][\w-]*', line.strip().split('  ')[0])
            if f'Needs: {name}' not in line and f'Excludes: {name}' not in line}


def exits_of_help(help_text):
    return set(re.findall(r'^  (\d+|128\+N) ', help_text.split('Exit codes:\n')[1], re.M))


def section(page, title):
    return page.split(f'.SH {title}\n')[1].split('\n.SH ')[0]


def plain(roff):
    return re.sub(r'\\f[BIR]', '', roff).replace('\\-', '-')


def check_manual(name, page, help_text):
    terms = [plain(term) for term in re.findall(r'^\.TP\n(.*)$', section(page, 'OPTIONS'), re.M)]
    options = {word for term in terms for word in re.findall(r'(?<![\w-])--?[a-z][\w-]*', term)}
    if options != options_of(help_text):
        fail(f'the manual of {name} has other options than its help: {sorted(options ^ options_of(help_text))}')
    exits = set(re.findall(r'^\.TP\n\\fB(.*?)\\fR$', section(page, 'EXIT STATUS'), re.M))
    if exits != exits_of_help(help_text):
        fail(f'the manual of {name} has other exit codes than its help: {sorted(exits ^ exits_of_help(help_text))}')


def check_lint(path):
    if shutil.which('mandoc'):
        if done := subprocess.run(['mandoc', '-Tlint', path], capture_output=True, text=True).stdout:
            fail(f'mandoc -Tlint {path.name}: {done}')
    if shutil.which('man'):
        done = subprocess.run(['man', '--warnings', '-l', path], capture_output=True, text=True,
                              env=os.environ | {'MANWIDTH': '80', 'LC_ALL': 'C.UTF-8', 'MANROFFSEQ': ''})
        if done.returncode or done.stderr or 'SEE ALSO' not in done.stdout:
            fail(f'man -l {path.name}: {done.stderr or done.returncode}')


def commands_in(line):
    """The commands of a shell line, each with the words that belong to it."""
    for part in re.split(r'&&|\|\||[|;<>]', line.split(' #')[0]):
        if match := re.search(r'(?:^|[\s(])(?:freshet|\./run) ([a-z]+)\b(.*)', part):
            yield match.group(1), match.group(2)


def check_guide(name, text, options):
    for fence in re.findall(r'^```(\S*)', text, re.M):
        if fence and fence not in FENCES:
            fail(f'{name}: a block of {fence}; there are {sorted(FENCES)}')
    if re.search(r'^```\n[^`]*^\$? ?(freshet|\./run) [a-z]', text, re.M):
        fail(f'{name}: commands outside a block of sh, which is run, or text, which is output')
    # What a page says of other commands, it says with their names.
    prose = re.sub(r'^```.*?^```', '', text, flags=re.M | re.S)
    shell = '\n'.join(re.findall(r'^```(?:sh|text)\n(.*?)^```', text, re.M | re.S))
    calls = [call for line in shell.splitlines() if not line.startswith(' ') for call in commands_in(line)]
    for code in re.findall(r'`([^`\n]+)`', prose):
        found = list(commands_in(code))
        calls += found or ([(name, code)] if code.startswith('--') and name in options else [])
    for command, words in calls:
        if command in ABILITIES - options.keys():
            continue  # this build leaves it out
        for option in re.findall(r'(?:^|[\s\[])(--[a-z][\w-]*)', words):
            if command not in options:
                fail(f'{name}.md: there is no command {command}')
            elif option not in options[command]:
                fail(f'{name}.md: {command} has no option {option}')


def check_exits(name, text, exits):
    match = re.search(r'^## Exit codes\n(.*?)(?=^## |\Z)', text, re.M | re.S)
    codes = re.findall(r'^\| (\d+(?: ?\+ ?[Nn])?) \|', match.group(1), re.M) if match else []
    found = {code.replace(' ', '').upper() for code in codes}
    if found != exits:
        fail(f'{name}.md: its exit codes are {sorted(found)}, the command\'s {sorted(exits)}')


def check_words(freshet, script):
    """Each word that is offered for an option is one that the option takes."""
    checked = 0
    if ' is not an order' not in run(freshet, 'bench', '--order', 'nonsense', code=2).stderr:
        fail('a word that no option takes is not refused as expected')
    for patterns, words in re.findall(r"^\s*([a-z]+:--[^)]*)\) _freshet_(?:list|words) '([^']*)'", script, re.M):
        command, option = patterns.split(' | ')[0].split(':')
        for word in words.split():
            more = ['out'] if option == '--export' else []
            done = run(freshet, command, option, word, *more, '--no-such-option', code=2)
            checked += 1
            if f'"{word}" is not' in done.stderr or not done.stderr:
                fail(f'{command} {option} does not take {word}: {done.stderr}')
    if checked < 50:
        fail(f'only {checked} words are offered')


def main():
    freshet, usage = os.path.abspath(sys.argv[1]), Path(sys.argv[2])
    program_help = run(freshet, '--help').stdout
    commands = re.findall(r'^  ([a-z]+)  ', program_help.split('Subcommands:')[1].split('Examples:')[0], re.M)
    helps = {name: run(freshet, name, '--help').stdout for name in commands}
    if run(freshet, 'help').stdout.strip() != program_help.strip():
        fail('freshet help and freshet --help differ')
    check_manual('freshet', (usage / 'man1/freshet.1').read_text(), program_help)
    if sorted(path.name for path in (usage / 'man1').iterdir()) != sorted(['freshet.1', *(f'freshet-{name}.1' for name in commands)]):
        fail('not every command has a page of the manual')
    for path in [*(usage / 'man1').iterdir(), usage.parent / 'freshet.3']:
        check_lint(path)
    options = {name: options_of(text) for name, text in helps.items()}
    for name in commands:
        check_manual(name, (usage / f'man1/freshet-{name}.1').read_text(), helps[name])
        if run(freshet, 'help', name).stdout.strip() != helps[name].strip():
            fail(f'freshet help {name} and freshet {name} --help differ')
        if not (GUIDE / f'{name}.md').exists():
            fail(f'doc/guide has no page {name}.md')
            continue
        check_exits(name, (GUIDE / f'{name}.md').read_text(), exits_of_help(helps[name]))
    index = (GUIDE / 'README.md').read_text()
    for path in sorted(GUIDE.glob('*.md')):
        check_guide(path.stem, path.read_text(), options)
        if path.name != 'README.md' and f']({path.name}' not in index:
            fail(f'doc/guide/README.md does not link {path.name}')
    check_words(freshet, (usage / 'bash/freshet').read_text())
    missing = [tool for tool in ('mandoc', 'man') if not shutil.which(tool)]
    print(f'{len(commands)} commands, {failures} failures' + (f'; not installed: {", ".join(missing)}' if missing else ''))
    sys.exit(1 if failures else 77 if missing else 0)


main()
