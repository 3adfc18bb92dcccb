#!/usr/bin/env python3
"""Applies the patches in CONTRIBUTING.md to the repository in the current directory. A hunk's place is where its old lines
are, whatever its numbers say."""

import pathlib
import re
import sys


def apply_hunk(path, hunk):
    old = "".join(line[1:] or "\n" for line in hunk if line[0] in " -\n")
    new = "".join(line[1:] or "\n" for line in hunk if line[0] in " +\n")
    text = path.read_text() if path.exists() else ""
    if old and text.count(old) != 1:
        sys.exit(f"CONTRIBUTING.md: {path} has {text.count(old)} places with these lines instead of one:\n{old}")
    path.write_text(text.replace(old, new) if old else text + new)


def main():
    if len(sys.argv) > 1:
        sys.exit("apply_recipes.py takes no arguments: it changes the repository in the current directory")
    blocks = re.findall(r"^```diff\n(.*?)^```$", pathlib.Path("CONTRIBUTING.md").read_text(), re.MULTILINE | re.DOTALL)
    if len(blocks) < 3:
        sys.exit("CONTRIBUTING.md has lost the patches of its recipes")
    for block in blocks:
        for part in re.split(r"^(?=--- )", block, flags=re.MULTILINE)[1:]:
            head, *hunks = re.split(r"^@@.*\n", part, flags=re.MULTILINE)
            path = pathlib.Path(re.search(r"^\+\+\+ b/(.*)$", head, re.MULTILINE)[1])
            for hunk in hunks:
                apply_hunk(path, hunk.splitlines(keepends=True))


if __name__ == "__main__":
    main()
