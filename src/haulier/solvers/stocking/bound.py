"""A verifiable lower bound: Lagrangian relaxation of the assignment of orders.

Each order that fits some kind must get a carton; in the relaxation it pays its multiplier instead. A kind gains, from
each order that fits it, the excess of the multiplier over the price. No choice of `most` kinds gains more than the best
ones together, whatever the multipliers are.
"""

from collections.abc import Sequence

Prices = Sequence[Sequence[tuple[int, int]]]
"""For each order, the kinds that it fits, with the price of one carton times the number of orders."""


def bound_of(multipliers: Sequence[int], prices: Prices, kept: Sequence[int], kinds: int, most: int) -> int:
    """Return the exact lower bound for multipliers of the orders, in integers."""
    gains = _gains(multipliers, prices, kinds)
    forced = sum(gains[kind] for kind in kept)
    others = sorted((gain for kind, gain in enumerate(gains) if kind not in kept), reverse=True)
    return sum(multipliers) - forced - sum(gain for gain in others[: most - len(kept)] if gain > 0)


def best_multipliers(
    prices: Prices, kept: Sequence[int], kinds: int, most: int, *, target: int, rounds: int
) -> tuple[int, ...]:
    """Return multipliers with a bound close to the target, by subgradient steps."""
    now = [min((price for _, price in each), default=0) for each in prices]
    best, best_bound, idle, share = tuple(now), bound_of(now, prices, kept, kinds, most), 0, 1.0
    for _ in range(rounds):
        gains = _gains(now, prices, kinds)
        others = sorted((kind for kind in range(kinds) if kind not in kept), key=lambda kind: (-gains[kind], kind))
        chosen = {*kept, *(kind for kind in others[: most - len(kept)] if gains[kind] > 0)}
        wanted = [
            1 - sum(kind in chosen and price < pays for kind, price in each)
            for each, pays in zip(prices, now, strict=True)
        ]
        square = sum(slope * slope for slope in wanted)
        found = bound_of(now, prices, kept, kinds, most)
        if found > best_bound:
            best, best_bound, idle = tuple(now), found, 0
        elif (idle := idle + 1) % 15 == 0:
            share /= 2
        if not square or best_bound >= target:
            break
        length = share * max(1, target - found) / square
        now = [
            max(0, pays + round(length * slope)) if each else 0
            for pays, slope, each in zip(now, wanted, prices, strict=True)
        ]
    return best


def _gains(multipliers: Sequence[int], prices: Prices, kinds: int) -> list[int]:
    gains = [0] * kinds
    for pays, each in zip(multipliers, prices, strict=True):
        for kind, price in each:
            if price < pays:
                gains[kind] += pays - price
    return gains
