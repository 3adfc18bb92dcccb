#!/usr/bin/env python3
"""What the command does on Windows, under Wine: command_test.py PROGRAM STATE, the directory of Wine's state.

Each subcommand that there is prints text and JSON, keeps or removes its file, and writes what it should; all others say
that they need Linux, and wrong usage is refused."""

import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

WINE = "/usr/lib/wine/wine64"
SERVER = "/usr/lib/wine/wineserver64"
SOURCE = pathlib.Path(__file__).resolve().parents[3]
NAMES = ["Jack", "Justin Michel", "Fred Flintstone", "Barney Rubble", "Homer J. Simpson", "John Jacob Jingleheimer Schmidt"]
program, state = (os.path.realpath(word) for word in sys.argv[1:3])
# Wine takes names for what the locale says.
ENVIRONMENT = os.environ | {"WINEPREFIX": f"{state}/wine", "WINEDEBUG": "-all", "WINEDLLOVERRIDES": "mscoree,mshtml=",
                            "LC_ALL": "C.UTF-8"}
ENVIRONMENT.pop("DISPLAY", None)
failures = []


def expect(holds, what):
    if not holds:
        failures.append(what)
        print(f"failed: {what}", file=sys.stderr)


def freshet(*words, profile="none"):
    return subprocess.run([WINE, program, *map(str, words)], env=ENVIRONMENT | {"FRESHET_PROFILE": profile},
                          stdin=subprocess.DEVNULL, capture_output=True, text=True, encoding="utf-8", timeout=120)


def succeed(*words, **options):
    """The text and the JSON of a call, which goes to the file `json`."""
    ended = freshet(*words, "--json", "json", **options)
    expect(ended.returncode == 0, f"{words} exits with {ended.returncode}: {ended.stderr}")
    expect(ended.stderr == "", f"{words} says {ended.stderr}")
    if ended.returncode != 0:
        return "", {}
    return ended.stdout, json.loads(pathlib.Path("json").read_text(encoding="utf-8"))


def text_of(size):
    """What `freshet text` writes: whole lines, of at most `size` bytes."""
    text = b""
    for number in range(1, size):
        line = f"{chr(9) * (number % 8)}All work and no play makes {NAMES[number % 6]} a dull boy.\n".encode()
        if len(text) + len(line) > size:
            return text
        text += line


def test_text(directory):
    content = text_of(300_000)
    for options in ([], ["--method", "direct"], ["--method", "overlapped", "--block", "64K"], ["--no-cache"], ["--atomic"],
                    ["--durability", "at_close"], ["--method", "ofstream-tuned"], ["--reserve", "--repeat", "2"]):
        file = directory / "text.txt"
        text, figures = succeed("text", file, "--size", "300000", *options)
        trial = figures.get("trial", {})
        expect(file.exists() and file.read_bytes() == content, f"text {options} writes the text")
        expect(re.search(r"to close +[\d.,]+ MB/s", text), f"text {options} prints its speed, not {text}")
        expect(f"{len(content)} bytes" in text, f"text {options} prints the bytes")
        for figure in ("bytes", "lines", "seconds_to_close", "seconds_to_disk", "mb_per_second_to_close", "bytes_compared"):
            expect(trial.get(figure, 0) > 0, f"text {options} has the figure {figure}")
        for figure in ("extents", "page_cache", "device_bytes", "peak_memory"):
            expect(trial.get(figure, 0) is None, f"text {options} does not know {figure}")
        if "--method" in options:
            expect(trial.get("method") == options[1], f"text {options} is written by {trial.get('method')}")
        expect(figures.get("file") == str(file), f"text names {file}, not {figures.get('file')}")
        file.unlink(missing_ok=True)
    for options in (["--temporary"], ["--delete-on-close"]):
        succeed("text", directory if "--temporary" in options else directory / "gone.txt", "--size", "300000", *options)
        expect(list(directory.iterdir()) == [], f"text {options} leaves nothing: {list(directory.iterdir())}")


def test_bytes(directory):
    file = directory / "bytes"
    text, figures = succeed("bytes", file, "--size", "256K", "--rounds", "2", "--seed", "7")
    trials = figures.get("trials", [])
    ways = {trial["way"] for trial in trials}
    expect({"fwrite", "putc", "ofstream.put", "writer.put", "fread", "getc", "ifstream.get", "reader.get"} <= ways,
           f"bytes has the usual ways, not {ways}")
    expect(not {way for way in ways if "unlocked" in way}, f"bytes has no ways without locks: {ways}")
    for trial in trials:
        expect(trial["bytes"] == 256 << 10 and trial["seconds_to_close"] > 0 and trial["mb_per_second_to_close"] > 0,
               f"bytes: {trial['way']} has figures")
        why = "the system does not tell what was in memory" if trial["direction"] == "read" else "cannot be seen"
        expect(trial["verdict"] == "unknown" and why in "; ".join(trial["reasons"]), f"bytes: {trial['reasons']}")
    expect("written in all: " in text and "--seed 7" in text, f"bytes says how to repeat it, not {text}")
    expect(not file.exists(), "bytes removes its file")
    environment = figures.get("environment", {})
    for setting in ("machine", "kernel", "cpus", "memory", "file_system_key", "version", "build"):
        expect(environment.get(setting), f"bytes describes {setting}")
    succeed("bytes", file, "--size", "64K", "--rounds", "1", "--ways", "fwrite", "--keep")
    expect(file.exists() and file.stat().st_size == 64 << 10, "bytes --keep keeps its file")
    file.unlink(missing_ok=True)
    return environment.get("file_system_key")


