#!/usr/bin/env python3
"""Completion in real shells: each is started on a terminal of its own and given keys.

  tests/tool/command/completion_test.py USAGE bash|zsh|fish

USAGE is the directory of the built scripts. Skipped, with 77, where the shell is not installed.
"""
import os
import pty
import re
import select
import shutil
import signal
import sys
import tempfile
import time

from commands import ABILITIES

WAIT = 60  # seconds for a shell to answer, on a machine that has other work

# What is typed, and what is offered for its last word: all of it, or some of it where the list is long.
METHODS = {'auto', 'buffered', 'direct', 'uring', 'ofstream-tuned'}
ALL = {
    'freshet be': {'bench'},
    'freshet un': {'unseal'},
    'freshet bench --fail': {'--fail-if-worse'},
    'freshet seal --e': {'--encrypt'},
    'freshet text --durability ': {'none', 'at_close', 'each_write'},
    'freshet bench --order ': {'cycle', 'sequential', 'random'},
    'freshet bench --class none,w': {'none,warm'},
    'freshet bench --method buffered,ofstream-t': {'buffered,ofstream-tuned'},
    'freshet compare --metric c': {'close', 'cpu'},
    'freshet history --export m': {'markdown'},
    'freshet completion ': {'bash', 'fish', 'zsh'},
    'freshet help comp': {'compare', 'completion'},
    'freshet campaign ': {'start', 'status', 'pause', 'resume', 'abort'},
    'freshet filesystems --types ext4,x': {'ext4,xfs'},
    'freshet tune d': {'data'},
    'freshet seal le': {'letters.tar'},
    'freshet cat --key-file le': {'letters.tar'},
    'freshet bench --json le': {'letters.tar'},
    'freshet doctor --proc-root d': {'data'},
    'freshet tune --size ': set(),
}
SOME = {
    'freshet ': {'tune', 'bench', 'doctor', 'seal'},
    'freshet bench --': {'--method', '--size', '--help', '--json'},
    'freshet bench --method ': METHODS,
    'freshet writetest --': {'--stdio', '--aio', '--genio', '--mb'},
}
EQUALS = {'freshet text --durability=at': {'at_close'}}


class Shell:
    """A shell on a terminal, in a directory of its own."""

    def __init__(self, words, directory):
        self.pid, self.terminal = pty.fork()
        if self.pid == 0:
            os.chdir(directory)
            os.environ.update({'HOME': directory, 'TERM': 'dumb', 'LC_ALL': 'C.UTF-8', 'COLUMNS': '4000', 'LINES': '500'})
            os.execvp(words[0], words)
        import fcntl, struct, termios
        fcntl.ioctl(self.terminal, termios.TIOCSWINSZ, struct.pack('HHHH', 500, 4000, 0, 0))
        self.seen = ''

    def type(self, keys):
        os.write(self.terminal, keys.encode())

    def wait_for(self, pattern):
        """Reads until the pattern appears in what is new. Returns the match."""
        end = time.monotonic() + WAIT
        while time.monotonic() < end:
            if match := re.search(pattern, self.seen, re.S):
                self.seen = self.seen[match.end():]
                return match
            if select.select([self.terminal], [], [], 0.2)[0]:
                self.seen += os.read(self.terminal, 65536).decode(errors='replace')
        sys.exit(f'no {pattern!r} within {WAIT} s; the shell printed {self.seen!r}')

    def end(self):
        os.kill(self.pid, signal.SIGKILL)
        os.waitpid(self.pid, 0)
        os.close(self.terminal)


