#!/usr/bin/env python3
"""Draws how fast files grew, and by which method, from what bench_write_over_time printed. Writes an SVG file.

Usage: draw_write.py NAME=FILE.csv… > picture.svg

Each NAME becomes a line: MB/s over the seconds since the beginning. Where its method is the page cache, the line is dotted.
"""
import csv
import sys
from html import escape

WIDTH, HEIGHT = 860, 400
LEFT, RIGHT, TOP, BOTTOM = 70, 170, 40, 50
COLOURS = ['#0b6e99', '#c2571a', '#5b5b5b', '#3d7a35']
BIN = 0.25  # seconds


def read(path: str) -> tuple:
    """Returns points (seconds, MB/s, whether through the page cache), averaged over BIN, and the seconds until close."""
    with open(path, newline='') as file:
        rows = [(float(row['seconds']), row['method']) for row in csv.DictReader(file)]
    piece = (64 << 20) / 1e6
    points, begin, pieces, methods = [], 0.0, 0, []
    for end, method in rows:
        if method == 'close':
            break
        pieces += 1
        methods.append(method)
        changes = len(set(methods)) > 1
        if end - begin >= BIN or changes:
            points.append(((begin + end) / 2, pieces * piece / max(end - begin, 1e-9), method == 'buffered'))
            begin, pieces, methods = end, 0, []
    return points, rows[-1][0]


def nice_step(most: float) -> float:
    step = 10 ** (len(str(int(most))) - 1)
    return next(part for part in (step / 5, step / 2, step, 2 * step) if most / part <= 6)


def main() -> None:
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    series = [(name, *read(path)) for name, path in (word.split('=', 1) for word in sys.argv[1:])]
    longest = max(end for _, _, end in series) * 1.02
    fastest = max(rate for _, points, _ in series for _, rate, _ in points) * 1.08

    def across(seconds: float) -> float:
        return LEFT + seconds / longest * (WIDTH - LEFT - RIGHT)

    def up(rate: float) -> float:
        return HEIGHT - BOTTOM - rate / fastest * (HEIGHT - TOP - BOTTOM)

    print(f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" font-family="sans-serif" font-size="13">')
    print(f'<rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>')
    rate = 0.0
    while rate <= fastest:
        print(f'<path d="M{LEFT} {up(rate):.1f}H{WIDTH - RIGHT}" stroke="#ddd"/>'
              f'<text x="{LEFT - 8}" y="{up(rate) + 4:.1f}" text-anchor="end">{rate:,.0f}</text>')
        rate += nice_step(fastest)
    second = 0.0
    while second <= longest:
        print(f'<text x="{across(second):.1f}" y="{HEIGHT - BOTTOM + 20}" text-anchor="middle">{second:g}</text>')
        second += nice_step(longest)
    print(f'<text x="{LEFT}" y="{TOP - 18}">MB/s; dotted: through the page cache</text>')
    print(f'<text x="{WIDTH - RIGHT}" y="{HEIGHT - 12}" text-anchor="end">seconds since the first byte</text>')
    for number, (name, points, end) in enumerate(series):
        colour = COLOURS[number % len(COLOURS)]
        for before, after in zip(points, points[1:]):
            dots = ' stroke-dasharray="2 3"' if after[2] else ''
            print(f'<path d="M{across(before[0]):.1f} {up(before[1]):.1f}L{across(after[0]):.1f} {up(after[1]):.1f}" '
                  f'stroke="{colour}" stroke-width="2" fill="none"{dots}/>')
        if points and len(points) == 1:
            print(f'<circle cx="{across(points[0][0]):.1f}" cy="{up(points[0][1]):.1f}" r="3" fill="{colour}"/>')
        print(f'<path d="M{across(end):.1f} {up(0):.1f}v-8" stroke="{colour}" stroke-width="2"/>')
        print(f'<text x="{WIDTH - RIGHT + 12}" y="{TOP + 20 + 40 * number}" fill="{colour}" font-weight="bold">{escape(name)}</text>'
              f'<text x="{WIDTH - RIGHT + 12}" y="{TOP + 37 + 40 * number}" fill="{colour}">closed after {end:.1f} s</text>')
    print('</svg>')


if __name__ == '__main__':
    main()
