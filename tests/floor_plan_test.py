#!/usr/bin/env python3
"""Keeps the floor plan of ARCHITECTURE.md, section "The folders": a file includes only files of its own folder and of
folders above it in that table, no file includes itself by way of others, and tool/ has no files outside its folders."""

import pathlib
import re
import sys

root = pathlib.Path(__file__).resolve().parent.parent
suffixes = {".h", ".hpp", ".c", ".cpp"}


def read_order():
    """The code folders of the table, in its order; a file that it names counts as one."""
    text = (root / "ARCHITECTURE.md").read_text()
    table = text[text.index("## The folders") :]
    rows = re.findall(r"^\| `([^`]+?)/?` \|", table, re.MULTILINE)
    return [row for row in rows if row.split("/")[0] in ("include", "src", "tool")]


def room_of(path, order):
    """The longest listed folder that `path` is below."""
    rooms = [room for room in order if f"{path}/".startswith(room + "/")]
    return max(rooms, key=len) if rooms else None


def includes_of(path):
    """Files of this repository that `path` includes."""
    for form, name in re.findall(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]', (root / path).read_text(), re.MULTILINE):
        if name.startswith("freshet/"):
            yield "include/" + name
        elif form == '"':
            yield name


def find_circle(graph):
    """Some files of which each includes the next, and the last the first; none: an empty list."""
    done = set()

    def visit(path, trail):
        if path in trail:
            return trail[trail.index(path) :]
        if path in done:
            return []
        for each in graph.get(path, []):
            if circle := visit(each, [*trail, path]):
                return circle
        done.add(path)
        return []

    return next((circle for path in graph if (circle := visit(path, []))), [])


def find_violations(order):
    files = [p for top in ("include", "src", "tool") for p in (root / top).rglob("*") if p.suffix in suffixes]
    names = sorted(str(path.relative_to(root)) for path in files if "node_modules" not in path.parts)
    graph = {name: list(includes_of(name)) for name in names}
    for name, included in graph.items():
        room = room_of(name, order)
        if room is None:
            yield f"{name}: its folder is not in ARCHITECTURE.md's table"
            continue
        for each in included:
            if not (root / each).exists():
                yield f'{name}: "{each}" is no path from the repository\'s root'
            elif each.split("/")[0] not in ("include", "src", "tool"):
                yield f"{name}: includes {each}, which is no part of the product"
            elif order.index(room_of(each, order) or room) > order.index(room):
                yield f"{name}: includes {each}, but {room}/ stands above {room_of(each, order)}/"
    for path in (root / "tool").iterdir():
        if path.is_file() and path.name != "CMakeLists.txt":
            yield f"tool/{path.name}: belongs in a folder"
    if circle := find_circle(graph):
        yield "a circle: " + " -> ".join([*circle, circle[0]])


def main():
    order = read_order()
    if len(order) < 15:
        print("ARCHITECTURE.md's table of folders was not found")
        return 1
    violations = list(find_violations(order))
    print(*violations, sep="\n")
    print(f"{len(violations)} violations of the floor plan")
    return 1 if violations else 0


if __name__ == "__main__":
    sys.exit(main())