class Bash(Shell):
    """Readline inserts all completions by one key, and a second one prints the line."""

    def __init__(self, usage, directory):
        super().__init__(['bash', '--norc', '--noprofile', '-i'], directory)
        self.type("PS1= PS2=; bind 'set enable-bracketed-paste off'; bind '\"\\C-t\": insert-completions'; "
                  "bind -x '\"\\C-g\": printf \"<%s>\\n\" \"$READLINE_LINE\"'; "
                  f". {usage}/bash/freshet; echo re''ady\n")
        self.wait_for('ready\r?\n')

    def offers(self, line):
        self.type(line + '\x14\x07')
        found = self.wait_for(r'<([^<>]*)>').group(1)
        self.type('\x01\x0b')
        before = line[:line.rindex(' ') + 1]
        words = found[len(before):].split()
        if '=' in line.split()[-1]:
            words = [word.split('=', 1)[1] for word in words]
        return set() if found.rstrip() == line.rstrip() else set(words)


class Zsh(Shell):
    """A completer that puts all matches into the line, and a widget that prints it."""

    def __init__(self, usage, directory):
        super().__init__(['zsh', '-f', '-i'], directory)
        self.type(f"PS1= PS2=; unsetopt zle_bracketed_paste 2>/dev/null; fpath=({usage}/zsh $fpath); autoload -U compinit; compinit -u -D; "
                  "zle -C insert-all complete-word _generic; bindkey '^T' insert-all; "
                  "zstyle ':completion:insert-all:*' completer _all_matches _complete; "
                  "zstyle ':completion:insert-all:*' insert true; "
                  "show() { print -r -- \"<$BUFFER>\"; BUFFER= }; zle -N show; bindkey '^G' show; unset zle_bracketed_paste; echo re''ady\n")
        self.wait_for('ready\r?\n')

    def offers(self, line):
        self.type(line + '\x14\x07')
        found = self.wait_for(r'<([^<>]*)>').group(1)
        before = line[:line.rindex(' ') + 1]
        words = found[len(before):].split()
        if '=' in line.split()[-1]:
            words = [word.split('=', 1)[1] if '=' in word else word for word in words]
        return set() if found.rstrip() == line.rstrip() else set(words)


class Fish:
    """fish says what it would offer."""

    def __init__(self, usage, directory):
        self.script, self.directory = f'{usage}/fish/freshet.fish', directory

    def offers(self, line):
        import subprocess
        done = subprocess.run(['fish', '--no-config', '-c', f'source {self.script}; complete -C "{line}"'], cwd=self.directory,
                              env=os.environ | {'HOME': self.directory, 'LC_ALL': 'C.UTF-8'}, capture_output=True, text=True,
                              check=True, timeout=WAIT)
        if done.stderr:
            sys.exit(done.stderr)
        words = {text.split('\t')[0] for text in done.stdout.splitlines()}
        return {word.split('=', 1)[1] for word in words} if '=' in line.split()[-1] else words

    def end(self):
        pass


def main():
    usage, name = os.path.abspath(sys.argv[1]), sys.argv[2]
    if not shutil.which(name):
        print(f'{name} is not installed')
        sys.exit(77)
    failures = 0
    with tempfile.TemporaryDirectory(prefix='freshet-completion.') as directory:
        os.mkdir(f'{directory}/data')
        open(f'{directory}/letters.tar', 'w').close()
        shell = {'bash': Bash, 'zsh': Zsh, 'fish': Fish}[name](usage, directory)
        with open(f'{usage}/man1/freshet.1', encoding='utf-8') as page:
            commands = set(re.findall(r'freshet\\-([a-z]+)', page.read()))
        for line, expected in (ALL | SOME | EQUALS).items():
            if line.split()[1:2] and line.split()[1] in ABILITIES - commands:
                continue
            # A shell may append what it removes again when more is typed.
            offered = {word.rstrip('/,=') for word in shell.offers(line)}
            if not (expected <= offered if line in SOME else expected == offered):
                failures += 1
                print(f'FAILED: {name} offers {sorted(offered)} for {line!r}, not {sorted(expected)}')
        shell.end()
    print(f'{name}: {len(ALL) + len(SOME) + len(EQUALS)} lines, {failures} failed')
    sys.exit(1 if failures else 0)


main()
