#!/usr/bin/env python3
"""What ./run compiles costs no more than is recorded: compile_cost_test.py BUILD

No clock decides. The preprocessed lines of src/ and tool/ (`g++ -E -P`), which are the same on every machine, are weighed by
what a line costs where it is optimised in full and where it is not. The weights and the sum are those of
doc/measurements/test-times.md, "What a newcomer waits for"; it fails where the sum is more than a tenth larger.
"""

import json
import os
import pathlib
import re
import shlex
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

root = pathlib.Path(__file__).resolve().parent.parent
may_grow = 1.1


def read_record():
    """The weights by level, and the recorded sum."""
    text = (root / "doc" / "measurements" / "test-times.md").read_text()
    table = text[text.index("## What a newcomer waits for") :]
    weights = {level: float(weight) for level, weight in re.findall(r"^\| weight of a line, (full|light) \| ([\d.]+) \|", table, re.MULTILINE)}
    total = re.search(r"^\| weighed lines, in thousands \| ([\d,]+) \|", table, re.MULTILINE)
    return weights, float(total[1].replace(",", ""))


def level_of(words):
    """GCC takes the last level that is named."""
    levels = [word for word in words if re.fullmatch(r"-O\w?", word)]
    return "light" if levels and levels[-1] in ("-O0", "-O1", "-Og") else "full"


def count(entry):
    words = shlex.split(entry["command"])
    at = words.index("-o")
    words = [word for word in words[:at] + words[at + 2 :] if word not in ("-c", "ccache", "-fpch-preprocess")]
    if "-include" in words:  # the precompiled header: each source includes what it uses
        at = words.index("-include")
        del words[at : at + 2]
    seen = subprocess.run([*words, "-E", "-P"], cwd=entry["directory"], capture_output=True, check=True)
    return level_of(words), seen.stdout.count(b"\n")


def main(build):
    build = pathlib.Path(build).resolve()
    wanted = tuple(f"{top / folder}/" for top in (build, root) for folder in ("src", "tool"))
    entries = json.loads((build / "compile_commands.json").read_text())
    chosen = {e["output"] if "output" in e else e["file"]: e for e in entries
              if e["file"].startswith(wanted) and not re.search("cmake_pch|freshet_each_line", e["file"])}  # which ./run does without
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        counts = list(pool.map(count, chosen.values()))
    weights, recorded = read_record()
    lines = {level: sum(n for of, n in counts if of == level) for level in weights}
    total = sum(weights[level] * n for level, n in lines.items()) / 1000
    print(f"{len(counts)} sources: {lines['full']:,} lines in full, {lines['light']:,} lightly; weighed {total:,.0f} thousand, "
          f"recorded {recorded:,.0f}")
    if total > may_grow * recorded:
        print("./run compiles more than is recorded: see the document")
        return 1
    return 0


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: tests/compile_cost_test.py BUILD")
    sys.exit(main(sys.argv[1]))
