#!/usr/bin/env python3
"""Every command under every signal that ends a program: exit code 128 + n, and nothing left behind.

  tests/tool/command/signals_test.py FRESHET

Each pair of a command and a signal is tried at moments spread over the call's time: 20 of them if FRESHET_TEST_COMPLETE=1,
else a sample of all. A call that ends before its signal counts as not hit, but for those that would go on for hours: each of
them is hit by each signal.
"""
import os
import shutil
import signal
import subprocess
import sys
import time

from commands import CALLS, LONGEST, Sandbox

# Calls that do not end by themselves: so many rounds take hours.
ENDLESS = {
    'bench': 'd --size 4M --rounds 10000 --max-bytes 1T', 'bytes': 'file --size 16M --ways fwrite,fread --rounds 10000 --max-bytes 1T',
    'writetest': '--output-dir d --b 4194304 --i 10000 --stdio --max-bytes 1T',
    'campaign': 'slow.toml --store campaigns', 'sustain': 'd --rate 1M --time 10m --size 1M',
    'sweep': 'd --corpora small-files --strategies streaming --threads 1 --work 0 --scale 0.1 --rounds 1000 --max-bytes 1T'}
# Calls that take long enough to be hit.
LONG = CALLS | ENDLESS | {
    'tune': 'd --size 1M --time 3s', 'text': 'file --size 512M --durability at_close',
    'corpus': 'out --files 500 --lines 2000 --chars 50', 'encrypt': 'in out --work 1000000'}
SIGNALS = [signal.SIGHUP, signal.SIGINT, signal.SIGTERM, signal.SIGPIPE, signal.SIGXFSZ]
MOMENTS = 20
SPAN = 1.5  # seconds
LONGEST_LINE = 1000  # bytes: a text has as many whole lines as fit


def restore_signals():
    for each in SIGNALS:
        signal.signal(each, signal.SIG_DFL)


def hit(box, command, number, moment):
    """Starts the call and sends it the signal after `moment` seconds. Returns the finished call, or None if it was too late."""
    directory = box.fresh()
    began = time.monotonic()
    process = subprocess.Popen([box.program, command, *LONG[command].split()], cwd=directory, env=box.environment(directory),
                               stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
                               errors='replace', preexec_fn=restore_signals)
    time.sleep(moment)
    late = process.poll() is not None
    process.send_signal(number)
    sent = time.monotonic()
    try:
        _, errors = process.communicate(timeout=60)
        code = process.returncode
    except subprocess.TimeoutExpired:
        process.kill()
        _, errors = process.communicate()
        code = 'none for 60 s'
    done = subprocess.CompletedProcess(process.args, code, '', errors)
    done.seconds = time.monotonic() - sent
    done.call = f'freshet {command} {LONG[command]}  # {signal.Signals(number).name} after {moment:.2f} s'
    done.left = sorted(str(path.relative_to(directory)) for path in directory.rglob('.freshet*')
                       if 'home' not in path.parts and path.name != '.freshet-encrypt.json')
    file = directory / 'file'
    # A complete text is a result: the signal came after it was written.
    if file.exists() and (command == 'bytes' or command == 'text' and file.stat().st_size < (512 << 20) - LONGEST_LINE):
        done.left.append('file')
    shutil.rmtree(directory, ignore_errors=True)
    return None if late or code == 0 else done


def main():
    with Sandbox(sys.argv[1]) as box:
        tries = [(command, number, SPAN * (0.01 + moment / MOMENTS))
                 for command in LONG if command in CALLS for number in SIGNALS for moment in range(MOMENTS)]
        hits = []

        def check(each):
            done = hit(box, *each)
            if done is None:
                if each[0] in ENDLESS:
                    box.failures += 1
                    print(f'FAILED: freshet {each[0]} {LONG[each[0]]} ended by itself, in spite of {each[1].name} or before it')
                return
            hits.append(each)
            # A program that signal n ends has exit code -n here; shells report 128 + n.
            number = each[1]
            (box.expect(done, done.returncode in (128 + number, -number), f'exit code {128 + number}') and
             box.expect(done, len(done.stderr.splitlines()) <= 20, 'a few lines') and
             box.expect(done, not done.left, 'nothing left behind') and
             box.expect(done, done.seconds < LONGEST, f'an end within {LONGEST} s'))
        once = [(command, number, SPAN / 2) for command in ENDLESS if command in CALLS for number in SIGNALS]
        box.each(check, once + box.sample(tries, 80))
        print(f'{len(hits)} calls were hit')
        if not hits:
            sys.exit('no call was hit: this shows nothing')
        box.finish()


if __name__ == '__main__':
    os.umask(0o022)
    main()
