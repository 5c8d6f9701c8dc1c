"""Rules of the driver's day.

The cursor that a device sends back is a digest of each route and stop that it was shown, so that nothing has to be kept for
it. Whatever changed in between is found, also what disappeared, and no clock or order of writes plays a part.
"""

from collections.abc import Mapping
from enum import StrEnum
from typing import Any
from zlib import crc32

import msgspec
from msgspec import Struct

from haulier.kernel.values.sealing import SealedKind, seal, unseal

ALWAYS_CHANGING = frozenset({"behind_plan_s", "punctuality"})
"""Fields of a stop that change with the clock alone: the device can tell them by itself."""


class DaySnapshot(Struct, frozen=True, array_like=True):
    """State shown to a device.

    A digest of each route without its stops, and of each stop, by id.
    """

    routes: dict[int, int]
    stops: dict[int, int]


class DayChanges(Struct, frozen=True, kw_only=True):
    """Changed, new and removed routes and stops."""

    route_ids: frozenset[int]
    stop_ids: frozenset[int]
    gone_route_ids: frozenset[int]
    gone_stop_ids: frozenset[int]


def digest_of(fields: Mapping[str, Any]) -> int:
    """A digest of what is shown of a route or stop."""
    shown = {name: value for name, value in fields.items() if name not in ALWAYS_CHANGING}
    return crc32(msgspec.json.encode(shown, order="sorted"))


def make_cursor(snapshot: DaySnapshot) -> str:
    """A snapshot as a text that goes into an address."""
    return seal(SealedKind.DAY_CURSOR, msgspec.msgpack.encode(snapshot))


def read_cursor(cursor: str) -> DaySnapshot | None:
    """Return the snapshot of a cursor, or None to send the whole day."""
    document = unseal(SealedKind.DAY_CURSOR, cursor)
    try:
        return None if document is None else msgspec.msgpack.decode(document, type=DaySnapshot)
    except (ValueError, msgspec.DecodeError):
        return None


def find_changes(before: DaySnapshot, now: DaySnapshot) -> DayChanges:
    """Return the differences between two snapshots."""
    return DayChanges(
        route_ids=_changed(before.routes, now.routes),
        stop_ids=_changed(before.stops, now.stops),
        gone_route_ids=frozenset(before.routes.keys() - now.routes.keys()),
        gone_stop_ids=frozenset(before.stops.keys() - now.stops.keys()),
    )


def _changed(before: Mapping[int, int], now: Mapping[int, int]) -> frozenset[int]:
    return frozenset(id for id, digest in now.items() if before.get(id) != digest)


class RouteAnswerValue(StrEnum):
    """A driver's answer to a route."""

    ACCEPTED = "accepted"
    DECLINED = "declined"
