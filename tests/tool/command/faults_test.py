#!/usr/bin/env python3
"""Every command with every system call failing, by strace: exit code 1 and a reason, or 0 and right results.

  tests/tool/command/faults_test.py FRESHET

Each kind of call that a command makes after its start is failed at the first, second and last time that each of its threads
makes it, with each error of its man page, and made to transfer less where it transfers. FRESHET_TEST_COMPLETE=1 makes all these
runs, some 25,000; FRESHET_FAULTS (300 where nothing is complete) tries a sample. The loader's own calls and futex are left alone.
"""
import collections
import itertools
import os
import re
import subprocess
import sys

from commands import CALLS, LONGEST, Sandbox

# The methods, strategies and outputs that the first call of a command does not reach.
METHODS = 'writebehind direct libaio uring uring-buffered aio'.split()
MORE = {
    'tune': [CALLS['tune'] + ' --class warm', CALLS['tune'] + ' --class each_write --store tuned'],
    'bench': [f'd --size 64K --method {method} --rounds 1' for method in METHODS] +
             ['d --size 64K --method mmap --unordered --rounds 1',
              'd --size 64K --method buffered,uring,mmap --class warm --rounds 1',
              'd --size 64K --method buffered --durability each_write --jobs 2 --rounds 1 --store store',
              'd --size 64K --method buffered --rounds 1 --json out.json --export csv out.csv'],
    'text': [f'file --size 300K --method {method} --durability at_close' for method in METHODS] +
            ['file --size 64K --write-through --reserve --json out.json'],
    'bytes': ['file --size 64K --ways putc,getc,writer.put,reader.get --rounds 1 --keep'],
    'corpus': ['out --files 2 --lines 3 --chars 10 --vary --json -'],
    'encrypt': [f'in out --strategy {strategy} --threads 2 --verify --cipher {cipher}'
                for strategy in ('streaming', 'buffering', 'pipelined', 'async') for cipher in ('xor', 'aes')],
    'sweep': [CALLS['sweep'].replace('streaming', strategy) + ' --streams std' for strategy in ('buffering', 'pipelined')],
    'history': ['--store store --run 1', '--store store --json out.json'],
    'compare': ['1 2 --store store --json out.json'],
    'report': ['--store store --run last --out -'],
    'methods': ['d --json out.json'],
    'doctor': ['d --details --json out.json', 'd --proc-root d'],
    'profile': ['d --json -'],
    'campaign': ['plan.toml --dry-run', 'plan.toml --store store --json out.json'],
}

