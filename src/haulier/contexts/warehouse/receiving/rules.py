"""Where pieces are put away: where their product stands already, then in its zones, then in walking order."""

from collections.abc import Collection, Iterable
from typing import NamedTuple


class Shelf(NamedTuple):
    """A location that pieces can be put on."""

    location_id: int
    code: str
    zone: str | None
    walk_order: int
    room: int | None
    """Pieces that still have room; None where that is not limited."""


def suggest_shelves(
    shelves: Iterable[Shelf], homes: Collection[int], wanted: int
) -> tuple[list[tuple[Shelf, int]], int]:
    """How many pieces go to which location; and how many find no room. `homes` hold the product already."""
    shelves = list(shelves)
    zones = {shelf.zone for shelf in shelves if shelf.location_id in homes and shelf.zone is not None}

    def order(shelf: Shelf) -> tuple[bool, bool, int, str]:
        return shelf.location_id not in homes, shelf.zone not in zones, shelf.walk_order, shelf.code

    chosen: list[tuple[Shelf, int]] = []
    for shelf in sorted(shelves, key=order):
        if wanted == 0:
            break
        taken = wanted if shelf.room is None else min(wanted, shelf.room)
        if taken > 0:
            chosen.append((shelf, taken))
            wanted -= taken
    return chosen, wanted
