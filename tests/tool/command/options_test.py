#!/usr/bin/env python3
"""Every option of every command: values that work, values that are refused, and places that cannot be used.

  tests/tool/command/options_test.py FRESHET

`freshet help --json` must list what `freshet COMMAND --help` lists. Values that work are sampled, as each takes
a whole call; FRESHET_TEST_COMPLETE=1 tries all.
"""
import os
import re
import subprocess
import sys

from commands import BAD, CALLS, LISTING, OPTIONS, Sandbox, words_with

MEASURING = {'tune', 'bench', 'bytes', 'sustain', 'peers', 'sweep', 'writetest'}
# Options that may be given several times; stores where trials are read.
REPEATED = {'--only', '--directory', '--run', '--program'}
READING_STORES = {'history', 'compare', 'report'}
# Words of calls that a file system or a kernel may refuse.
UNSUPPORTED = {'--no-cache', '--cold', 'cold', 'warm', 'none,warm', 'mmap,direct', '--dontcache', '--direct', '--libaio', '--uring',
               '--uring-buffered', '--aio'}


def listed(box, command):
    """The options that --help lists, and the commands."""
    text = subprocess.run([box.program, command, '--help'], capture_output=True, text=True, check=True).stdout
    options = set()
    for line in text.splitlines():
        if re.match(r'  -', line):
            options |= set(re.findall(r'(?<![\w-])--[a-z][\w-]*', line.split('  ')[1]))
    return options - {'--help'}


def check_table(box):
    for command, options in OPTIONS.items():
        known = listed(box, command)
        if known != set(options):
            box.failures += 1
            print(f'FAILED: the help of {command} has {sorted(known - set(options))} alone, --json {sorted(set(options) - known)}')


def refused_calls():
    for command, options in OPTIONS.items():
        for option, (kind, _) in options.items():
            if kind == 'flag':
                yield command, CALLS[command].split() + [f'{option}=nonsense']
                continue
            for value in BAD[kind]:
                yield command, words_with(command, option, value)
            if kind != 'export' and option not in REPEATED and not (option == '--store' and command in READING_STORES):
                value = 'nonsense' if kind == 'name' else '1'
                yield command, words_with(command, option, value) + [option, value]  # twice
        if command in ('text', 'corpus', 'encrypt', 'bytes'):
            yield command, []
        yield command, CALLS[command].split() + ['--nonsense']
        if command != 'cat':  # which takes any number of files
            yield command, CALLS[command].split() + ['one', 'word', 'more']


def check_refused(box):
    box.each(lambda call: box.expect_plain_error(box.run(*call, timeout=30), 2), refused_calls())


def check_accepted(box):
    calls = [(command, words_with(command, option, value)) for command, options in OPTIONS.items()
             for option, (kind, values) in options.items() if values is not None
             for value in (values or ([None] if kind == 'flag' else []))]
    calls = [(command, words + ['--run', '1'] if command == 'history' and '--export' in words else words)
             for command, words in calls if command not in LISTING or words[2:3] != ['--export']]

    def check(call):
        command, words = call
        done = box.run(*call)
        # Whether a trial is valid depends on what else the machine does, and what can be done on the place and the kernel.
        allowed = (command in MEASURING and done.returncode == 1 and 'valid trial' in done.stderr or
                   UNSUPPORTED & set(words) and done.returncode == 1 and 'Operation not supported' in done.stderr or
                   command == 'compare' and done.returncode == 3 and 'cannot tell' in done.stderr)
        box.expect(done, done.returncode == 0 or allowed, 'it works')
        return done.returncode == 0
    worked = box.each(check, box.sample(calls, 40))
    print(f'{sum(worked)} of {len(worked)} calls worked')
    if sum(worked) < len(worked) / 2:
        box.failures += 1
        print('FAILED: most calls that should work did not')


def check_places(box):
    """Directories and files that are missing, read-only or full."""
    missing = {'tune': 'missing', 'bench': 'missing', 'text': 'missing/file', 'bytes': 'missing/file', 'methods': 'missing',
               'doctor': 'missing', 'profile': 'missing', 'encrypt': 'missing out', 'corpus': 'in/one/out', 'sweep': 'missing',
               'seal': 'missing', 'unseal': 'missing', 'cat': 'missing', 'campaign': 'missing'}
    for command, place in missing.items():
        if command not in CALLS:
            continue
        words = place.split() + CALLS[command].split()[len(place.split()):]
        box.expect_plain_error(box.run(command, words), 1)
    for command, options in OPTIONS.items():
        for option in ('--json', '--out', '--fio-job', '--export'):
            if options.get(option, ('flag',))[0] == 'flag':
                continue
            for place in ('missing/out', 'd', '/dev/full', '/proc/none'):
                if option == '--out' and place == 'd':
                    continue
                value = f'csv {place}' if option == '--export' else place
                words = words_with(command, option, value) + (['--run', '1'] if command == 'history' else [])
                without_trials = command in LISTING and option == '--export'
                box.expect_plain_error(box.run(command, words), 2 if without_trials else 1)


def main():
    with Sandbox(sys.argv[1]) as box:
        parts = {'table': check_table, 'refused': check_refused, 'accepted': check_accepted, 'places': check_places}
        for name in sys.argv[2:] or parts:
            parts[name](box)
        box.finish()


if __name__ == '__main__':
    os.umask(0o022)
    main()
