"""How close a program's own choice comes to the best of the fixed methods.

Three rounds find the best method and count for nothing else. Then the program's own choice and that method twice, under two names, take
turns: the two are the reference, and one against the other the control. Where the control is off by more than 8 %, as many rounds more,
up to 27; where it stays off, nothing is to be judged.
"""
import random
import statistics

MOST_OFF = 0.08
MOST_ROUNDS = 27
ROUNDS_TO_JUDGE = 9  # fewer tell nothing of the control


def take_turns(run, own: str, others: list, size: int, rounds: int, generator: random.Random) -> dict:
    """`run` makes a trial of a method, and returns what it showed, with its 'seconds'; None if the method does not work. `size`: bytes."""
    first = {method: [] for method in others}
    for _ in range(3):
        for method in generator.sample(list(first), len(first)):
            trial = run(method)
            if trial is None:
                del first[method]
            else:
                first[method].append(trial['seconds'])
    best = min(first, key=lambda method: statistics.median(first[method]))
    result = {'bytes': size, 'best': best, 'auto': [], 'one': [], 'other': []}
    names = {'auto': own, 'one': best, 'other': best}
    while len(result['auto']) < MOST_ROUNDS and (len(result['auto']) < rounds or (rounds >= ROUNDS_TO_JUDGE and is_off(result))):
        for _ in range(rounds):
            for name in generator.sample(list(names), len(names)):
                result[name].append(run(names[name]))
    return result


def rates_of(result: dict, *names: str) -> list:
    """MB/s."""
    return [result['bytes'] / trial['seconds'] / 1e6 for name in names for trial in result[name]]


def control_of(result: dict) -> float:
    return statistics.median(rates_of(result, 'one')) / statistics.median(rates_of(result, 'other'))


def is_off(result: dict) -> bool:
    return abs(control_of(result) - 1) > MOST_OFF


def ratio_of(result: dict) -> float:
    return statistics.median(rates_of(result, 'auto')) / statistics.median(rates_of(result, 'one', 'other'))


def rate_at(rates: list, share: float) -> float:
    return sorted(rates)[int(share * (len(rates) - 1) + 0.5)]


HEADINGS = ['best fixed', 'MB/s', 'reference', 'median', '10th percentile', 'control', 'rounds']


def columns_of(result: dict) -> list:
    """What stands below HEADINGS."""
    mine = rates_of(result, 'auto')
    reference = rates_of(result, 'one', 'other')
    low = rate_at(mine, 0.1) / rate_at(reference, 0.1)
    mark = '!' if is_off(result) else ''
    return [result['best'], f'{statistics.median(mine):.0f}', f'{statistics.median(reference):.0f}', f'{ratio_of(result):.2f}{mark}',
            f'{low:.2f}', f'{control_of(result):.2f}', f'{len(mine)}']


def row_of(cells: list) -> str:
    return f'| {" | ".join(cells)} |'


def print_head(cells: list) -> None:
    print(row_of(cells))
    print('|---' * len(cells) + '|', flush=True)
