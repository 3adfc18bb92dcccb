"""What every Python peer needs besides its way of writing: the options, the protocol, and the workloads."""

import argparse
import contextlib
import fcntl
import os
import signal
import sys

NAMES = [
    "Jack",
    "Justin Michel",
    "Fred Flintstone",
    "Barney Rubble",
    "Homer J. Simpson",
    "John Jacob Jingleheimer Schmidt",
]

# Direct I/O needs memory, lengths and offsets to be multiples of this.
PAGE = 4096


def byte_table():
    """The content of the workload "bytes"."""
    x = 1
    table = bytearray()
    for _ in range(65536):
        x = (x * 1664525 + 1013904223) % 2**32
        table.append(x >> 24)
    return bytes(table)


class Options(argparse.Namespace):
    buffer = 64 << 10
    is_direct = False  # --no-cache is always on
    reserve = write_through = no_cache = sequential = False

    def mode(self):
        """The mode for open() of a text file."""
        return "w" if self.target == "new" else "r+"

    def flags(self):
        """The flags for os.open()."""
        flags = os.O_WRONLY | os.O_CLOEXEC
        return flags | (os.O_CREAT | os.O_TRUNC if self.target == "new" else 0)

    def opener(self, path, flags):
        """The opener for open(), which applies the other options."""
        if self.write_through:
            flags |= os.O_DSYNC
        if self.no_cache:
            flags |= os.O_DIRECT
        with during("open"):
            descriptor = os.open(path, flags, 0o666)
        if self.reserve and self.size > 0:
            with during("fallocate"):
                os.posix_fallocate(descriptor, 0, self.size)
        if self.sequential:
            with during("fadvise"):
                os.posix_fadvise(descriptor, 0, 0, os.POSIX_FADV_SEQUENTIAL)
        return descriptor


method_at_work = "buffered"


def cut(descriptor, written):
    """Truncates the file if it is longer than its content. Before that, it asks the kernel by which method it was
    written."""
    global method_at_work
    if fcntl.fcntl(descriptor, fcntl.F_GETFL) & os.O_DIRECT:
        method_at_work = "direct"
    if os.fstat(descriptor).st_size > written:
        with during("truncate"):
            os.ftruncate(descriptor, written)


class Failure(Exception):
    pass


@contextlib.contextmanager
def during(operation):
    """Adds the operation to an error."""
    try:
        yield
    except OSError as error:
        raise Failure(operation, error.strerror) from error


def run(work, workloads, supported):
    """Does the work between reading the two lines."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # no stack trace on Ctrl-C
    options = parse(workloads, supported)
    say_and_wait("ready")
    try:
        with during("write"):
            work(options)
    except Failure as failure:
        operation, reason = failure.args
        sys.exit(f"{operation} '{options.file}': {reason}")
    say_and_wait(f"closed {method_at_work}")


def say_and_wait(line):
    """The end of the input counts as a line."""
    print(line, flush=True)
    sys.stdin.readline()


class Parser(argparse.ArgumentParser):
    def error(self, message):
        self.exit(2, message + "\n")


def parse(workloads, supported):
    targets = ["new", "overwrite"] if "overwrite" in supported else ["new"]
    parser = Parser(allow_abbrev=False)
    parser.add_argument("--file", required=True)
    parser.add_argument("--size", required=True, type=number)
    parser.add_argument("--workload", choices=workloads, default="text")
    parser.add_argument("--target", choices=targets, default="new")
    if "buffer" in supported:
        parser.add_argument("--buffer", type=number, default=Options.buffer)
    for switch in {"reserve", "write-through", "no-cache", "sequential"} & set(supported):
        parser.add_argument("--" + switch, action="store_true")
    options = parser.parse_args(namespace=Options())
    options.no_cache |= options.is_direct
    if not 2 <= options.buffer <= 1 << 30:
        parser.error("--buffer is 2 to 1073741824 bytes")  # open() takes 1 for line buffering
    if options.no_cache and options.buffer % PAGE != 0:
        parser.error(f"--buffer must be a multiple of {PAGE} with --no-cache")
    return options


def number(text):
    if not (text.isascii() and text.isdecimal() and int(text) < 2**63):
        raise argparse.ArgumentTypeError(f"'{text}' is no number of bytes")
    return int(text)
