"""Amazon: the tracking event history of a carrier API (Shipping v2, getTracking).

Its schema requires a promised delivery date. It is taken from the events' extension `promised_delivery_date`, the end
of the window that was committed to; where nobody promised anything it is left out, since a date is never invented. That
is the one known deviation from the schema.
"""

from datetime import datetime
from typing import Literal

from msgspec import UNSET, Struct, UnsetType

from haulier.contexts.tracking.otep.model import Event, Timeline
from haulier.contexts.tracking.otep.projections.charts import PIVOTS, Chart, read
from haulier.contexts.tracking.otep.projections.formats import Document, Part
from haulier.contexts.tracking.otep.projections.moments import current, in_order
from haulier.contexts.tracking.otep.projections.naming import number

PROMISE = "promised_delivery_date"
"""The extension of an event that tells by when delivery is promised: RFC 3339 with an offset."""


class Row(Struct, frozen=True):
    """EventCode and summary status; `moved_…` once the parcel was picked up. An empty event is not in the history."""

    event: str
    status: str
    leg: Literal["FORWARD", "RETURNS"] = "FORWARD"
    moved_event: str = ""
    moved_status: str = ""
    details: tuple[str, ...] = ()


class Place(Part, rename="camel"):
    """Where it happened, without a street."""

    city: str | UnsetType = UNSET
    state_or_region: str | UnsetType = UNSET
    country_code: str | UnsetType = UNSET
    postal_code: str | UnsetType = UNSET


class HistoryEvent(Part, kw_only=True, rename="camel"):
    """One event; `shipment_type` says which way the parcel travelled."""

    event_code: str
    event_time: datetime
    location: Place | UnsetType = UNSET
    shipment_type: str


_SHEET = read("amazon")
CHART = Chart(_SHEET, Row)
REASONS: dict[str, str] = _SHEET["reasons"]


def project(timeline: Timeline, base_url: str) -> Document:
    """A GetTrackingResponse."""
    events = in_order(timeline)
    moved = False
    history: list[HistoryEvent] = []
    for event in events:
        row = CHART.row(event)
        if code := (row.moved_event if moved and row.moved_event else row.event):
            history.append(_event(event, code, row))
        moved = moved or PIVOTS.row(event).moved
    last = current(events)
    payload: Document = {
        "trackingId": number(timeline.subject),
        "alternateLegTrackingId": "",
        "eventHistory": history,
        "summary": _summary(last, moved),
    }
    if promise := _promise(events):
        payload["promisedDeliveryDate"] = promise
    return {"payload": payload}


def _event(event: Event, code: str, row: Row) -> HistoryEvent:
    document = HistoryEvent(event_code=code, event_time=event.occurred_at, shipment_type=row.leg)
    if location := event.location:
        document.location = Place(
            city=location.city,
            state_or_region=location.region,
            country_code=location.country,
            postal_code=location.postal_code,
        )
    return document


def _summary(last: Event | None, moved: bool) -> Document:
    row = CHART.row(last) if last else CHART.pivots["created"]
    details = list(row.details)
    reason = REASONS.get(last.incident_reason.code) if last and last.incident_reason else None
    if reason and reason not in details:
        details.append(reason)
    forward = row.leg == "FORWARD"
    return {
        "status": row.moved_status if moved and row.moved_status else row.status,
        "trackingDetailCodes": {"forward": details if forward else [], "returns": [] if forward else details},
    }


def _promise(events: list[Event]) -> datetime | None:
    for event in reversed(events):
        if event.extensions and (promised := _time(event.extensions.get(PROMISE))):
            return promised
    return None


def _time(value: object) -> datetime | None:
    """A promised time; None when it is no time or has no offset. Extensions are other people's data."""
    if isinstance(value, str):
        try:
            value = datetime.fromisoformat(value)
        except ValueError:
            return None
    return value if isinstance(value, datetime) and value.tzinfo else None
