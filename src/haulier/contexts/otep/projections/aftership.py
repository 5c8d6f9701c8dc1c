"""AfterShip: a tracking object with a checkpoint per event, as in `data`."""

from datetime import datetime

from msgspec import UNSET, Struct, UnsetType, convert

from haulier.contexts.otep.projections.contract import DocumentPart, ProjectedDocument
from haulier.contexts.otep.projections.rules import (
    PIVOT_TABLE,
    MappingTable,
    current_event,
    event_description,
    events_in_order,
    location_name,
    location_point,
    name_uuid,
    read_mapping_table,
    subject_number,
    url_segment,
)
from haulier.contexts.otep.timeline.contract import Timeline, TrackingEvent
from haulier.contexts.otep.validation.rules.countries import ALPHA3_CODES

_RETURNS = {"Exception_010", "Exception_011"}


class AftershipRow(Struct, frozen=True):
    """Delivery status, sub-status and the sub-status in the aggregator's words."""

    tag: str
    subtag: str
    message: str


class AftershipCoordinate(DocumentPart):
    """A point on the globe, WGS 84 degrees."""

    latitude: float
    longitude: float


class AftershipCheckpoint(DocumentPart, kw_only=True):
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
    coordinate: AftershipCoordinate | UnsetType = UNSET


_SHEET = read_mapping_table("aftership")
MAPPING = MappingTable(_SHEET, AftershipRow)
REASONS = convert(_SHEET["reasons"], dict[str, dict[str, AftershipRow]])
NO_EVENTS_ROW = convert(_SHEET["no_events"], AftershipRow)


def project(timeline: Timeline, base_url: str) -> ProjectedDocument:
    """Return the tracking object. Its status is that of the latest effective event."""
    subject = subject_number(timeline.subject)
    events = events_in_order(timeline)
    last = current_event(events)
    row = _mapped_row(last) if last else NO_EVENTS_ROW
    tracking: ProjectedDocument = {
        "id": name_uuid(subject).replace("-", ""),
        "tracking_number": subject,
        "slug": _slug(last) if last else "otep",
        "active": not timeline.terminal,
        "tag": row.tag,
        "subtag": row.subtag,
        "subtag_message": row.message,
        "return_to_sender": row.subtag in _RETURNS,
        "courier_tracking_link": f"{base_url}/api/v1/tracking/{url_segment(subject)}",
        "checkpoints": [_checkpoint(event) for event in events],
    }
    if timeline.subject.order_id:
        tracking["order_id"] = str(timeline.subject.order_id)
    return tracking | _milestones(events)


def _milestones(events: list[TrackingEvent]) -> ProjectedDocument:
    if not events:
        return {}
    dates: ProjectedDocument = {
        "created_at": events[0].recorded_at or events[0].occurred_at,
        "updated_at": events[-1].recorded_at or events[-1].occurred_at,
    }
    failed = 0
    for event in events:
        row = MAPPING.row(event)
        if row.tag == "AttemptFail":
            failed += 1
            dates.setdefault("first_attempted_at", event.occurred_at)
        elif row.tag == "Delivered":
            dates["shipment_delivery_date"] = event.occurred_at
            if event.pod and event.pod.recipient:
                dates["signed_by"] = event.pod.recipient
        if "shipment_pickup_date" not in dates and PIVOT_TABLE.row(event).moved:
            dates["shipment_pickup_date"] = event.occurred_at
    dates["failed_delivery_attempts"] = failed
    return dates


def _mapped_row(event: TrackingEvent) -> AftershipRow:
    row = MAPPING.row(event)
    reason = event.incident_reason
    return REASONS.get(row.tag, {}).get(reason.code, row) if reason else row


def _slug(event: TrackingEvent) -> str:
    return event.source.type.replace("_", "-")


def _checkpoint(event: TrackingEvent) -> AftershipCheckpoint:
    row = _mapped_row(event)
    checkpoint = AftershipCheckpoint(
        slug=_slug(event),
        checkpoint_time=event.occurred_at,
        created_at=event.recorded_at,
        message=event_description(event),
        tag=row.tag,
        subtag=row.subtag,
        subtag_message=row.message,
        raw_tag=event.raw_status or event.status_code,
        hash=event.event_id,
    )
    if location := event.location:
        checkpoint.location = location_name(location) or UNSET
        checkpoint.city = location.city
        checkpoint.state = location.region
        checkpoint.postal_code = location.postal_code
        checkpoint.country_region = ALPHA3_CODES.get(location.country, UNSET) if location.country else UNSET
        if at := location_point(location):
            checkpoint.coordinate = AftershipCoordinate(latitude=at[0], longitude=at[1])
    return checkpoint
