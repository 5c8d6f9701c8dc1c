"""Rules for using up reservations with items that were picked offline.

Items of the same level go first, then those of the same product that were reserved earliest. The result does not
depend on the order of the scans.
"""

from collections import Counter, defaultdict
from collections.abc import Sequence

from msgspec import Struct

from haulier.contexts.warehouse.stock.rules import LevelKey


class FetchedPieces(Struct, frozen=True):
    """Items picked for a reference, and their new location, if any."""

    warehouse_id: int
    reference: str
    level: LevelKey
    quantity: int
    to_location_id: int | None


class HeldPieces(Struct, frozen=True):
    """A reservation.

    `waiting`: its items are picked, so other items cannot use it up.
    """

    id: int
    warehouse_id: int
    reference: str
    level: LevelKey
    quantity: int
    waiting: bool


class UsedPieces(Struct):
    """Used items by reservation id, and reserved items by fetch."""

    taken: Counter[int]
    """By items of the level that they name."""
    replaced: Counter[int]
    """By other items of the same product."""
    fetched: list[int]


def use_up(held: Sequence[HeldPieces], fetched: Sequence[FetchedPieces]) -> UsedPieces:
    """Use up reservations. `held` comes in the order of reservation."""
    used = UsedPieces(Counter(), Counter(), [])
    left = {each.id: each.quantity for each in held}
    by_product: defaultdict[tuple[int, str, int], list[HeldPieces]] = defaultdict(list)
    for each in held:
        by_product[each.warehouse_id, each.reference, each.level.product_id].append(each)
    for fetch in fetched:
        candidates = by_product[fetch.warehouse_id, fetch.reference, fetch.level.product_id]
        own = [each for each in candidates if each.level == fetch.level]
        others = [each for each in candidates if each.level != fetch.level and not each.waiting]
        wanted = fetch.quantity
        for each in (*own, *others):
            pieces = min(wanted, left[each.id])
            left[each.id] -= pieces
            wanted -= pieces
            (used.taken if each.level == fetch.level else used.replaced)[each.id] += pieces
        used.fetched.append(fetch.quantity - wanted)
    return used
