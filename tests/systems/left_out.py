#!/usr/bin/env python3
"""Prints what `ctest -E` needs to leave out the tests that a system cannot have: left_out.py LIST BUILD

LIST has lines of a need and a regular expression. One that matches no test of BUILD is an error: the test has another
name now, or is gone.
"""
import json
import re
import subprocess
import sys


def main():
    listed, build = sys.argv[1:]
    with open(listed, encoding='utf-8') as file:
        lines = [line.split() for line in file if line.strip() and not line.startswith('#')]
    shown = subprocess.run(['ctest', '--test-dir', build, '--show-only=json-v1'], capture_output=True, check=True).stdout
    names = [test['name'] for test in json.loads(shown)['tests']]
    needed = {}
    stale = False
    for need, pattern in lines:
        matches = [name for name in names if re.fullmatch(pattern + r'(  # .*)?', name)]
        needed[need] = needed.get(need, 0) + len(matches)
        if not matches:
            stale = True
            print(f'{listed}: no test is called {pattern}', file=sys.stderr)
    print(f'left out of {len(names)} tests: ' + ', '.join(f'{count} for {need}' for need, count in sorted(needed.items())),
          file=sys.stderr)
    print('^(' + '|'.join(pattern for _, pattern in lines) + ')( |$)')
    return stale


if __name__ == '__main__':
    sys.exit(main())
