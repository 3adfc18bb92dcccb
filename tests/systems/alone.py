#!/usr/bin/env python3
"""Compiles sources that use the seam to the system, each alone and only as far as errors show: alone.py BUILD [FOLDER]
BUILD has the compile_commands.json of a build without joined sources. With a FOLDER, only what lies below src/FOLDER; without,
what lies below src/os, and what includes it, the paths of programs or their handles."""

import concurrent.futures
import json
import os
import pathlib
import re
import shlex
import subprocess
import sys

source = pathlib.Path(__file__).resolve().parent.parent.parent / "src"
seam = re.compile(r'^#include ["<](src/os/|src/base/(native_path|refusal|temporary_file)|freshet/(path_argument|detail/native_handle))',
                  re.MULTILINE)


def uses_seam(path):
    """Whether the file, or the header beside it, is a part of the seam or includes one."""
    header = path.with_suffix(".hpp")
    texts = [path.read_text(), header.read_text() if header.exists() else ""]
    return path.is_relative_to(source / "os") or any(seam.search(text) for text in texts)


def compile_alone(entry):
    """The compiler's exit code and what it says."""
    words = shlex.split(entry["command"])
    if os.path.basename(words[0]) == "ccache":
        del words[0]
    at = words.index("-o")
    del words[at : at + 2]
    done = subprocess.run([*words, "-fsyntax-only"], cwd=entry["directory"], capture_output=True, text=True)
    return done.returncode, done.stderr


def main():
    chosen = source / sys.argv[2] if len(sys.argv) > 2 else source
    database = json.loads(pathlib.Path(sys.argv[1], "compile_commands.json").read_text())
    entries = [e for e in database if pathlib.Path(e["file"]).is_relative_to(chosen) and uses_seam(pathlib.Path(e["file"]))]
    if not entries:
        sys.exit(f"alone.py: {sys.argv[1]} compiles nothing below {chosen}")
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as threads:
        results = list(threads.map(compile_alone, entries))
    failed = [said for code, said in results if code != 0 or "warning:" in said]
    print("".join(failed), end="")
    print(f"{len(entries)} sources, each alone: {len(failed)} with errors or warnings")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
