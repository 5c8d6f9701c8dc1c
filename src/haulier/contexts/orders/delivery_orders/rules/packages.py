"""The packages of an order, each with a timeline under its own number."""

from collections.abc import Iterable, Mapping
from typing import Protocol

from msgspec import Struct


class HasTrackingNumber(Protocol):
    """The tracking number and the pieces of an order."""

    @property
    def tracking_number(self) -> str: ...


class TrackedPackage(Struct, frozen=True):
    """One package. `id` is None for the number of the order itself, which is also that of its first package."""

    id: int | None
    order_id: int
    tracking_number: str


def tracked_packages(
    orders: Mapping[int, HasTrackingNumber], packages: Iterable[TrackedPackage]
) -> list[TrackedPackage]:
    """The numbers of some orders that have a timeline: that of each order, and those of its further packages."""
    own = [TrackedPackage(None, id, row.tracking_number) for id, row in orders.items()]
    return own + [
        package for package in packages if package.tracking_number != orders[package.order_id].tracking_number
    ]