def test_profile(directory, key):
    profile = pathlib.Path("profile.toml")
    profile.write_text(f'format = 1\n[file_system."{key}"]\ntype = "NTFS"\nsize = 1073741824\n'
                       f'[file_system."{key}".none]\nmethod = "overlapped"\nblock = "64K"\ndepth = 2\n')
    _, figures = succeed("text", directory / "text.txt", "--size", "1M", profile="profile.toml")
    method = figures.get("trial", {}).get("method")
    expect(method == "overlapped", f"text is written by the profile's method, not by {method}")
    (directory / "text.txt").unlink(missing_ok=True)


def test_methods(directory):
    text, listed = succeed("methods", directory)
    known = {method["name"]: method for method in listed}
    for name in ("buffered", "direct", "overlapped", "mmap"):
        expect(known.get(name, {}).get("available"), f"methods lists {name}")
        expect(re.search(rf"^{name} +yes", text, re.M), f"methods prints {name}")
    expect("uring" not in known, "methods lists no io_uring")
    expect(known.get("writebehind", {}).get("why_not"), "methods says why writebehind does not work")


def test_refusals(directory):
    header = (SOURCE / "tool/command/commands.hpp").read_text()
    of_linux = re.findall(r'"([a-z]+)"', re.search(r"commands_of_linux = .*?;", header, re.S)[0])
    abilities = re.findall(r"^ability\((\w+)", (SOURCE / "lab/abilities.cmake").read_text(), re.M)
    of_linux += [name for name in abilities if name != "bytes"]
    expect(len(of_linux) > 10, "commands.hpp and the laboratory list the commands of Linux")
    for name in of_linux:
        ended = freshet(name, "--time", "60", directory)
        expect((ended.returncode, ended.stdout, ended.stderr) ==
               (2, "", f"freshet: {name} needs Linux; on Windows, there are text, bytes and methods\n"),
               f"{name} is refused in a sentence: {ended}")
    for words, reason in ((["text"], "FILE is required"), (["text", "f", "--size", "0"], "--size"),
                          (["text", "f", "--method", "uring"], '"uring" is not a method'),
                          (["bytes", "f", "--ways", "fwrite_unlocked"], "is not a way"), (["methods", "--nonsense"], "no option"),
                          (["text", "f", "--store", "s"], "built without a store"), (["nonsense"], "no command"), ([], "missing")):
        ended = freshet(*words)
        expect(ended.returncode == 2 and reason in ended.stderr and ended.stdout == "", f"{words} is refused: {ended}")
    for words, reason in ((["text", directory / "no" / "f"], "no"), (["text", directory], "directory"),
                          (["text", "f", "--size", "1K", "--json", "no/j"], "No such"), (["bytes", "json"], "--force replaces"),
                          (["text", "f", "--size", "1K", "--checksum", "xxh3"], "xxhash")):
        ended = freshet(*words)
        expect(ended.returncode == 1 and reason in ended.stderr, f"{words} fails: {ended}")
    expect(not pathlib.Path("f").exists(), "what is refused writes nothing")


def test_help():
    version = re.search(r"project\(freshet VERSION ([\d.]+)", (SOURCE / "CMakeLists.txt").read_text())[1]
    expect(freshet("--version").stdout == f"freshet {version}\n", "--version names the version")
    for words in (["--help"], ["text", "--help"], ["help", "bytes"], ["help", "methods", "--man"]):
        ended = freshet(*words)
        expect(ended.returncode == 0 and len(ended.stdout) > 500, f"{words} helps: {ended}")
    expect("tune" not in freshet("--help").stdout, "--help lists nothing that needs Linux")


def main():
    # One server for all calls, each of which would start it and Wine's services anew.
    os.makedirs(ENVIRONMENT["WINEPREFIX"], exist_ok=True)
    subprocess.run([SERVER, "-p"], env=ENVIRONMENT, check=True)
    # The services stay, and would hold a pipe open.
    subprocess.run([WINE, "cmd", "/c", "exit"], env=ENVIRONMENT, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                   stderr=subprocess.DEVNULL)
    try:
        test_all()
    finally:
        subprocess.run([SERVER, "-k"], env=ENVIRONMENT)
    print(f"the command under Wine: {len(failures)} failures")
    return 1 if failures else 0


def test_all():
    with tempfile.TemporaryDirectory(dir=os.environ.get("FRESHET_TEST_DIR", "/var/tmp")) as place:
        os.chdir(place)
        directory = pathlib.Path("日本")
        directory.mkdir()
        test_help()
        test_text(directory)
        key = test_bytes(directory)
        test_profile(directory, key)
        test_methods(directory)
        test_refusals(directory)
        expect(list(directory.iterdir()) == [], f"nothing is left behind: {list(directory.iterdir())}")
        os.chdir("/")


if __name__ == "__main__":
    sys.exit(main())
