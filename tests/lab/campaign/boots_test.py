#!/usr/bin/env python3
"""Campaigns that reboot a real kernel, crash it, and lose its power: no step is lost, none is counted twice.

  tests/lab/campaign/boots_test.py FRESHET

In a virtual machine of busybox, a campaign reboots before each step, one step crashes the kernel (sysrq b), and the power is cut
at random moments. With FRESHET_TEST_COMPLETE=1, more cuts, and the same in a Debian that debootstrap makes, where systemd starts
the campaign's unit after each boot; that takes debootstrap, root and a network.
"""
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[2] / 'power_cuts'))
import guest

DEBIAN = Path(__file__).resolve().parents[3] / 'build' / 'guest-debian'  # what debootstrap made, for the next time
BOOT = 120  # seconds that one boot and its step may take, on a machine that has other work
DEBIAN_BOOT = 600

PLAN = """format = 1
name = "boots"
between = "reboot"
order = "listed"
inputs = ["in"]

[matrix]
n = [1, 2]

[[step]]
name = "measured"
freshet = ["bench", "d", "--size", "64K", "--method", "buffered", "--rounds", "{n}"]

[[step]]
name = "crashes the kernel once"
command = "if [ ! -e crashed ]; then touch crashed; sync; echo b >/proc/sysrq-trigger; sleep 600; fi; echo survived"

[[step]]
name = "after it"
command = "cat /proc/sys/kernel/random/boot_id"
"""
STEPS = 4

# The machine's init: what a user does once, and what the unit does after each boot.
SCRIPT = """mount -t ext4 /dev/vda /mnt || poweroff -f
cd /mnt && mkdir -p d in units tmp && export TMPDIR=/mnt/tmp
[ -s in/file ] || { head -c 65536 /dev/urandom >in/file; sync; }
# A power cut may leave a unit without a campaign, which takes itself away.
how="--store store --settle 1s --unit-dir units"
if [ -e units/freshet-campaign.service ] || freshet campaign status --store store >/tmp/status 2>&1; then
  freshet campaign resume --boot $how --reboot-command 'sync; reboot -f'
fi
if ! freshet campaign status --store store >/tmp/status 2>&1; then
  freshet campaign start plan.toml --yes $how --reboot-command 'sync; reboot -f'
fi
sync
umount /mnt
"""


class Disk:
    """A file system in an image, which is a directory while it is mounted."""

    def __init__(self, image, size):
        self.image, self.point = image, image.with_suffix('.mounted')
        image.touch()
        os.truncate(image, size)

    def make(self, content):
        subprocess.run(['mkfs.ext4', '-q', '-F', '-d', content, self.image], check=True)

    def __enter__(self):
        self.point.mkdir(exist_ok=True)
        subprocess.run(['mount', '-o', 'loop', self.image, self.point], check=True)
        return self.point

    def __exit__(self, *_):
        subprocess.run(['umount', self.point], check=True)


def laboratory_of(freshet):
    """The program beside it, which it starts."""
    return freshet.with_name('freshet-lab')


def status_of(freshet, store):
    shown = subprocess.run([freshet, 'campaign', 'status', '--store', store, '--json', '-'], check=True, capture_output=True, text=True)
    return json.loads(shown.stdout)['campaign']


def require(holds, text, said=''):
    if not holds:
        sys.exit(f'FAILED: {text}\n{said[-6000:]}')


