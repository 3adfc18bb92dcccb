#!/usr/bin/env python3
"""Measures the tables of doc/measurements/peers.md, in both states of memory, and prints them as Markdown.

usage: bench/peers_tables.py [--only PEERS] [--size SIZE] [--rounds N] FRESHET [DIR] [TABLE…]

The tables, all of them by default:
  buffers  which --buffer is best for each peer, with files of 256 MiB; 4 rounds
  fastest  the fastest peers and a few others, with files of 1 GiB; 6 rounds
  all      all peers, with files of 512 MiB; 6 rounds
  bytes    one byte per call, with files of 16 MiB; 6 rounds
`--size 16M --rounds 2` tries this script. The profile of DIR is the user's; run `freshet tune
DIR` before. Everything that is written lies in DIR, 700 GB in all. A run takes hours; an idle machine matters.
"""

import argparse
import json
import os
import pathlib
import random
import statistics
import subprocess
import sys
import tempfile

STATES = {"rested": "at rest", "reused": "just freed"}
BUFFERS = ["16K", "64K", "256K", "1M", "4M"]
NEAR = 1.03  # of buffers that take up to so many times as long as the best, the smallest is chosen
OVERLAPPED = "c-direct,c-uring,go-direct,rust-direct,java-nio-async/direct,csharp-direct,node-direct,python-direct"
FASTEST = f"freshet,{OVERLAPPED},java-nio-direct,java-nio-channel,rust-fast,go-fast,c-write,c-stdio-naive,java-writer"


def without_strace(scratch):
    """Returns a PATH with all commands but strace: tracing takes longer than the trials, and is needed once only."""
    commands = scratch / "commands"
    commands.mkdir()
    for folder in os.environ["PATH"].split(":"):
        for command in pathlib.Path(folder or ".").glob("*"):
            link = commands / command.name
            if command.name != "strace" and not link.is_symlink():
                link.symlink_to(command.resolve().parent / command.name if command.is_file() else command)
    return str(commands)


class Measuring:
    def __init__(self, options, scratch):
        self.options = options
        self.scratch = scratch
        self.untraced = without_strace(scratch)

    def peers(self, *words, size, rounds, memory, traced=False):
        """Runs `freshet peers`; returns its JSON. Peers that fail are named, and missing."""
        size = self.options.size or size
        file = self.scratch / "figures.json"
        call = [self.options.freshet, "peers", self.options.directory, *words, "--size", size]
        call += ["--rounds", str(rounds), "--memory", memory, "--json", file, "--no-store", "--max-bytes", "4T"]
        print("+", *map(str, call[1:]), file=sys.stderr)
        path = os.environ["PATH"] if traced else self.untraced
        done = subprocess.run(call, stdout=subprocess.DEVNULL, check=False, env=os.environ | {"PATH": path})
        if done.returncode not in (0, 1):
            sys.exit(f"freshet peers ended with {done.returncode}")
        return json.loads(file.read_text())


def by_peer(trials):
    """The usable trials of each peer."""
    groups = {}
    for trial in trials:
        if trial["verdict"] != "invalid" and trial["seconds_to_close"] > 0:
            groups.setdefault(trial["plan"]["peer"], []).append(trial)
    return groups


def shown(value):
    """A figure with three significant digits; "-" for none."""
    return "-" if value is None else f"{float(f'{value:.3g}'):g}"


def median(trials, figure):
    values = [value for trial in trials if (value := figure(trial)) is not None]
    return statistics.median(values) if values else None


def rate(trial):
    return trial["mb_per_second_to_close"]


def cpu(trial):
    return trial["cpu_whole"] / trial["bytes"] * 1e9


def print_table(head, rows):
    print("|", " | ".join(head), "|")
    print("|" + "---|" * len(head))
    for row in rows:
        print("|", " | ".join(row), "|")
    print()


def rate_with_range(trials):
    if not trials:
        return "-"
    rates = [rate(trial) for trial in trials]
    return f"{shown(statistics.median(rates))} ({shown(min(rates))}-{shown(max(rates))})"


def side_by_side(measuring, title, *words, size):
    """A table of all peers, with both states of memory in each row, by their speed on memory at rest."""
    rounds = measuring.options.rounds or 6
    found = {state: measuring.peers(*words, size=size, rounds=rounds, memory=state, traced=True) for state in STATES}
    trials = {state: by_peer(found[state]["trials"]) for state in STATES}
    about = {row["name"]: row for row in next(iter(found.values()))["peers"] if not row["left_out"]}
    head = ["peer", "kind", "method"]
    for words_of_state in STATES.values():
        head += [f"MB/s to close, {words_of_state}", "to disk", "CPU s/GB"]
    head += ["calls/MiB", "extents", "start s", "MiB", "cold read MB/s"]
    rows = []
    order = sorted(about, key=lambda name: -(median(trials[next(iter(STATES))].get(name, []), rate) or 0))
    for name in order:
        both = [trial for state in STATES for trial in trials[state].get(name, [])]
        row = [name, about[name]["kind"], both[0]["method_at_work"] if both else "-"]
        for state in STATES:
            some = trials[state].get(name, [])
            row += [rate_with_range(some), shown(median(some, lambda t: t["mb_per_second_to_disk"]))]
            row += [f"{value:.2f}" if (value := median(some, cpu)) is not None else "-"]
        row += [shown(about[name]["system_calls_per_mib"]), shown(median(both, lambda t: t["extents"]))]
        row += [f"{value:.3f}" if (value := median(both, lambda t: t["start_seconds"])) is not None else "-"]
        row += [shown(median(both, lambda t: (t["peak_memory"] or 0) / 2**20 or None))]
        row += [shown(median(both, lambda t: t["cold_read_mb_per_second"]))]
        rows.append(row)
    print(f"## {title}, {measuring.options.size or size}\n")
    print_table(head, rows)


