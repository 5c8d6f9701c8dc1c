"""Rules of stock."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from datetime import date, datetime
from typing import NamedTuple

from msgspec import Struct


class FreeLevel(NamedTuple):
    """Items of a product that can be reserved."""

    level_id: int
    available: int
    expires_on: date | None
    walk_order: int


def allocate(levels: Sequence[FreeLevel], wanted: int) -> tuple[list[tuple[int, int]], int]:
    """Return items by level id, and the number of missing items."""
    chosen: list[tuple[int, int]] = []
    for level in sorted(levels, key=lambda each: (each.expires_on or date.max, each.walk_order, each.level_id)):
        if wanted == 0:
            break
        taken = min(wanted, level.available)
        if taken > 0:
            chosen.append((level.level_id, taken))
            wanted -= taken
    return chosen, wanted


class LevelKey(NamedTuple):
    """Key of a level. Empty texts: no lot, no serial number."""

    location_id: int
    product_id: int
    lot: str
    serial: str
    condition: str


class NewMovement(Struct, frozen=True, kw_only=True):
    """A movement to record. `key` makes it idempotent."""

    kind: str
    product_id: int
    quantity: int
    from_location_id: int | None
    to_location_id: int | None
    lot: str = ""
    serial: str = ""
    condition: str = "good"
    expires_on: date | None = None
    reference: str | None = None
    reason: str | None = None
    note: str | None = None
    occurred_at: datetime
    key: str | None = None

    def level(self, location_id: int) -> LevelKey:
        """Return the key of the level that it changes on a location."""
        return LevelKey(location_id, self.product_id, self.lot, self.serial, self.condition)


def level_changes(movements: Iterable[NewMovement]) -> dict[LevelKey, int]:
    """Return level changes in lock order, which prevents deadlocks."""
    changes: defaultdict[LevelKey, int] = defaultdict(int)
    for movement in movements:
        if movement.from_location_id is not None:
            changes[movement.level(movement.from_location_id)] -= movement.quantity
        if movement.to_location_id is not None:
            changes[movement.level(movement.to_location_id)] += movement.quantity
    return dict(sorted(changes.items()))
