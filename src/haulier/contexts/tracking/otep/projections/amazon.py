"""Amazon: the tracking event history of a carrier API (Shipping v2, getTracking).

Its schema requires a promised delivery date. It is taken from the events' extension `promised_delivery_date`, the end
of the window that was committed to; where nobody promised anything it is left out, since a date is never invented. That
is the one known deviation from the schema.
"""

from datetime import datetime
from typing import Literal

from msgspec import Struct

from haulier.contexts.tracking.otep.model import Event, Location, Timeline
from haulier.contexts.tracking.otep.projections.charts import PIVOTS, Chart, read
from haulier.contexts.tracking.otep.projections.formats import Document
from haulier.contexts.tracking.otep.projections.moments import current, in_order, stamp
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


_SHEET = read("amazon")
CHART = Chart(_SHEET, Row)
REASONS: dict[str, str] = _SHEET["reasons"]


def project(timeline: Timeline, base_url: str) -> Document:
    """A GetTrackingResponse."""
    events = in_order(timeline)
    moved = False
    history: list[Document] = []
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


def _event(event: Event, code: str, row: Row) -> Document:
    document: Document = {"eventCode": code, "eventTime": stamp(event.occurred_at), "shipmentType": row.leg}
    if event.location:
        document["location"] = _location(event.location)
    return document


def _location(location: Location) -> Document:
    document: Document = {}
    if location.city:
        document["city"] = location.city
    if location.region:
        document["stateOrRegion"] = location.region
    if location.country:
        document["countryCode"] = location.country
    if location.postal_code:
        document["postalCode"] = location.postal_code
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


def _promise(events: list[Event]) -> str | None:
    for event in reversed(events):
        if event.extensions and (promised := _time(event.extensions.get(PROMISE))):
            return promised
    return None


def _time(value: object) -> str | None:
    """A promise as RFC 3339; None when it is no time or has no offset. Extensions are other people's data."""
    if isinstance(value, str):
        try:
            value = datetime.fromisoformat(value)
        except ValueError:
            return None
    return stamp(value) if isinstance(value, datetime) and value.tzinfo else None
