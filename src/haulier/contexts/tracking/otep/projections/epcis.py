"""GS1 EPCIS 2.0: object events in a JSON-LD document.

Business steps and dispositions are bare words, as the official schema demands; its context expands them to GS1's
stable URIs. Several statuses share a pair of words, so the status code, phase and reason travel along as prefixed
extension fields, and the document reads back without loss of status.
"""

from msgspec import Struct

from haulier.contexts.tracking.otep.model import Event, Location, Subject, Timeline
from haulier.contexts.tracking.otep.projections.charts import Chart, read
from haulier.contexts.tracking.otep.projections.formats import Document
from haulier.contexts.tracking.otep.projections.moments import in_order, latest_news, stamp, utc_stamp
from haulier.contexts.tracking.otep.projections.naming import (
    event_uuid,
    gln,
    number,
    place,
    point,
    segment,
    sscc_uri,
)

CONTEXT = "https://ref.gs1.org/standards/epcis/2.0.0/epcis-context.jsonld"
_WIDEST_OFFSET = "14:00"


class Row(Struct, frozen=True):
    """Business step and disposition (CBV 2.0), and whether the parcel stays where the event was."""

    step: str
    disposition: str
    stays: bool = False


_SHEET = read("epcis")
CHART = Chart(_SHEET, Row)
REASONS: dict[str, str] = _SHEET["reasons"]


def project(timeline: Timeline, base_url: str) -> Document:
    """An EPCISDocument with one ObjectEvent (action OBSERVE) per event."""
    epcs = [epc(timeline.subject, base_url)]
    return {
        "@context": [CONTEXT, {"otep": f"{base_url}/otep/terms#"}],
        "type": "EPCISDocument",
        "schemaVersion": "2.0",
        "creationDate": stamp(latest_news(timeline)),
        "epcisBody": {"eventList": [_event(event, epcs) for event in in_order(timeline)]},
    }


def epc(subject: Subject, base_url: str) -> str:
    """What is tracked, as a URI: a GS1 Digital Link for a GS1 key, a private address for any other number."""
    return sscc_uri(subject) or f"{base_url}/otep/subjects/{segment(number(subject))}"


def _event(event: Event, epcs: list[str]) -> Document:
    row = CHART.row(event)
    occurred_at = stamp(event.occurred_at)
    offset = occurred_at[-6:]
    if offset[1:] > _WIDEST_OFFSET:
        occurred_at, offset = utc_stamp(event.occurred_at), "+00:00"
    said: Document = {
        "type": "ObjectEvent",
        "eventID": "urn:uuid:" + event_uuid(event.event_id),
        "eventTime": occurred_at,
        "eventTimeZoneOffset": offset,
        "epcList": epcs,
        "action": "OBSERVE",
        "bizStep": row.step,
        "disposition": row.disposition,
        "otep:statusCode": event.status_code,
        "otep:phase": event.phase,
    }
    if event.recorded_at:
        said["recordTime"] = stamp(event.recorded_at)
    if reason := event.incident_reason:
        said["disposition"] = REASONS.get(reason.code, row.disposition)
        said["otep:incidentReason"] = reason.code
        if reason.note:
            said["otep:incidentNote"] = reason.note
    if event.location:
        _locate(said, event.location, row)
    return said


def _locate(said: Document, location: Location, row: Row) -> None:
    if name := place(location):
        said["otep:place"] = name
    if key := gln(location):
        where = {"id": f"https://id.gs1.org/414/{key}"}
    elif at := point(location):
        where = {"id": f"geo:{at[0]:.6f},{at[1]:.6f}"}
    else:
        return
    said["readPoint"] = where
    if row.stays:
        said["bizLocation"] = where
