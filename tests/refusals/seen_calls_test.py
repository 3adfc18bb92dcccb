#!/usr/bin/env python3
"""Whether the library makes a system call that tests/refusals/seam_calls.hpp does not list: seen_calls_test.py PROGRAM…

Runs the library's test programs under strace. Of each call that is not listed, strace shows which function makes it; only
the tests' own may be missing. FRESHET_TEST_COMPLETE=1 runs all tests, else a part of them that FRESHET_TEST_SEED chooses.
"""
import collections
import os
import random
import re
import subprocess
import sys
import tempfile
from pathlib import Path

SKIPPED = 77
PARTS = 120  # ./test runs one of them
HERE = Path(__file__).parent
# What starts and ends a program.
OF_EVERY_PROGRAM = set('execve arch_prctl set_tid_address rt_sigreturn restart_syscall exit exit_group'.split())
YOUNGER = {f'syscall_{number:#x}': name for number, name in [(451, 'cachestat')]}  # than strace


def listed_calls():
    headers = [HERE / 'seam_calls.hpp', *HERE.glob('*/older_calls.hpp')]
    text = ''.join(header.read_text() for header in headers)
    return set(re.findall(r'(?:SYS_\w+|cachestat), "(\w+)', text))


def trace(program, part, options):
    """What strace prints of these tests. Whether they pass is not asked: some count on less than strace leaves them."""
    with tempfile.TemporaryDirectory() as scratch:
        log = Path(scratch, 'log')
        environment = {**os.environ, **part, 'FRESHET_PROFILE': 'none', 'RC_PARAMS': 'max_success=5'}
        environment.pop('FRESHET_TEST_COMPLETE', None)  # large files and many examples make no other calls
        run = subprocess.run(
            ['strace', '-f', '-qq', '-e', 'signal=none', '-o', log, *options, program, '--gtest_brief=1'],
            env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, errors='replace', check=False)
        if not log.exists():
            sys.exit(f'strace {" ".join(options)}: {run.stderr}')
        return log.read_text(errors='replace')


def names_seen(program, part):
    lines = trace(program, part, ['-c', '-U', 'name']).split()
    return {YOUNGER.get(name, name) for name in lines if re.fullmatch(r'\w+', name) and name not in ('syscall', 'total')}


def is_of_library(frames):
    """Whether the library's function is the first of the program's own in this stack."""
    for frame in frames:
        if 'joined_' in frame or 'freshet::test::' in frame or 'testing::' in frame or '_Test::' in frame:
            return False
        if 'freshet::' in frame:
            return True
    return False


def makers(program, part, names, listed):
    """The library's functions that make these calls, or others that strace does not know."""
    found = collections.defaultdict(set)
    name, frames = None, []
    wanted = ['?' + name for name in sorted(names)] or ['execve']  # strace knows no name of some
    lines = trace(program, part, ['-k', '-e', 'trace=' + ','.join(wanted)]).splitlines()
    for line in [*lines, 'end(']:
        if line.startswith(' > '):
            frames.append(line[3:])
            continue
        if name and name not in listed and is_of_library(frames):
            found[name].add(next(frame for frame in frames if 'freshet::' in frame))
        call = re.match(r'(?:\d+ +)?(\w+)\(', line)
        name, frames = call and YOUNGER.get(call.group(1), call.group(1)), []
    return found


def main():
    if subprocess.run(['strace', '-k', '-o', '/dev/null', 'true'], check=False, capture_output=True).returncode:
        print('skipped: there is no strace here that shows stacks')
        return SKIPPED
    seed = int(os.environ.get('FRESHET_TEST_SEED') or random.randrange(1 << 15))
    part = {}
    if not os.environ.get('FRESHET_TEST_COMPLETE'):
        part = {'GTEST_TOTAL_SHARDS': str(PARTS), 'GTEST_SHARD_INDEX': str(seed % PARTS)}
        print(f'FRESHET_TEST_SEED={seed}: part {seed % PARTS} of {PARTS}')
    listed, seen, status = listed_calls(), set(), 0
    for program in sys.argv[1:]:
        names = names_seen(program, part)
        seen |= names
        unlisted = names - listed - OF_EVERY_PROGRAM
        print(f'{Path(program).name} makes {len(names)} calls; not listed:', *sorted(unlisted), flush=True)
        for name, functions in makers(program, part, unlisted, listed).items():
            status = 1
            print(f'{name} is not in seam_calls.hpp; the library calls it in', *sorted(functions), sep='\n  ')
    print(f'{len(seen & listed)} of {len(listed)} listed calls were seen; not seen:', *sorted(listed - seen))
    return status if seen & listed else 1


if __name__ == '__main__':
    sys.exit(main())