def best_buffer(by_buffer):
    """The smallest buffer that is nearly as fast as the best."""
    fastest = max(by_buffer.values())
    return next(buffer for buffer in BUFFERS if by_buffer.get(buffer, 0) * NEAR >= fastest)


def names_with_buffers(measuring):
    """The rows of `freshet peers` whose peers can be measured here and take --buffer."""
    file = measuring.scratch / "list.json"
    call = [measuring.options.freshet, "peers", measuring.options.directory, "--list", "--json", file, "--buffer", "64K"]
    subprocess.run([*call, *only_of(measuring)], stdout=subprocess.DEVNULL, check=True)
    rows = json.loads(file.read_text())["peers"]
    return [row["name"] for row in rows if not row["left_out"] and not row["failure"]]


def measure_buffers(measuring, name, state):
    """The median MB/s of one peer by buffer, and the method at its work. Each round tries all buffers in another order,
    so that what changes meanwhile strikes all of them."""
    rates = {}
    method = "-"
    for _ in range(measuring.options.rounds or 5):
        for buffer in random.sample(BUFFERS, len(BUFFERS)):
            found = measuring.peers("--only", name, "--buffer", buffer, size="256M", rounds=1, memory=state)
            for trial in by_peer(found["trials"]).get(name, []):
                rates.setdefault(buffer, []).append(rate(trial))
                method = trial["method_at_work"]
    return {buffer: statistics.median(some) for buffer, some in rates.items()}, method


def buffers(measuring):
    print("## The best buffer\n")
    head = ["peer", "method"] + [f"{buffer}, {words}" for words in STATES.values() for buffer in BUFFERS] + ["best"]
    rows = []
    shares = {}  # by method
    for name in names_with_buffers(measuring):
        row = []
        share = dict.fromkeys(BUFFERS, 1.0)  # the geometric mean over the states, of the best buffer's rate
        for state in STATES:
            medians, method = measure_buffers(measuring, name, state)
            row += [shown(medians.get(buffer)) for buffer in BUFFERS]
            fastest = max(medians.values(), default=1)
            for buffer in BUFFERS:
                share[buffer] *= (medians.get(buffer, 0) / fastest) ** (1 / len(STATES))
        rows.append([name, method, *row, best_buffer(share)])
        if all(share.values()):
            shares.setdefault("direct" if method == "uring" else method, []).append(share)
    print_table(head, rows)
    print("Share of each peer's best rate, geometric mean over the peers of a method:\n")
    rows = []
    for method, some in shares.items():
        means = {buffer: statistics.geometric_mean([share[buffer] for share in some]) for buffer in BUFFERS}
        rows.append([method, str(len(some)), *(f"{means[buffer]:.0%}" for buffer in BUFFERS), best_buffer(means)])
    print_table(["method", "peers", *BUFFERS, "best"], rows)


TABLES = {
    "buffers": buffers,
    "fastest": lambda to: side_by_side(to, "The fastest", "--only", to.options.only or FASTEST, size="1G"),
    "all": lambda to: side_by_side(to, "All of them", *only_of(to), size="512M"),
    "bytes": lambda to: side_by_side(to, "One byte per call", "--workload", "bytes", *only_of(to), size="16M"),
}


def only_of(measuring):
    return ["--only", measuring.options.only] if measuring.options.only else []


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", help="only these peers, as of `freshet peers`")
    parser.add_argument("--size", help="of the files, instead of the table's")
    parser.add_argument("--rounds", type=int, help="instead of the table's")
    parser.add_argument("--states", default=",".join(STATES), help="of memory; rested,reused by default")
    parser.add_argument("freshet", metavar="FRESHET", type=os.path.realpath)
    parser.add_argument("directory", metavar="DIR", nargs="?", default=".")
    parser.add_argument("tables", metavar="TABLE", nargs="*", help=", ".join(TABLES))
    options = parser.parse_args()
    for state in STATES.keys() - options.states.split(","):
        del STATES[state]
    if unknown := set(options.tables) - set(TABLES):
        parser.error(f"there is no table {', '.join(sorted(unknown))}, only {', '.join(TABLES)}")
    with tempfile.TemporaryDirectory() as scratch:
        measuring = Measuring(options, pathlib.Path(scratch))
        for name in options.tables or TABLES:
            TABLES[name](measuring)


main()
