"""GS1 EPCIS 2.0: object events in a JSON-LD document.

Business steps and dispositions are bare words, as the official schema demands; its context expands them to GS1's
stable URIs. Several statuses share a pair of words, so the status code, phase, reason and place travel along as prefixed
extension fields, and the document reads back without loss.
"""

from datetime import UTC, datetime
from functools import lru_cache
from typing import Any

from msgspec import UNSET, Struct, UnsetType, field

from haulier.contexts.tracking.otep.model import Event, Location, Subject, Timeline
from haulier.contexts.tracking.otep.projections.charts import Chart, read
from haulier.contexts.tracking.otep.projections.formats import Document, Part
from haulier.contexts.tracking.otep.projections.moments import in_order, latest_news, offset
from haulier.contexts.tracking.otep.projections.naming import gln, name_uuid, number, point, segment, sscc_uri

CONTEXT = "https://ref.gs1.org/standards/epcis/2.0.0/epcis-context.jsonld"
_WIDEST_OFFSET = "14:00"


class Row(Struct, frozen=True):
    """Business step and disposition (CBV 2.0), and whether the parcel stays where the event was."""

    step: str
    disposition: str
    stays: bool = False


class Where(Part):
    """A place, as a URI."""

    id: str


class ObjectEvent(Part, kw_only=True, rename="camel", tag_field="type"):
    """What was seen when, where and why, in the standard's words and, prefixed, in ours."""

    event_id: str = field(name="eventID")
    event_time: datetime
    event_time_zone_offset: str
    record_time: datetime | UnsetType = UNSET
    epc_list: list[str]
    action: str = "OBSERVE"
    biz_step: str
    disposition: str
    read_point: Where | UnsetType = UNSET
    biz_location: Where | UnsetType = UNSET
    status_code: str = field(name="otep:statusCode")
    phase: str = field(name="otep:phase")
    incident_reason: str | UnsetType = field(name="otep:incidentReason", default=UNSET)
    incident_note: str | UnsetType = field(name="otep:incidentNote", default=UNSET)
    location: Location | UnsetType = field(name="otep:location", default=UNSET)


_SHEET = read("epcis")
CHART = Chart(_SHEET, Row)
REASONS: dict[str, str] = _SHEET["reasons"]


def project(timeline: Timeline, base_url: str) -> Document:
    """An EPCISDocument with one ObjectEvent (action OBSERVE) per event."""
    epcs = [epc(timeline.subject, base_url)]
    return {
        "@context": _context(base_url),
        "type": "EPCISDocument",
        "schemaVersion": "2.0",
        "creationDate": latest_news(timeline),
        "epcisBody": {"eventList": [_event(event, epcs) for event in in_order(timeline)]},
    }


def epc(subject: Subject, base_url: str) -> str:
    """What is tracked, as a URI: a GS1 Digital Link for a GS1 key, a private address for any other number."""
    return sscc_uri(subject) or f"{base_url}/otep/subjects/{segment(number(subject))}"


@lru_cache(maxsize=64)
def _context(base_url: str) -> list[Any]:
    """GS1's context and ours, in which the fields of a place are our terms."""
    terms = f"{base_url}/otep/terms#"
    place = {"@id": f"{terms}location", "@context": {"@vocab": terms}}
    return [CONTEXT, {"otep": terms, "otep:location": place}]


def _event(event: Event, epcs: list[str]) -> ObjectEvent:
    row = CHART.row(event)
    occurred_at = event.occurred_at
    zone = offset(occurred_at)
    if zone[1:] > _WIDEST_OFFSET:
        occurred_at, zone = occurred_at.astimezone(UTC), "+00:00"
    document = ObjectEvent(
        event_id="urn:uuid:" + name_uuid(event.event_id),
        event_time=occurred_at,
        event_time_zone_offset=zone,
        record_time=event.recorded_at,
        epc_list=epcs,
        biz_step=row.step,
        disposition=row.disposition,
        status_code=event.status_code,
        phase=event.phase,
        location=event.location,
    )
    if reason := event.incident_reason:
        document.disposition = REASONS.get(reason.code, row.disposition)
        document.incident_reason = reason.code
        document.incident_note = reason.note
    if event.location and (where := _uri(event.location)):
        document.read_point = Where(id=where)
        if row.stays:
            document.biz_location = document.read_point
    return document


def _uri(location: Location) -> str | None:
    if location.gln and (key := gln(location)):
        return f"https://id.gs1.org/414/{key}"
    at = point(location)
    return f"geo:{at[0]:.6f},{at[1]:.6f}" if at else None
