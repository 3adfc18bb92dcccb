"""A virtual machine of some seconds: Debian's kernel, busybox, the programs under test, a script, and perhaps a disk.

  kernel = guest.find_kernel()
  files = guest.initial_files(kernel, SCRIPT, programs=[Path('build/release/tool/freshet')], files={'plan.toml': b'...'})
  with guest.Guest(kernel, files, Path('said'), disk=Path('image')) as machine:
      machine.wait_for('guest: ended', 120)

SCRIPT is for busybox's shell, from /, whose root is in memory; the disk is /dev/vda. Where SCRIPT comes to its end the machine
says "guest: ended" and turns itself off. `reboot -f` in it ends the machine, or, with reboots=True, starts it anew from the same
files and the same disk. cut() takes the power away. Needs QEMU, busybox and the kernel that script/setup fetches.
"""
import io
import platform
import re
import shutil
import subprocess
import time
from pathlib import Path

KERNEL = Path(__file__).resolve().parents[2] / 'build' / 'guest'  # where script/setup unpacks it
DISK_MODULES = ('virtio_pci', 'virtio_blk')

INIT = """#!/bin/busybox sh
/bin/busybox --install -s /bin
export HOME=/root PATH=/bin LD_LIBRARY_PATH=/lib FRESHET_PROFILE=none
mount -t proc none /proc
mount -t sysfs none /sys
mount -t devtmpfs none /dev
mount -t tmpfs none /tmp
for module in /modules/*.ko; do [ ! -e "$module" ] || insmod "$module" || echo "guest: cannot load $module"; done
. /script
echo "guest: ended"
poweroff -f
"""


class NotHere(Exception):
    """The machine lacks something that the test needs."""


class Kernel:
    """What script/setup unpacked: the kernel `image`, and its modules."""

    def __init__(self, directory):
        self.image = max(directory.glob('boot/vmlinuz-*'), default=None)
        if not self.image:
            raise NotHere(f'no kernel in {directory}, where script/setup test unpacks that of linux-image-cloud-amd64')
        version = self.image.name.removeprefix('vmlinuz-')
        self.modules = {path.stem.replace('-', '_'): path for path in directory.glob(f'lib/modules/{version}/**/*.ko')}

    def with_dependencies(self, names):
        """The files of these modules in the order in which they are loaded. A name that is no file is part of the kernel."""
        ordered = {}
        for path in (self.modules[name] for name in names if name in self.modules):
            depends = re.search(rb'\0depends=([^\0]*)', path.read_bytes())
            needed = depends[1].decode().replace('-', '_').split(',') if depends else []
            ordered.update(dict.fromkeys([*self.with_dependencies(needed), path]))
        return list(ordered)


def find_kernel():
    if platform.machine() != 'x86_64':
        raise NotHere('the virtual machines have the programs of x86-64')
    for tool in ('qemu-system-x86_64', 'busybox'):
        if not shutil.which(tool):
            raise NotHere(f'no {tool}')
    return Kernel(KERNEL)


def newc(entries):
    """An archive of (path, mode, bytes) in the format that the kernel unpacks."""
    archive = io.BytesIO()

    def add(number, path, mode, data):
        name = path.encode() + b'\0'
        fields = [number, mode, 0, 0, 1, 0, len(data), 0, 0, 0, 0, len(name), 0]
        archive.write(b'070701' + b''.join(b'%08x' % each for each in fields) + name)
        archive.write(b'\0' * (-archive.tell() % 4) + data)
        archive.write(b'\0' * (-archive.tell() % 4))

    for number, (path, mode, data) in enumerate(entries, 1):
        add(number, path, mode, data)
    add(0, 'TRAILER!!!', 0, b'')
    return archive.getvalue()


def libraries_of(program):
    listed = subprocess.run(['ldd', program], check=False, capture_output=True, text=True).stdout  # fails for static ones
    return {Path(found) for found in re.findall(r'(/\S+) \(0x', listed)}


def initial_files(kernel, script, programs=(), modules=DISK_MODULES, files=None):
    """All that the guest has: `script`, `programs` in /bin with their libraries, kernel modules by name, and `files` by path."""
    programs = [Path(shutil.which('busybox')), *programs]
    entries = [(name, 0o040755, b'') for name in ('bin', 'lib', 'lib64', 'modules', 'proc', 'sys', 'dev', 'tmp', 'mnt', 'root')]
    entries += [('init', 0o100755, INIT.encode()), ('script', 0o100644, script.encode())]
    entries += [(f'bin/{program.name}', 0o100755, program.read_bytes()) for program in programs]
    libraries = set().union(*map(libraries_of, programs))
    entries += [(f'{"lib64" if library.name.startswith("ld-") else "lib"}/{library.name}', 0o100755, library.read_bytes())
                for library in sorted(libraries)]
    entries += [(f'modules/{i:02}-{module.name}', 0o100644, module.read_bytes())
                for i, module in enumerate(kernel.with_dependencies(modules))]
    entries += [(path, 0o100644, data) for path, data in (files or {}).items()]
    return newc(entries)


class Guest:
    """Runs from its construction until it ends or is cut. Writes what it says to the file `transcript`.

    files:   what initial_files() returned
    disk:    the image of /dev/vda
    log:     where each write and flush of the disk is logged, in the format of write_log.py
    reboots: whether it starts anew where it reboots; it ends otherwise
    """

    def __init__(self, kernel, files, transcript, disk=None, log=None, reboots=False, memory=512):
        self.transcript = transcript
        initial = transcript.with_suffix('.initial')
        initial.write_bytes(files)
        words = ['setpriv', '--pdeathsig', 'KILL',  # it must not outlive the test
                 'qemu-system-x86_64', '-accel', 'tcg', '-cpu', 'max', '-m', str(memory), '-smp', '1', '-nodefaults', '-nographic',
                 '-serial', 'stdio', '-kernel', kernel.image, '-initrd', initial,
                 # no_timer_check: where the machine has much other work, the emulated timer comes too late for that check
                 '-append', 'console=ttyS0 quiet panic=-1 random.trust_cpu=on mitigations=off no_timer_check']
        if not reboots:
            words.append('-no-reboot')
        if disk:
            words += ['-blockdev', f'driver=file,node-name=image,filename={disk}',
                      '-device', f'virtio-blk-pci,drive={"logged" if log else "image"}']
        if log:
            log.unlink(missing_ok=True)
            log.touch()
            words += ['-blockdev', f'driver=file,node-name=log,filename={log}',
                      '-blockdev', 'driver=blklogwrites,node-name=logged,file=image,log=log']
        with transcript.open('wb') as output:
            self.process = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.cut()

    def cut(self):
        self.process.kill()
        self.process.wait()

    def said(self):
        return self.transcript.read_text(errors='replace')

    def wait_for(self, text, seconds):
        """Whether the guest said `text` before it ended or the time was over."""
        end = time.monotonic() + seconds
        while text not in self.said():
            if self.process.poll() is not None or time.monotonic() > end:
                return text in self.said()
            time.sleep(0.05)
        return True
