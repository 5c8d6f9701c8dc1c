"""AfterShip: one tracking object with a checkpoint per event, as the aggregator's API gives it in `data`."""

from datetime import datetime

from msgspec import UNSET, Struct, UnsetType, convert

from haulier.contexts.tracking.otep.model import Event, Timeline
from haulier.contexts.tracking.otep.projections.charts import PIVOTS, Chart, read
from haulier.contexts.tracking.otep.projections.formats import Document, Part
from haulier.contexts.tracking.otep.projections.moments import current, in_order
from haulier.contexts.tracking.otep.projections.naming import name_uuid, number, place, point, said, segment

COUNTRIES: dict[str, str] = read("countries")["alpha3"]
_RETURNS = {"Exception_010", "Exception_011"}


class Row(Struct, frozen=True):
    """Delivery status, sub-status and the sub-status in the aggregator's words."""

    tag: str
    subtag: str
    message: str


class Coordinate(Part):
    """A point on the globe, WGS 84 degrees."""

    latitude: float
    longitude: float


class Checkpoint(Part, kw_only=True):
    """One event; `country_region` is ISO 3166-1 alpha-3."""

    slug: str
    checkpoint_time: datetime
    created_at: datetime | UnsetType = UNSET
    message: str
    tag: str
    subtag: str
    subtag_message: str
    raw_tag: str
    source: str = "carrier"
    hash: str
    location: str | UnsetType = UNSET
    city: str | UnsetType = UNSET
    state: str | UnsetType = UNSET
    postal_code: str | UnsetType = UNSET
    country_region: str | UnsetType = UNSET
    coordinate: Coordinate | UnsetType = UNSET


_SHEET = read("aftership")
CHART = Chart(_SHEET, Row)
REASONS = convert(_SHEET["reasons"], dict[str, dict[str, Row]])
NO_EVENTS = convert(_SHEET["no_events"], Row)


def project(timeline: Timeline, base_url: str) -> Document:
    """The tracking object. Its status is that of the latest event that moved the status."""
    subject = number(timeline.subject)
    events = in_order(timeline)
    last = current(events)
    row = _row(last) if last else NO_EVENTS
    tracking: Document = {
        "id": name_uuid(subject).replace("-", ""),
        "tracking_number": subject,
        "slug": _slug(last) if last else "otep",
        "active": not timeline.terminal,
        "tag": row.tag,
        "subtag": row.subtag,
        "subtag_message": row.message,
        "return_to_sender": row.subtag in _RETURNS,
        "courier_tracking_link": f"{base_url}/api/v1/tracking/{segment(subject)}",
        "checkpoints": [_checkpoint(event) for event in events],
    }
    if timeline.subject.order_id:
        tracking["order_id"] = str(timeline.subject.order_id)
    return tracking | _milestones(events)


def _milestones(events: list[Event]) -> Document:
    if not events:
        return {}
    dates: Document = {
        "created_at": events[0].recorded_at or events[0].occurred_at,
        "updated_at": events[-1].recorded_at or events[-1].occurred_at,
    }
    failed = 0
    for event in events:
        row = CHART.row(event)
        if row.tag == "AttemptFail":
            failed += 1
            dates.setdefault("first_attempted_at", event.occurred_at)
        elif row.tag == "Delivered":
            dates["shipment_delivery_date"] = event.occurred_at
            if event.pod and event.pod.recipient:
                dates["signed_by"] = event.pod.recipient
        if "shipment_pickup_date" not in dates and PIVOTS.row(event).moved:
            dates["shipment_pickup_date"] = event.occurred_at
    dates["failed_delivery_attempts"] = failed
    return dates


def _row(event: Event) -> Row:
    row = CHART.row(event)
    reason = event.incident_reason
    return REASONS.get(row.tag, {}).get(reason.code, row) if reason else row


def _slug(event: Event) -> str:
    return event.source.type.replace("_", "-")


def _checkpoint(event: Event) -> Checkpoint:
    row = _row(event)
    checkpoint = Checkpoint(
        slug=_slug(event),
        checkpoint_time=event.occurred_at,
        created_at=event.recorded_at,
        message=said(event),
        tag=row.tag,
        subtag=row.subtag,
        subtag_message=row.message,
        raw_tag=event.raw_status or event.status_code,
        hash=event.event_id,
    )
    if location := event.location:
        checkpoint.location = place(location) or UNSET
        checkpoint.city = location.city
        checkpoint.state = location.region
        checkpoint.postal_code = location.postal_code
        checkpoint.country_region = COUNTRIES.get(location.country, UNSET) if location.country else UNSET
        if at := point(location):
            checkpoint.coordinate = Coordinate(latitude=at[0], longitude=at[1])
    return checkpoint