# The errors of each call's man page (Linux man-pages 6.03) that it may fail with here: no EFAULT, no EBADF. brk is left alone:
# Linux reports its failure by the old break, which strace cannot inject.
PATH = 'EACCES ELOOP ENAMETOOLONG ENOENT ENOMEM ENOTDIR EIO'
READ = 'EAGAIN EINTR EINVAL EIO EISDIR'
WRITE = 'EAGAIN EDQUOT EFBIG EINTR EINVAL EIO ENOSPC EPERM'
CREATE = PATH + ' EDQUOT EEXIST EMLINK ENOSPC EPERM EROFS EINVAL'
SYNC = 'EIO EROFS EINVAL ENOSPC EDQUOT'
ERRORS = {name: errors.split() for names, errors in {
    'openat': PATH + ' EBUSY EDQUOT EEXIST EFBIG EINTR EINVAL EISDIR EMFILE ENFILE ENODEV ENOSPC ENXIO EOPNOTSUPP EOVERFLOW '
              'EPERM EROFS ETXTBSY EWOULDBLOCK',
    'close': 'EINTR EIO ENOSPC EDQUOT',
    'read readv': READ, 'pread64 preadv': READ + ' EOVERFLOW ESPIPE', 'preadv2': READ + ' EOVERFLOW ESPIPE EOPNOTSUPP',
    'write writev': WRITE + ' EPIPE', 'pwrite64 pwritev': WRITE + ' ESPIPE EOVERFLOW',
    'pwritev2': WRITE + ' ESPIPE EOVERFLOW EOPNOTSUPP',
    'lseek': 'EINVAL ENXIO EOVERFLOW ESPIPE', 'newfstatat statx': PATH + ' EINVAL', 'fstat': 'ENOMEM EOVERFLOW EIO',
    'statfs fstatfs': 'EACCES EINTR EIO ENOENT ENOMEM ENOSYS EOVERFLOW', 'getdents64': 'EINVAL ENOENT ENOTDIR EIO',
    'access faccessat faccessat2': PATH + ' EROFS EPERM EINVAL', 'getcwd': 'EACCES ENOENT ENOMEM',
    'readlink readlinkat': PATH + ' EINVAL',
    'fsync fdatasync': SYNC, 'syncfs': SYNC, 'sync_file_range': 'EINVAL EIO ENOMEM ENOSPC ESPIPE',
    'fadvise64': 'EINVAL ESPIPE', 'cachestat': 'EINVAL EOPNOTSUPP ENOSYS', 'mincore': 'EAGAIN EINVAL ENOMEM',
    'fallocate': 'EFBIG EINTR EINVAL EIO ENODEV ENOSPC ENOSYS EOPNOTSUPP EPERM ESPIPE ETXTBSY',
    'ftruncate': 'EFBIG EINTR EINVAL EIO EISDIR EPERM EROFS ETXTBSY', 'fcntl': 'EACCES EAGAIN EBUSY EINTR EINVAL EMFILE ENOLCK EPERM',
    'flock': 'EINTR EINVAL ENOLCK EWOULDBLOCK', 'ioctl': 'EINVAL ENOTTY EPERM EOPNOTSUPP',
    'mkdir mkdirat': CREATE, 'rmdir': PATH + ' EBUSY EINVAL ENOTEMPTY EPERM EROFS',
    'unlink unlinkat': PATH + ' EBUSY EISDIR EPERM EROFS', 'linkat': CREATE + ' EXDEV',
    'rename renameat renameat2': CREATE + ' EBUSY EISDIR ENOTEMPTY EXDEV',
    'chmod fchmod chown fchown': 'EACCES EIO ENOMEM EPERM EROFS', 'utimensat': 'EACCES EPERM EROFS',
    'io_uring_setup': 'EINVAL EMFILE ENFILE ENOMEM EPERM ENOSYS',
    'io_uring_enter': 'EAGAIN EBADR EBUSY EINVAL EOPNOTSUPP EINTR', 'io_uring_register': 'EBUSY EEXIST EINVAL EMFILE ENOMEM EPERM',
    'io_setup': 'EAGAIN EINVAL ENOMEM ENOSYS', 'io_submit': 'EAGAIN EINVAL ENOSYS', 'io_getevents': 'EINTR EINVAL ENOSYS',
    'io_destroy': 'EINVAL ENOSYS',
    'mmap': 'EAGAIN ENOMEM EPERM ENFILE', 'mremap munmap mprotect madvise': 'EAGAIN EINVAL ENOMEM',
    'clone3 clone vfork': 'EAGAIN ENOMEM EPERM', 'pipe2': 'EMFILE ENFILE', 'dup2': 'EBUSY EINTR EMFILE', 'kill': 'EPERM ESRCH',
    'wait4 waitid': 'ECHILD EINTR', 'poll': 'EINTR ENOMEM', 'execve': 'EACCES ENOENT ENOMEM E2BIG ENOEXEC ETXTBSY',
    'chdir': PATH, 'setpgid': 'EACCES EPERM', 'getrandom': 'EAGAIN EINTR ENOSYS', 'prlimit64': 'EINVAL EPERM',
    'sched_getaffinity sched_setaffinity': 'EINVAL EPERM ESRCH', 'sched_getparam sched_getscheduler': 'EINVAL EPERM ESRCH',
    'sysinfo uname getrusage clock_gettime': 'EFAULT ENOSYS', 'rt_sigaction rt_sigprocmask': 'EINVAL',
    'socket': 'EACCES EMFILE ENFILE ENOMEM',
}.items() for name in names.split()}
# What the sanitizers call for purposes of their own.
SANITIZERS = set('clone clone3 madvise mmap mprotect mremap munmap pipe2 prlimit64 readlink rt_sigaction rt_sigprocmask '
                 'sched_getaffinity sysinfo uname write'.split())
SHORT = {'read', 'pread64', 'write', 'pwrite64'}


def count_calls(box, command, words):
    """How often each kind of call is made before the command's own start, and by each of its threads in all."""
    log = box.root / f'calls-{next(box.calls)}'
    box.run(command, words, before=['strace', '-f', '-qq', '-o', str(log), '-e', 'signal=none'])
    names = collections.defaultdict(list)
    for thread, name in re.findall(r'^(\d+) +(\w+)\(', log.read_text(errors='replace'), re.M):
        names[thread].append(name)
    main = next(iter(names))
    # The loader's last act is to drop the list of libraries (ld.so.cache). The laboratory's commands are another program.
    program = len(names[main]) - names[main][::-1].index('execve') if 'execve' in names[main] else 0
    start = names[main].index('munmap', program) + 1 if 'munmap' in names[main][program:] else program
    # What it starts is another program.
    threads = [collections.Counter(made) for thread, made in names.items() if thread == main or 'execve' not in made]
    return collections.Counter(names[main][:start]), threads


