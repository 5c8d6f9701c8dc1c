"""The offline queue: in which order a device's events are tried, and which of them wait for others that are still to come."""

from collections.abc import Collection, Mapping
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any

from msgspec import Struct

from haulier.kernel.errors import problem

BEFORE_IT_IS_MISSING = problem("event_before_it_is_missing", 409)
EVENT_NEVER_FITTED = problem("event_never_fitted", 409)

LINK_PATIENCE = timedelta(hours=24)
"""For so long an event waits for the one that its device recorded before it."""
PATIENCE = timedelta(days=7)
"""For so long an event waits until it fits."""


class DeviceEventKind(StrEnum):
    """What a device tells. In this order events of the same instant are tried."""

    ACCEPT = "accept"
    DECLINE = "decline"
    START = "start"
    ARRIVE = "arrive"
    SCAN = "scan"
    PICK_UP = "pick_up"
    DELIVER = "deliver"
    FAIL = "fail"
    RETURN_TO_DEPOT = "return_to_depot"
    FINISH = "finish"


class EventFate(StrEnum):
    """What became of an event: done, refused for good, or kept until what it builds on has come."""

    APPLIED = "applied"
    REFUSED = "refused"
    WAITING = "waiting"


class Queued(Struct, frozen=True, kw_only=True):
    """An event in the queue. `again` is true for one that was applied and is only gone through once more."""

    id: str
    kind: DeviceEventKind
    occurred_at: datetime
    received_at: datetime
    after: str | None = None
    again: bool = False
    body: Mapping[str, Any] = {}


_RANK = {kind: rank for rank, kind in enumerate(DeviceEventKind)}
_MAY_COME = frozenset({"not_picked_up_yet", "route_has_open_stops", "route_still_carries", "upload_missing"})


def turn(event: Queued) -> tuple[datetime, int, str]:
    """The place of an event in the order in which events are tried: by when it happened."""
    return event.occurred_at, _RANK[event.kind], event.id


def may_come(problem_id: str, params: Mapping[str, Any]) -> bool:
    """Whether what stands in an event's way can be removed by events that are still to come."""
    before_the_start = problem_id == "route_cannot" and params.get("status") == "assigned"
    return before_the_start or problem_id in _MAY_COME


def held_by_link(event: Queued, settled: Collection[str], now: datetime) -> bool:
    """Whether an event has to wait because the one recorded before it on the device has no fate yet."""
    if event.after is None or event.after in settled or event.again:
        return False
    return now - event.received_at < LINK_PATIENCE


def given_up(event: Queued, now: datetime) -> bool:
    """Whether an event has waited long enough."""
    return now - event.received_at >= PATIENCE
