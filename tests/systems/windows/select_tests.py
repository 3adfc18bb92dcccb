#!/usr/bin/env python3
"""Copies test sources without what Windows lacks: select_tests.py LIST BELOW INTO SOURCE…

LIST is windows.txt. Its single tests are cut out of the copies, and so are properties for RapidCheck and includes of headers
that there are on Linux alone. Copies go to the directory INTO, below the names of their folders. It prints their paths, and
fails if LIST names a test that none of the sources below the directory BELOW has."""

import pathlib
import re
import sys

LACKING = re.compile(
    r"#include (<(sys/(wait|socket|resource|xattr|inotify|file|uio|syscall|vfs|mount|ioctl|prctl)|linux/\w+|stdio_ext|sched|poll|"
    r"rapidcheck(/gtest)?)\.h>|\"tests/support/(child|mounted_image|ordinary_user|random_steps|writing_child)\.hpp\")\n")
TEST = re.compile(r"^(TEST|TEST_F|TEST_P|RC_GTEST_PROP|RC_GTEST_FIXTURE_PROP)\((\w+),\s*(\w+)(?:,[^)]*\)|\))"
    r"(?:[^\n]*}\n|.*?^}\n)", re.S | re.M)


def left_out_of(path):
    """The single tests of the list, as "file suite.name"."""
    names = set()
    for line in path.read_text().splitlines():
        words = line.split()
        if line.startswith("  ") and words:
            names.add(f"{file} {words[0]}")
        elif line and not line.startswith("#"):
            file = words[0]
    return names


def select(text, file, left_out, found):
    def keep(match):
        name = f"{file} {match[2]}.{match[3]}"
        if match[1].startswith("RC_"):
            return "\n" * match[0].count("\n")
        if name not in left_out:
            return match[0]
        found.add(name)
        return "\n" * match[0].count("\n")  # messages keep their lines

    return TEST.sub(keep, LACKING.sub("\n", text))


def main():
    left_out = left_out_of(pathlib.Path(sys.argv[1]))
    below, into = pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3])
    found = set()
    for source in map(pathlib.Path, sys.argv[4:]):
        file = source.relative_to(below).as_posix()
        copy = into / file
        text = select(source.read_text(), file, left_out, found)
        copy.parent.mkdir(parents=True, exist_ok=True)
        if not copy.exists() or copy.read_text() != text:
            copy.write_text(text)
        print(copy)
    if left_out - found:
        sys.exit("windows.txt leaves out tests that are not there: " + ", ".join(sorted(left_out - found)))


main()