def require_whole(campaign, units, said, crashes):
    """All steps have one result, each in a boot of its own, and what was cut off is marked."""
    show = json.dumps(campaign, indent=1)
    require(campaign['state'] == 'done', 'a campaign that is done', show + said)
    require(not units, f'no unit at the end, not {units}', said)
    boots = []
    for step in campaign['steps']:
        *before, last = step['attempts']
        require(last['state'] == 'finished' and last['exit_code'] == 0, 'a result of each step', show)
        require(last['cold'] is True, f'a cold start, not: {last["evidence"]}', show)
        require(all(each['state'] == 'cut off' for each in before), 'marks on what was cut off', show)
        require(step['repeated'] == bool(before), 'a mark on what was repeated', show)
        boots += [each['boot'] for each in step['attempts']]
        if step['name'] == 'measured':
            require(len(last['runs']) == 1, 'the stored run of a step', show)
        if step['name'] == 'after it':
            require(last['output'].strip() == last['boot'], 'the boot in which the step ran', show)
    require(len(campaign['steps']) == STEPS, f'{STEPS} steps', show)
    require(len(set(boots)) == len(boots), 'a new boot for each attempt', show)
    crashed = campaign['steps'][2]
    require(crashed['name'].startswith('crashes') and crashed['repeated'], 'a crash in the middle of a step', show)
    require(crashes <= len(boots) - STEPS, f'{crashes} attempts that were cut off', show)
    return len(boots)


def run_busybox(freshet, scratch, cuts):
    """Boots until the campaign ends. `cuts` are seconds after which the power is cut, one for each of the first machines.

    Every other machine is cut a tenth of that after a step was done: a campaign stops where too many boots in a row finish none.
    """
    kernel = guest.find_kernel()
    files = guest.initial_files(kernel, SCRIPT, programs=[freshet, laboratory_of(freshet)])
    content = scratch / 'content'
    content.mkdir()
    (content / 'plan.toml').write_text(PLAN)
    disk = Disk(scratch / 'disk', 128 << 20)
    disk.make(content)
    began, said, machines = time.monotonic(), '', 0
    for cut in [*cuts, None]:
        transcript = scratch / f'said-{machines}'
        finishes_a_step = machines % 2 == 1
        machines += 1
        with guest.Guest(kernel, files, transcript, disk=disk.image, reboots=True) as machine:
            if cut is None:
                ended = machine.wait_for('guest: ended', (STEPS + 3) * BOOT)
                require(ended, 'an end', machine.said())
                machine.process.wait(BOOT)
            elif finishes_a_step:
                machine.wait_for('the machine reboots', 2 * BOOT)
                time.sleep(cut / 10)
            else:
                machine.wait_for('guest: ended', cut)
            said += machine.said()
    with disk as point:
        campaign = status_of(freshet, point / 'store')
        units = [str(path.relative_to(point)) for path in (point / 'units').rglob('*') if not path.is_dir()]
    boots = require_whole(campaign, units, said, crashes=1)
    print(f'busybox: {STEPS} steps in {boots} attempts, {len(cuts)} power cuts, {time.monotonic() - began:.0f} s', flush=True)


# What systemd starts in the Debian: the campaign once, as a user would; its unit by itself after that.
BEGIN = """[Unit]
ConditionPathExists=!/root/begun
After=multi-user.target
[Service]
ExecStartPre=touch /root/begun
ExecStart=/usr/bin/freshet campaign start /root/plan.toml --yes --store /root/store --settle 20s
StandardOutput=journal+console
StandardError=journal+console
[Install]
WantedBy=multi-user.target
"""
TO_CONSOLE = '[Service]\nStandardOutput=journal+console\nStandardError=journal+console\n'
# From the kernel's first files to the Debian on the disk.
SWITCH = 'mount -t ext4 /dev/vda /mnt && umount /tmp && mount -o move /dev /mnt/dev && exec switch_root /mnt /sbin/init\n'


def make_debian(root):
    if not shutil.which('debootstrap'):
        raise guest.NotHere('no debootstrap')
    if (DEBIAN / 'made').exists():
        subprocess.run(['cp', '-a', DEBIAN, root], check=True)
        return
    shutil.rmtree(DEBIAN, ignore_errors=True)
    DEBIAN.parent.mkdir(exist_ok=True)
    made = subprocess.run(['debootstrap', '--variant=minbase', '--include=systemd-sysv,dbus,udev', 'bookworm', DEBIAN,
                           'http://deb.debian.org/debian'], capture_output=True, text=True, check=False)
    if made.returncode != 0:
        raise guest.NotHere(f'debootstrap failed: {made.stdout[-300:]}{made.stderr[-300:]}')
    (DEBIAN / 'made').touch()
    subprocess.run(['cp', '-a', DEBIAN, root], check=True)


