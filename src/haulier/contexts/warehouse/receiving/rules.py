"""Rules of receiving."""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from typing import NamedTuple

from haulier.contexts.warehouse.receiving.contract import StockAdviceState


def advice_state(lines: Iterable[tuple[int, int]], *, closed: bool) -> StockAdviceState:
    """Return the state from expected and received items of each line."""
    lines = list(lines)
    if closed:
        return StockAdviceState.CLOSED
    if not any(received for _, received in lines):
        return StockAdviceState.EXPECTED
    whole = all(received >= expected for expected, received in lines)
    return StockAdviceState.RECEIVED if whole else StockAdviceState.RECEIVING


def first_exceeded(came: Counter[int], open_pieces: Mapping[int, int]) -> int | None:
    """Return the id of a product with more received than expected items, or None."""
    return next((product for product in sorted(came) if came[product] > open_pieces.get(product, 0)), None)


class Shelf(NamedTuple):
    """A location that items can be put on."""

    location_id: int
    code: str
    zone: str | None
    walk_order: int
    room: int | None
    """Free capacity in items; None if unlimited."""


def suggest_shelves(
    shelves: Iterable[Shelf], homes: Collection[int], wanted: int
) -> tuple[list[tuple[Shelf, int]], int]:
    """Return the items by location, and the number without room.

    `homes` already hold the product.
    """
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