def faults_of(box, command, words):
    before, threads = count_calls(box, command, words.split())
    moments = collections.defaultdict(set)  # strace counts the calls of each thread, and so the loader's before all others
    for total in threads:
        for name in (total.keys() & ERRORS.keys()) - (SANITIZERS if box.sanitized else set()):
            first, last = before[name] + 1, total[name]
            moments[name] |= {each for each in (first, first + 1, last) if first <= each <= last}
    faults = []
    for name in sorted(moments):
        kinds = [f'error={error}' for error in ERRORS[name]] + (['retval=1'] if name in SHORT else [])
        faults += [(command, words, f'{name}:{kind}:when={moment}') for moment in sorted(moments[name]) for kind in kinds]
    return faults


def is_hidden(fault, done):
    """Whether the fault is one that no program can notice, or keeps it from cleaning up, which it says."""
    claims_a_write = fault.startswith('write:retval')  # the injected call writes nothing, and only `text` reads its file again
    claims_a_read = re.match('(read|pread64):retval', fault) and done.call.startswith('freshet seal')  # of bytes that may be any
    says_it_is_gone = 'error=ENOENT' in fault
    return claims_a_write or claims_a_read or says_it_is_gone or re.match('unlink|rmdir', fault) and 'remove' in done.stderr


def check(box, command, words, fault, right):
    """Returns whether the fault came to pass."""
    log = box.root / f'fault-{next(box.calls)}'
    done = box.run(command, words.split(), timeout=60,
                   before=['strace', '-f', '--seccomp-bpf', '-qq', '-o', str(log), '-e', f'trace={fault.split(":")[0]}',
                           '-e', f'inject={fault}'])
    hit = log.exists() and '(INJECTED)' in log.read_text(errors='replace')
    log.unlink(missing_ok=True)
    done.call += f'  # {fault}'
    # A read that claims a byte leaves a zero where a plan has its first: such a plan is a usage error.
    codes = (0, 1, 2) if command == 'campaign' and fault.startswith('read:retval') else (0, 1)
    (box.expect(done, done.returncode in codes, f'an exit code of {codes}') and
     box.expect(done, done.returncode == 0 or done.stderr.strip() or fault.startswith('write'), 'a reason') and
     box.expect(done, 'std::' not in done.stderr and 'terminate' not in done.stderr, 'plain words') and
     box.expect(done, done.returncode != 0 or done.content == right or is_hidden(fault, done),
                'exit code 1, or files as without the fault') and
     box.expect(done, not (done.returncode == 0 and 'does not hold what was written' in done.stdout + done.stderr),
                'exit code 1 where a file is wrong') and
     box.expect(done, not [name for name in done.left if re.search(r'\.freshet-\d', name)] or is_hidden(fault, done),
                'nothing left behind') and
     box.expect(done, not done.stderr.startswith('timeout'), f'an end within {LONGEST} s'))
    return hit


def main():
    if subprocess.run(['strace', '-f', '--seccomp-bpf', '-qq', '-o', '/dev/null', '-e', 'trace=pwrite64',
                       '-e', 'inject=pwrite64:error=EIO:when=1', 'true'], check=False).returncode != 0:
        print('skipped: there is no strace here that may inject faults')
        sys.exit(77)
    with Sandbox(sys.argv[1]) as box:
        calls = [*CALLS.items(), *((command, words) for command, more in MORE.items() if command in CALLS for words in more)]
        faults = list(itertools.chain.from_iterable(box.each(lambda call: faults_of(box, *call), calls)))
        count = int(os.environ.get('FRESHET_FAULTS', len(faults) if box.complete else 300))
        tried = box.random.sample(faults, min(count, len(faults)))
        right = {}
        for command, words in calls:
            done = box.run(command, words.split())
            box.expect(done, done.returncode == 0 or 'no valid trial' in done.stderr, 'exit code 0 without a fault')
            right[command, words] = done.content
        hits = box.each(lambda each: check(box, *each, right[each[:2]]), tried)
        print(f'{len(tried)} of {len(faults)} faults, {sum(hits)} of which came to pass')
        if sum(hits) < len(tried) / 2:
            sys.exit('most faults did not come to pass: this shows little')
        box.finish()


if __name__ == '__main__':
    os.environ['ASAN_OPTIONS'] = 'detect_leaks=0'  # the leak detector does not work under a tracer
    main()
