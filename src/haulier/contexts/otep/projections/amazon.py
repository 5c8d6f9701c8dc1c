"""Amazon: the tracking event history of a carrier API (Shipping v2, getTracking).

Its schema requires a promised delivery date. It is taken from the events' extension `promised_delivery_date`, the end
of the promised window; without a promise it is omitted, since a date is never invented. That is the one known deviation
from the schema.
"""

from datetime import datetime
from typing import Literal

from msgspec import UNSET, Struct, UnsetType

from haulier.contexts.otep.projections.contract import DocumentPart, ProjectedDocument
from haulier.contexts.otep.projections.rules import (
    PIVOT_TABLE,
    MappingTable,
    current_event,
    events_in_order,
    read_mapping_table,
    subject_number,
)
from haulier.contexts.otep.timeline.contract import Timeline, TrackingEvent

PROMISED_DATE_EXTENSION = "promised_delivery_date"
"""Event extension with the promised delivery time: RFC 3339 with an offset."""


class AmazonRow(Struct, frozen=True):
    """EventCode and summary status; `moved_…` after pickup. An empty event is omitted."""

    event: str
    status: str
    leg: Literal["FORWARD", "RETURNS"] = "FORWARD"
    moved_event: str = ""
    moved_status: str = ""
    details: tuple[str, ...] = ()


class AmazonPlace(DocumentPart, rename="camel"):
    """Where it happened, without a street."""

    city: str | UnsetType = UNSET
    state_or_region: str | UnsetType = UNSET
    country_code: str | UnsetType = UNSET
    postal_code: str | UnsetType = UNSET


class AmazonHistoryEvent(DocumentPart, kw_only=True, rename="camel"):
    """One event; `shipment_type` says which way the parcel travelled."""

    event_code: str
    event_time: datetime
    location: AmazonPlace | UnsetType = UNSET
    shipment_type: str


_SHEET = read_mapping_table("amazon")
MAPPING = MappingTable(_SHEET, AmazonRow)
REASONS: dict[str, str] = _SHEET["reasons"]


def project(timeline: Timeline, base_url: str) -> ProjectedDocument:
    """Return a GetTrackingResponse."""
    events = events_in_order(timeline)
    moved = False
    history: list[AmazonHistoryEvent] = []
    for event in events:
        row = MAPPING.row(event)
        if code := (row.moved_event if moved and row.moved_event else row.event):
            history.append(_history_event(event, code, row))
        moved = moved or PIVOT_TABLE.row(event).moved
    last = current_event(events)
    payload: ProjectedDocument = {
        "trackingId": subject_number(timeline.subject),
        "alternateLegTrackingId": "",
        "eventHistory": history,
        "summary": _summary(last, moved),
    }
    if promise := _promised_date(events):
        payload["promisedDeliveryDate"] = promise
    return {"payload": payload}


def _history_event(event: TrackingEvent, code: str, row: AmazonRow) -> AmazonHistoryEvent:
    document = AmazonHistoryEvent(event_code=code, event_time=event.occurred_at, shipment_type=row.leg)
    if location := event.location:
        document.location = AmazonPlace(
            city=location.city,
            state_or_region=location.region,
            country_code=location.country,
            postal_code=location.postal_code,
        )
    return document


def _summary(last: TrackingEvent | None, moved: bool) -> ProjectedDocument:
    row = MAPPING.row(last) if last else MAPPING.pivots["created"]
    details = list(row.details)
    reason = REASONS.get(last.incident_reason.code) if last and last.incident_reason else None
    if reason and reason not in details:
        details.append(reason)
    forward = row.leg == "FORWARD"
    return {
        "status": row.moved_status if moved and row.moved_status else row.status,
        "trackingDetailCodes": {"forward": details if forward else [], "returns": [] if forward else details},
    }


def _promised_date(events: list[TrackingEvent]) -> datetime | None:
    for event in reversed(events):
        if event.extensions and (promised := _parsed_time(event.extensions.get(PROMISED_DATE_EXTENSION))):
            return promised
    return None


def _parsed_time(value: object) -> datetime | None:
    """Return a promised time, or None if it is malformed. Extensions are untrusted."""
    if isinstance(value, str):
        try:
            value = datetime.fromisoformat(value)
        except ValueError:
            return None
    return value if isinstance(value, datetime) and value.tzinfo else None
