#!/usr/bin/env python3
"""Every command with too little of something: file size, descriptors, address space, locked memory, an output to print to.

  tests/tool/command/limits_test.py FRESHET

A call either works or ends with exit code 1 (a file too large: 128 + SIGXFSZ) and one reason on stderr; it never crashes
and leaves nothing behind.
"""
import os
import re
import resource
import signal
import sys

from commands import CALLS, LONGEST, Sandbox


def limit(which, soft):
    return lambda: resource.setrlimit(which, (soft, soft))


LIMITS = {
    'ulimit -f 4': limit(resource.RLIMIT_FSIZE, 4096),
    'ulimit -n 16': limit(resource.RLIMIT_NOFILE, 16),
    'ulimit -n 6': limit(resource.RLIMIT_NOFILE, 6),
    'ulimit -v 200000': limit(resource.RLIMIT_AS, 200_000 * 1024),
    'ulimit -v 30000': limit(resource.RLIMIT_AS, 30_000 * 1024),
    'ulimit -l 0': limit(resource.RLIMIT_MEMLOCK, 0),
}


bitten = set()  # the conditions that made a call fail


def expect_tidy(box, done, codes, condition):
    if done.returncode != 0:
        bitten.add(condition)
    done.call += f'  # {condition}'
    return (box.expect(done, done.returncode in codes, f'an exit code of {codes}') and
            box.expect(done, done.returncode == 0 or done.stderr.strip() or condition == 'a broken pipe', 'a reason') and
            box.expect(done, 'std::' not in done.stderr and 'terminate' not in done.stderr, 'plain words') and
            box.expect(done, not [name for name in done.left if re.search(r'\.freshet-\d', name)], 'nothing left behind') and
            box.expect(done, done.seconds < 3 * LONGEST, 'an end'))


def main():
    with Sandbox(sys.argv[1]) as box:
        for command, words in CALLS.items():
            for condition, lower in LIMITS.items():
                if box.sanitized and condition.startswith('ulimit -v'):
                    continue  # the sanitizer itself takes terabytes of addresses
                expect_tidy(box, box.run(command, words.split(), limit=lower), (0, 1, 128 + signal.SIGXFSZ), condition)
            with open('/dev/full', 'w', encoding='utf-8') as full:
                expect_tidy(box, box.run(command, words.split(), stdout=full), (1,) if command not in QUIET else (0, 1),
                            'stdout is full')
            expect_tidy(box, box.run(command, words.split(), limit=lambda: os.close(1), stdout=None), (0, 1), 'stdout is closed')
            reading, writing = os.pipe()
            os.close(reading)
            expect_tidy(box, box.run(command, words.split(), stdout=writing,
                                     limit=lambda: signal.signal(signal.SIGPIPE, signal.SIG_DFL)),
                        (0, 1, 128 + signal.SIGPIPE, -signal.SIGPIPE), 'a broken pipe')
            os.close(writing)
        tight = {'ulimit -f 4', 'ulimit -n 6', 'stdout is full', 'stdout is closed', 'a broken pipe'}
        for condition in (tight if box.sanitized else tight | {'ulimit -v 30000'}) - bitten:
            box.failures += 1
            print(f'FAILED: no call failed under {condition}')
        box.finish()


QUIET = ('seal', 'unseal')  # commands that print nothing

if __name__ == '__main__':
    main()
