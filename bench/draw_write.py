#!/usr/bin/env python3
"""Draws how fast files grew, and by which method, from what bench_write_over_time printed. Writes an SVG file.

Usage: draw_write.py NAME=FILE.csv… > picture.svg

Each NAME becomes a line: MB/s over the seconds since the first byte, on a logarithmic scale. It is dotted where the method
was the page cache, and ends where the file was closed.
"""
import csv
import math
import sys
from html import escape

WIDTH, HEIGHT = 860, 400
LEFT, RIGHT, TOP, BOTTOM = 70, 170, 40, 50
COLOURS = ['#0b6e99', '#c2571a', '#5b5b5b', '#3d7a35']
FIRST = 0.01  # seconds, where the scale begins
BIN = 1.12    # times as long, the seconds that one point covers


def read(path: str) -> tuple:
    """Returns points (seconds, MB/s, whether through the page cache), each over a part of the time, and the seconds until close."""
    with open(path, newline='') as file:
        rows = [(float(row['seconds']), float(row['MB']), row['method'] == 'buffered') for row in csv.DictReader(file)]
    points, begin, so_far = [], 0.0, 0.0
    for (end, megabytes, cached), (_, _, next_cached) in zip(rows[:-1], rows[1:]):
        if end >= max(FIRST, begin * BIN) or cached != next_cached:
            points.append((end, (megabytes - so_far) / max(end - begin, 1e-9), cached))
            begin, so_far = end, megabytes
    return points, rows[-1][0]


def nice_step(most: float) -> float:
    step = 10 ** (len(str(int(most))) - 1)
    return next(part for part in (step / 5, step / 2, step, 2 * step) if most / part <= 6)


def main() -> None:
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    series = [(name, *read(path)) for name, path in (word.split('=', 1) for word in sys.argv[1:])]
    longest = max(end for _, _, end in series) * 1.05
    fastest = max(rate for _, points, _ in series for _, rate, _ in points) * 1.08

    def across(seconds: float) -> float:
        return LEFT + math.log(max(seconds, FIRST) / FIRST) / math.log(longest / FIRST) * (WIDTH - LEFT - RIGHT)

    def up(rate: float) -> float:
        return HEIGHT - BOTTOM - rate / fastest * (HEIGHT - TOP - BOTTOM)

    print(f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" font-family="sans-serif" font-size="13">')
    print(f'<rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>')
    rate = 0.0
    while rate <= fastest:
        print(f'<path d="M{LEFT} {up(rate):.1f}H{WIDTH - RIGHT}" stroke="#ddd"/>'
              f'<text x="{LEFT - 8}" y="{up(rate) + 4:.1f}" text-anchor="end">{rate:,.0f}</text>')
        rate += nice_step(fastest)
    second = FIRST
    while second <= longest:
        print(f'<text x="{across(second):.1f}" y="{HEIGHT - BOTTOM + 20}" text-anchor="middle">{second:g}</text>')
        second *= 10
    print(f'<text x="{LEFT}" y="{TOP - 18}">MB/s; dotted: through the page cache</text>')
    print(f'<text x="{WIDTH - RIGHT}" y="{HEIGHT - 12}" text-anchor="end">seconds since the first byte</text>')
    for number, (name, points, end) in enumerate(series):
        colour = COLOURS[number % len(COLOURS)]
        for before, after in zip(points, points[1:]):
            dots = ' stroke-dasharray="2 3"' if after[2] else ''
            print(f'<path d="M{across(before[0]):.1f} {up(before[1]):.1f}L{across(after[0]):.1f} {up(after[1]):.1f}" '
                  f'stroke="{colour}" stroke-width="2" fill="none"{dots}/>')
        if len(points) == 1:
            print(f'<circle cx="{across(points[0][0]):.1f}" cy="{up(points[0][1]):.1f}" r="3" fill="{colour}"/>')
        print(f'<path d="M{across(end):.1f} {up(0):.1f}v-8" stroke="{colour}" stroke-width="2"/>')
        print(f'<text x="{WIDTH - RIGHT + 12}" y="{TOP + 20 + 40 * number}" fill="{colour}" font-weight="bold">{escape(name)}</text>'
              f'<text x="{WIDTH - RIGHT + 12}" y="{TOP + 37 + 40 * number}" fill="{colour}">closed after {end:.1f} s</text>')
    print('</svg>')


if __name__ == '__main__':
    main()
