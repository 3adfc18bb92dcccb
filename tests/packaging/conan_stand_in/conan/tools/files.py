import fnmatch
import pathlib
import shutil


def copy(_recipe, pattern, src, dst):
    """All files below `src` that match, as in Conan: `*` matches `/`, too."""
    top = pathlib.Path(src) / pattern.split("/")[0]
    found = [each for each in [top, *top.rglob("*")] if each.is_file() and fnmatch.fnmatch(str(each.relative_to(src)), pattern)]
    assert found, f"{pattern} matches nothing in {src}"
    for each in found:
        to = pathlib.Path(dst) / each.relative_to(src)
        to.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(each, to)
    return found


def rmdir(_recipe, path):
    shutil.rmtree(path)
