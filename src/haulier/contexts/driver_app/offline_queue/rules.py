"""Rules of the offline queue: order of attempts, and events that wait for others."""

from collections.abc import Collection, Mapping
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any

from msgspec import Struct

from haulier.kernel.operations.errors import INVALID_REQUEST, declare_error

PRECEDING_EVENT_MISSING = declare_error("event_before_it_is_missing", 409)
EVENT_NEVER_FITTED = declare_error("event_never_fitted", 409)

PRECEDING_EVENT_WAIT = timedelta(hours=24)
"""Time that an event waits for the preceding event of its device."""
EVENT_WAIT = timedelta(days=7)
"""Time that an event waits until it can be applied."""


class DeviceEventType(StrEnum):
    """Type of event. Events of the same instant are tried in this order."""

    ACCEPT = "accept"
    DECLINE = "decline"
    START = "start"
    ARRIVE = "arrive"
    SCAN = "scan"
    PICK_UP = "pick_up"
    DELIVER = "deliver"
    FAIL = "fail"
    REOPEN = "reopen"
    RETURN_TO_DEPOT = "return_to_depot"
    FINISH = "finish"


class DeviceEventStatus(StrEnum):
    """Status of an event: applied, refused for good, or waiting for an earlier event."""

    APPLIED = "applied"
    REFUSED = "refused"
    WAITING = "waiting"


class QueuedDeviceEvent(Struct, frozen=True, kw_only=True):
    """An event in the queue. `again` is true for an event that was already applied."""

    id: str
    kind: DeviceEventType
    occurred_at: datetime
    received_at: datetime
    device_at: datetime | None = None
    after: str | None = None
    again: bool = False
    body: Mapping[str, Any] = {}


_TYPE_RANK = {kind: rank for rank, kind in enumerate(DeviceEventType)}
_RESOLVABLE_ERRORS = frozenset(
    {"not_picked_up_yet", "not_loaded_yet", "route_has_open_stops", "route_still_carries", "upload_missing"}
)
REFUSALS_WITH_PROOF = frozenset({"stop_cancelled", "stop_handed_over", "order_step_refused"})
"""Why a delivery that did happen may not count: the office decided otherwise meanwhile. Its proof is kept for them."""


def event_sort_key(event: QueuedDeviceEvent) -> tuple[datetime, datetime, int, str]:
    """Return the sort key of an event.

    Its time, then the device's own time, then its type. Events dated in the future all get the time of receipt, and the
    device's own time preserves their order.
    """
    return event.occurred_at, event.device_at or event.occurred_at, _TYPE_RANK[event.kind], event.id


def is_refused_for_time(status: str, code: str | None, fields: Collection[str] | None) -> bool:
    """Return True if an earlier version refused the event because of its time.

    It can then be sent again.
    """
    return status == DeviceEventStatus.REFUSED and code == INVALID_REQUEST.id and list(fields or ()) == ["occurred_at"]


def may_still_fit(error_id: str, params: Mapping[str, Any]) -> bool:
    """Return True if later events can resolve the reason for a failed attempt."""
    route_not_started = error_id == "route_cannot" and params.get("status") == "assigned"
    return route_not_started or error_id in _RESOLVABLE_ERRORS


def waits_for_preceding_event(event: QueuedDeviceEvent, settled: Collection[str], now: datetime) -> bool:
    """Return True if an event must wait for the preceding event of its device."""
    if event.after is None or event.after in settled or event.again:
        return False
    return now - event.received_at < PRECEDING_EVENT_WAIT


def has_waited_too_long(event: QueuedDeviceEvent, now: datetime) -> bool:
    """Return True if an event has waited long enough."""
    return now - event.received_at >= EVENT_WAIT