def fill_debian(root, freshet):
    make_debian(root)
    for library in guest.libraries_of(freshet) | guest.libraries_of(laboratory_of(freshet)):
        target = root / 'usr' / 'lib' / 'x86_64-linux-gnu' / library.name
        if not target.exists() and not library.name.startswith('ld-'):
            shutil.copy(library, target)
    shutil.copy(freshet, root / 'usr' / 'bin' / 'freshet')
    (root / 'usr' / 'libexec' / 'freshet').mkdir(parents=True)
    shutil.copy(laboratory_of(freshet), root / 'usr' / 'libexec' / 'freshet' / 'freshet-lab')
    (root / 'root' / 'plan.toml').write_text(PLAN)
    for name in ('d', 'in'):
        (root / 'root' / name).mkdir()
    (root / 'root' / 'in' / 'file').write_bytes(os.urandom(65536))
    units = root / 'etc' / 'systemd' / 'system'
    (units / 'begin.service').write_text(BEGIN)
    (units / 'multi-user.target.wants' / 'begin.service').symlink_to('/etc/systemd/system/begin.service')
    (units / 'freshet-campaign.service.d').mkdir()
    (units / 'freshet-campaign.service.d' / 'console.conf').write_text(TO_CONSOLE)
    (root / 'etc' / 'fstab').write_text('/dev/vda / ext4 rw 0 1\n')


def run_debian(freshet, scratch):
    kernel = guest.find_kernel()
    root = scratch / 'root'
    fill_debian(root, freshet)
    disk = Disk(scratch / 'debian', 2 << 30)
    disk.make(root)
    shutil.rmtree(root)
    files = guest.initial_files(kernel, SWITCH)
    began = time.monotonic()
    with guest.Guest(kernel, files, scratch / 'said', disk=disk.image, reboots=True, memory=1024) as machine:
        # The last lines of the campaign: after the first one there is nothing left to be written.
        done = machine.wait_for(f'{STEPS} of {STEPS} steps done', (STEPS + 2) * DEBIAN_BOOT)
        time.sleep(10 if done else 0)
        said = machine.said()
    print(said[-3000:])
    require(done, 'an end in Debian', said)
    with disk as point:
        campaign = status_of(freshet, point / 'root' / 'store')
        units = [str(path) for path in (point / 'etc/systemd/system').rglob('freshet-campaign.service*') if not path.is_dir()]
    units = [path for path in units if not path.endswith('.d')]
    require_whole(campaign, units, said, crashes=1)
    print(f'Debian with systemd: {STEPS} steps, {time.monotonic() - began:.0f} s', flush=True)


def main():
    freshet = Path(sys.argv[1]).resolve()
    seed = int(os.environ.get('FRESHET_TEST_SEED', random.randrange(1 << 31)))
    complete = bool(os.environ.get('FRESHET_TEST_COMPLETE'))
    chance = random.Random(seed)
    print(f'FRESHET_TEST_SEED={seed}', flush=True)
    if os.geteuid() != 0:
        print('skipped: mounting takes root')
        sys.exit(77)
    place = os.environ.get('FRESHET_TEST_DISK', '/var/tmp')
    parts = sys.argv[2:] or (['busybox', 'debian'] if complete else ['busybox'])
    with tempfile.TemporaryDirectory(prefix='freshet-boots.', dir=place) as scratch:
        try:
            if 'busybox' in parts:
                cuts = [chance.uniform(2, 12) for _ in range(20 if complete else 2)]
                (Path(scratch) / 'busybox').mkdir()
                run_busybox(freshet, Path(scratch) / 'busybox', cuts)
            if 'debian' in parts:
                (Path(scratch) / 'debian').mkdir()
                run_debian(freshet, Path(scratch) / 'debian')
        except guest.NotHere as why:
            print(f'skipped: {why}')
            sys.exit(77)


if __name__ == '__main__':
    main()
