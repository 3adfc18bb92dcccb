#!/usr/bin/env python3
"""Keeps the floor plan of ARCHITECTURE.md, section "The folders": a file includes only files of its own folder and of
folders above it in that table, no file includes itself by way of others, tool/ and lab/ have no files outside their folders,
and an ability of the laboratory includes no other but those that lab/abilities.cmake says it rests on."""

import pathlib
import re
import sys

root = pathlib.Path(__file__).resolve().parent.parent
suffixes = {".h", ".hpp", ".c", ".cpp"}
tops = ("include", "src", "tool", "lab")
shared_by_abilities = {"lab/base", "lab/ranks"}


def read_order():
    """The code folders of the table, in its order; a file that it names counts as one."""
    text = (root / "ARCHITECTURE.md").read_text()
    table = text[text.index("## The folders") :]
    rows = re.findall(r"^\| `([^`]+?)/?` \|", table, re.MULTILINE)
    return [row for row in rows if row.split("/")[0] in tops]


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


def read_abilities():
    """Each ability of the list, with those that it rests on."""
    text = (root / "lab" / "abilities.cmake").read_text()
    rows = re.findall(r'^ability\((\w+) "[^"]*"(.*)\)$', text, re.MULTILINE)
    return {f"lab/{name}": {f"lab/{other}" for other in others.split()} for name, others in rows}


def find_strangers(graph, order, abilities):
    """Abilities without a folder, folders that are none, and includes between abilities that the list does not name."""
    known = set(abilities) | shared_by_abilities | {"lab/program"}
    folders = {f"lab/{path.name}" for path in (root / "lab").iterdir() if path.is_dir()}
    for name in sorted(folders ^ known):
        yield f"{name}: not both a folder and an ability of lab/abilities.cmake"
    for name, included in graph.items():
        room = room_of(name, order)
        for each in included:
            other = room_of(each, order)
            if room in abilities and other in abilities and other != room and other not in abilities[room]:
                yield f"{name}: includes {each}, but lab/abilities.cmake does not say that {room} rests on {other}"


def find_violations(order):
    files = [p for top in tops for p in (root / top).rglob("*") if p.suffix in suffixes]
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
            elif each.split("/")[0] not in tops:
                yield f"{name}: includes {each}, which is no part of the product"
            elif order.index(room_of(each, order) or room) > order.index(room):
                yield f"{name}: includes {each}, but {room}/ stands above {room_of(each, order)}/"
    yield from find_strangers(graph, order, read_abilities())
    for path in [*(root / "tool").iterdir(), *(root / "lab").iterdir()]:
        if path.is_file() and path.suffix in suffixes:
            yield f"{path.parent.name}/{path.name}: belongs in a folder"
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
