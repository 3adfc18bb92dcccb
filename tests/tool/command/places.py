"""Places to write in: memory, a disk, and for root new file systems in image files."""
import contextlib
import os
import subprocess
import tempfile
from pathlib import Path

IMAGE = 600 << 20  # bytes of an image: xfs takes no less than 300 MiB


@contextlib.contextmanager
def image(box, kind):
    """Mounts a new file system. Its loop device detaches itself when it is unmounted."""
    file, point = box.root / f'{kind}.image', box.root / kind
    try:
        point.mkdir()
        file.touch()
        os.truncate(file, IMAGE)
        for line in ([f'mkfs.{kind}', '-q', '-F' if kind == 'ext4' else '-f', file], ['mount', '-o', 'loop', file, point]):
            # In a session of its own, so that Ctrl-C does not end it halfway.
            subprocess.run(line, check=True, capture_output=True, start_new_session=True)
        yield point
    finally:
        if os.path.ismount(point) and subprocess.run(['umount', point], check=False).returncode != 0:
            subprocess.run(['umount', '-l', point], check=False)
        file.unlink()


def open_places(box, opened):
    """The places by their names; `opened` closes them."""
    disk = os.environ.get('FRESHET_TEST_DISK', '/var/tmp')
    places = {name: Path(opened.enter_context(tempfile.TemporaryDirectory(prefix='freshet-random.', dir=below)))
              for name, below in (('tmpfs', '/dev/shm'), ('disk', disk)) if os.access(below, os.W_OK)}
    for kind in ('ext4', 'xfs', 'btrfs') if os.geteuid() == 0 else ():
        try:
            places[kind] = opened.enter_context(image(box, kind))
        except (OSError, subprocess.CalledProcessError) as why:
            print(f'no {kind}: {why} {getattr(why, "stderr", b"").decode()}')
    return places
