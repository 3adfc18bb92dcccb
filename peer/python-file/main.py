"""open() and a write() for every line: the program as first written, and as most remain."""

import os
import sys

sys.path.append(os.path.join(os.path.dirname(__file__), "../common/python"))
import peer


def text(options):
    with open(options.file, options.mode(), opener=options.opener) as out:
        n = 1
        written = 0
        while True:
            tabs = "\t" * (n % 8)
            line = f"{tabs}All work and no play makes {peer.NAMES[n % 6]} a dull boy.\n"
            if written + len(line) > options.size:
                break
            out.write(line)
            written += len(line)
            n += 1
        out.flush()
        peer.cut(out.fileno(), written)


def one_by_one(options):
    table = peer.byte_table()
    with open(options.file, options.mode() + "b", opener=options.opener) as out:
        for start in range(0, options.size, len(table)):
            for i in range(min(len(table), options.size - start)):
                out.write(table[i : i + 1])
        out.flush()
        peer.cut(out.fileno(), options.size)


def write(options):
    if options.workload == "bytes":
        one_by_one(options)
    else:
        text(options)


peer.run(write, ["text", "bytes"], ["reserve", "write-through", "sequential", "overwrite"])
