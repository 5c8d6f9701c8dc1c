"""The pieces of an order, each with a timeline under its own number."""

from collections.abc import Iterable, Mapping
from typing import Any

from msgspec import Struct


class TrackedPackage(Struct, frozen=True):
    """One physical piece. `id` is None for the number of an order itself, which is also that of its first piece."""

    id: int | None
    order_id: int
    tracking_number: str


def tracked_packages(orders: Mapping[int, Any], pieces: Iterable[TrackedPackage]) -> list[TrackedPackage]:
    """Every number of some orders under which something is told: that of each order, and those of its further pieces."""
    own = [TrackedPackage(None, id, row.tracking_number) for id, row in orders.items()]
    return own + [piece for piece in pieces if piece.tracking_number != orders[piece.order_id].tracking_number]
