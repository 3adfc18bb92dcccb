#!/usr/bin/env python3
"""Names the tests that ctest skipped, with their reasons: skips.py [--strict] REPORT…, the files of ctest --output-junit.

With --strict it fails where a skip is due to neither the kernel nor the machine: root on Debian has all else.
"""
import os
import re
import sys
import xml.etree.ElementTree as tree

# Reasons that hold on some machines, whatever is installed.
ACCEPTED = [
    'RWF_DONTCACHE',  # Linux 6.16
    'does not support direct I/O',  # tmpfs before Linux 6.6
    'refuses O_DIRECT',
    'all methods work in',
    'no control group can limit',  # a container's, which only its host may change
    'the virtual machines have the programs of x86-64',
    'io_uring_disabled',  # the administrator's decision
    'there is no /dev/fuse',
    'the peak memory cannot be measured here',  # sanitizers hold memory of their own
    'a sanitizer has memory of its own',
    'history does not go back',  # a shallow clone, or an archive
    'nothing can be preloaded',  # beside a sanitizer
]


def reason_of(output):
    """What GTEST_SKIP() or a script said."""
    by_test = re.search(r': Skipped\n(.*?)\n(?:\n|\[)', output, re.DOTALL)
    by_script = re.findall(r'^skipped: (.*)', output, re.MULTILINE)
    return ' '.join((by_test.group(1) if by_test else by_script[-1] if by_script else 'no reason given').split())


def main():
    strict = '--strict' in sys.argv
    unexpected = 0
    # Where no test has the labels that were asked for, ctest writes no report.
    for report in [word for word in sys.argv[1:] if word != '--strict' and os.path.exists(word)]:
        for test in tree.parse(report).iter('testcase'):
            if test.find('skipped') is None:
                continue
            reason = reason_of(test.findtext('system-out') or '')
            expected = any(re.search(each, reason) for each in ACCEPTED)
            unexpected += not expected
            print(f'skipped {test.get("name")}: {reason}{" (UNEXPECTED)" if strict and not expected else ""}')
    return 1 if strict and unexpected else 0


if __name__ == '__main__':
    sys.exit(main())
