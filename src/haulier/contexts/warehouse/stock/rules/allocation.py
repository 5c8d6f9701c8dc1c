"""Which pieces are reserved: what expires first, then what stands first on the walk."""

from collections.abc import Sequence
from datetime import date
from typing import NamedTuple


class FreeLevel(NamedTuple):
    """Pieces of a product that can be reserved."""

    level_id: int
    available: int
    expires_on: date | None
    walk_order: int


def allocate(levels: Sequence[FreeLevel], wanted: int) -> tuple[list[tuple[int, int]], int]:
    """How many pieces of which level, by its id; and how many are missing."""
    chosen: list[tuple[int, int]] = []
    for level in sorted(levels, key=lambda each: (each.expires_on or date.max, each.walk_order, each.level_id)):
        if wanted == 0:
            break
        taken = min(wanted, level.available)
        if taken > 0:
            chosen.append((level.level_id, taken))
            wanted -= taken
    return chosen, wanted
