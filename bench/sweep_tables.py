#!/usr/bin/env python3
"""Prints the cells of a sweep as tables in Markdown.

Usage: sweep_tables.py FILE

FILE is what `freshet sweep --json FILE` wrote. A table for each corpus: MB/s of input by threads, strategy and work, the medians of the
valid trials and in brackets what was published for the cell; the best of each column is bold. Below it, how many times as fast two
and four threads are as one, by strategy and work, and how much of the time the fastest strategy kept its threads busy.
"""
import json
import sys
from pathlib import Path


def figure(value: float) -> str:
    return f'{value:.3g}' if value < 1000 else f'{value:.0f}'


def cells_of(sweep: dict, corpus: str) -> dict:
    """By threads, strategy and work."""
    cells = [cell for cell in sweep['cells'] if cell['corpus'] == corpus and cell.get('valid')]
    return {(cell['threads'], cell['strategy'], cell['work']): cell for cell in cells}


def speed_table(plan: dict, cells: dict) -> None:
    best = {work: max((cell['mb_per_second'] for (_, _, of), cell in cells.items() if of == work), default=0)
            for work in plan['work']}

    def text(threads: int, strategy: str, work: int) -> str:
        cell = cells.get((threads, strategy, work))
        if cell is None:
            return '-'
        speed = figure(cell['mb_per_second'])
        if cell['mb_per_second'] == best[work]:
            speed = f'**{speed}**'
        published = cell['published_mb_per_second']
        return speed if published is None else f'{speed} ({figure(published)})'

    print('| threads | strategy | ' + ' | '.join(f'work {work}' for work in plan['work']) + ' |')
    print('|' + '---|' * (2 + len(plan['work'])))
    for threads in plan['threads']:
        for strategy in plan['strategies']:
            print(f'| {threads} | {strategy} | ' + ' | '.join(text(threads, strategy, work) for work in plan['work']) + ' |')


def ratio(cells: dict, strategy: str, work: int, threads: int, of: str) -> str:
    one, more = cells.get((1, strategy, work)), cells.get((threads, strategy, work))
    if one is None or more is None:
        return '-'
    if of == 'today':
        return f"{more['mb_per_second'] / one['mb_per_second']:.2f}"
    if one['published_mb_per_second'] is None:
        return '-'
    return f"{more['published_mb_per_second'] / one['published_mb_per_second']:.2f}"


def thread_table(plan: dict, cells: dict) -> None:
    print('| strategy | threads | ' + ' | '.join(f'work {work}' for work in plan['work']) + ' |')
    print('|' + '---|' * (2 + len(plan['work'])))
    for strategy in plan['strategies']:
        for threads in plan['threads'][1:]:
            row = [f"{ratio(cells, strategy, work, threads, 'today')} ({ratio(cells, strategy, work, threads, 'then')})"
                   for work in plan['work']]
            print(f'| {strategy} | {threads} | ' + ' | '.join(row) + ' |')


def main() -> None:
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    sweep = json.loads(Path(sys.argv[1]).read_text())
    plan = sweep['plan']
    for corpus in plan['corpora']:
        cells = cells_of(sweep, corpus['name'])
        print(f"\n### {corpus['name']}: {corpus['files']} files, {corpus['bytes'] / 1e6:.0f} MB, {plan['cache']}\n")
        speed_table(plan, cells)
        print('\nTimes as fast as one thread (in brackets: as published):\n')
        thread_table(plan, cells)
        limit = next(each for each in sweep['limits'] if each['corpus'] == corpus['name'])
        busy = ', '.join(f"work {each['work']}: {each['strategy']} {100 * each['busy']:.0f} %" for each in limit['fastest'])
        print(f'\nThe share of the time for which the fastest keeps its threads busy: {busy}.')
    trials = sweep['trials']
    invalid = sum(1 for trial in trials if trial['verdict'] == 'invalid')
    print(f"\nScale {plan['scale']}, {sweep['rounds']} rounds, {len(trials)} trials of which {invalid} were invalid, "
          f"{sweep['bytes_written'] / 2**30:.1f} GiB written in {sweep['seconds'] / 60:.0f} min.")


if __name__ == '__main__':
    main()
