#!/usr/bin/env python3
"""Every command with every system call failing, by strace: exit code 1 and a reason, or 0 and right results.

  tests/tool/command/faults_test.py FRESHET

Each kind of call that a command makes after its start is failed at its first, second and last time, with each error of its man
page, and made to transfer less where it transfers. FRESHET_TEST_COMPLETE=1 makes all these runs, some thousands; without it a
sample of FRESHET_FAULTS (300). What the loader and the threads library do (mmap, futex, …) is left alone.
"""
import collections
import os
import re
import subprocess
import sys

from commands import CALLS, LONGEST, Sandbox

IO = ['EIO', 'EINTR']
ERRORS = {
    'openat': ['EACCES', 'EMFILE', 'ENFILE', 'ENOENT', 'ENOMEM', 'EINTR', 'EIO'],
    'close': ['EIO', 'EINTR', 'ENOSPC'],
    'read': IO, 'pread64': IO, 'readv': IO, 'preadv2': IO + ['EOPNOTSUPP'],
    'write': IO + ['ENOSPC', 'EDQUOT', 'EFBIG'], 'pwrite64': IO + ['ENOSPC', 'EDQUOT', 'EFBIG'],
    'writev': IO + ['ENOSPC'], 'pwritev2': IO + ['EOPNOTSUPP', 'ENOSPC'],
    'lseek': ['EINVAL'], 'newfstatat': ['EACCES', 'ENOENT', 'ENOMEM'], 'fstat': ['ENOMEM'], 'statx': ['EACCES', 'ENOENT'],
    'statfs': ['EIO', 'ENOSYS'], 'fstatfs': ['EIO', 'ENOSYS'], 'getdents64': ['ENOENT', 'EIO'],
    'fsync': ['EIO', 'ENOSPC', 'EINTR'], 'fdatasync': ['EIO', 'ENOSPC', 'EINTR'], 'syncfs': ['EIO'],
    'sync_file_range': ['EIO', 'ENOSPC'], 'fadvise64': ['EINVAL'], 'fallocate': ['ENOSPC', 'EOPNOTSUPP', 'EINTR'],
    'ftruncate': ['EIO', 'EFBIG', 'EINTR'], 'fcntl': ['EINVAL', 'EPERM'], 'flock': ['EWOULDBLOCK', 'ENOLCK', 'EINTR'],
    'mkdir': ['EACCES', 'ENOSPC', 'EROFS'], 'mkdirat': ['EACCES', 'ENOSPC'], 'rmdir': ['EBUSY', 'EACCES'],
    'unlink': ['EACCES', 'EBUSY'], 'unlinkat': ['EACCES', 'EBUSY'], 'rename': ['EACCES', 'ENOSPC', 'EXDEV'],
    'renameat': ['EACCES', 'ENOSPC', 'EXDEV'], 'linkat': ['EACCES', 'EPERM', 'ENOSPC'], 'readlink': ['EACCES', 'ENOENT'],
    'io_uring_setup': ['ENOSYS', 'EPERM', 'ENOMEM', 'EMFILE'], 'io_uring_enter': ['EAGAIN', 'ENOMEM', 'EBUSY', 'EINTR'],
    'io_uring_register': ['ENOMEM', 'EINVAL'], 'io_setup': ['EAGAIN', 'ENOMEM', 'ENOSYS'],
    'io_submit': ['EAGAIN', 'ENOMEM', 'EIO'], 'io_getevents': ['EINTR'],
    'clone3': ['EAGAIN', 'ENOMEM'], 'getrandom': ['EINTR'], 'sched_getaffinity': ['ENOSYS'], 'socket': ['EMFILE', 'EACCES'],
}
SHORT = {'read', 'pread64', 'write', 'pwrite64'}


def calls_after_start(box, command):
    """How often each kind of call is made before the program's own start, and in all."""
    log = box.root / 'log'
    box.run(command, CALLS[command].split(), before=['strace', '-f', '-qq', '-o', str(log), '-e', 'signal=none'])
    names = re.findall(r'^\d+ +(\w+)\(', log.read_text(errors='replace'), re.M)
    # The loader's last act is to drop the list of libraries (ld.so.cache).
    start = names.index('munmap') + 1 if 'munmap' in names else 0
    return collections.Counter(names[:start]), collections.Counter(names)


def plan(box):
    for command in CALLS:
        before, total = calls_after_start(box, command)
        for name, errors in ERRORS.items():
            first, last = before[name] + 1, total[name]
            moments = sorted({each for each in (first, first + 1, last) if first <= each <= last})
            for moment in moments:
                for error in errors:
                    yield command, f'{name}:error={error}:when={moment}'
                if name in SHORT:
                    yield command, f'{name}:retval=1:when={moment}'


def is_hidden(fault, done):
    """Whether the fault is one that no program can notice, or keeps it from cleaning up, which it says."""
    claims_a_write = fault.startswith('write:retval')  # the injected call writes nothing, and only `text` reads its file again
    says_it_is_gone = 'error=ENOENT' in fault
    return claims_a_write or says_it_is_gone or re.match('unlink|rmdir', fault) and 'remove' in done.stderr


def check(box, command, fault, right):
    done = box.run(command, CALLS[command].split(), timeout=60,
                   before=['strace', '-f', '-qq', '-o', '/dev/null', '-e', f'trace={fault.split(":")[0]}', '-e', f'inject={fault}'])
    done.call += f'  # {fault}'
    return (box.expect(done, done.returncode in (0, 1), 'exit code 0 or 1') and
            box.expect(done, done.returncode == 0 or done.stderr.strip(), 'a reason') and
            box.expect(done, 'std::' not in done.stderr and 'terminate' not in done.stderr, 'plain words') and
            box.expect(done, done.returncode != 0 or done.content == right or is_hidden(fault, done),
                       'exit code 1, or files as without the fault') and
            box.expect(done, not (done.returncode == 0 and 'does not hold what was written' in done.stdout + done.stderr),
                       'exit code 1 where a file is wrong') and
            box.expect(done, not [name for name in done.left if re.search(r'\.freshet-\d', name)] or is_hidden(fault, done),
                       'nothing left behind') and
            box.expect(done, not done.stderr.startswith('timeout'), f'an end within {LONGEST} s'))


def main():
    if subprocess.run(['strace', '-f', '-qq', '-o', '/dev/null', '-e', 'inject=pwrite64:error=EIO:when=1', 'true'],
                      check=False).returncode != 0:
        print('skipped: there is no strace here that may inject faults')
        sys.exit(77)
    with Sandbox(sys.argv[1]) as box:
        faults = list(plan(box))
        tried = box.sample(faults, int(os.environ.get('FRESHET_FAULTS', '300')))
        right = {command: box.run(command, words.split()).content for command, words in CALLS.items()}
        box.each(lambda each: check(box, *each, right[each[0]]), tried)
        print(f'{len(tried)} of {len(faults)} faults')
        box.finish()


if __name__ == '__main__':
    os.environ['ASAN_OPTIONS'] = 'detect_leaks=0'  # the leak detector does not work under a tracer
    main()
