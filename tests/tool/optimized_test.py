#!/usr/bin/env python3
"""A program has the optimised copies of templates that measured and other objects share: optimized_test.py PROGRAM OBJECT…

Where several objects define the same instance, the linker takes the first one's. Copies that were optimised differently have
other sizes, so each instance of the objects, which are the measured ones, has its size in the program, too.
"""

import subprocess
import sys


def sizes(file):
    """The size of each weak function, by its name."""
    lines = subprocess.run(["nm", "-S", "--defined-only", file], capture_output=True, text=True, check=True).stdout.splitlines()
    rows = [line.split(maxsplit=3) for line in lines]
    return {row[3]: int(row[1], 16) for row in rows if len(row) == 4 and row[2] in "WT"}


def main(program, *objects):
    linked = sizes(program)
    wanted = {}
    for each in objects:
        wanted = sizes(each) | wanted  # the first one's
    shared = wanted.keys() & linked.keys()
    others = sorted(name for name in shared if wanted[name] != linked[name])
    print(f"{len(shared)} instances, {len(others)} of them of another object")
    for name in others[:10]:
        print(f"  {name}: {linked[name]} bytes, {wanted[name]} in the measured object")
    return 1 if others or not shared else 0


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit("usage: tests/tool/optimized_test.py PROGRAM OBJECT…")
    sys.exit(main(*sys.argv[1:]))
