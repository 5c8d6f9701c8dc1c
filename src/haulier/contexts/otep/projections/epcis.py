"""GS1 EPCIS 2.0: object events in a JSON-LD document.

Business steps and dispositions are bare words, as the official schema demands; its context expands them to GS1's
stable URIs, and their URNs stand beside them. Several statuses share a pair of words, so the status code, phase, reason and
place travel along as prefixed extension fields, and the document reads back without loss.
"""

from datetime import UTC, datetime
from typing import Any

from msgspec import UNSET, Struct, UnsetType, field

from haulier.contexts.otep.projections.contract import DocumentPart, ProjectedDocument
from haulier.contexts.otep.projections.rules import (
    OTEP_TERMS,
    MappingTable,
    events_in_order,
    latest_recorded_at,
    location_gln,
    location_point,
    name_uuid,
    read_mapping_table,
    sscc_uri,
    subject_urn,
    utc_offset,
)
from haulier.contexts.otep.timeline.contract import Location, Subject, Timeline, TrackingEvent

EPCIS_CONTEXT = "https://ref.gs1.org/standards/epcis/2.0.0/epcis-context.jsonld"
JSON_LD_CONTEXT: list[Any] = [
    EPCIS_CONTEXT,
    {"otep": OTEP_TERMS, "otep:location": {"@id": f"{OTEP_TERMS}location", "@context": {"@vocab": OTEP_TERMS}}},
]
"""GS1's context and OTEP's, which defines the fields of a place."""

STEP_URN = "urn:epcglobal:cbv:bizstep:"
DISPOSITION_URN = "urn:epcglobal:cbv:disp:"
"""How GS1 names business steps and dispositions where documents are not JSON (CBV 2.0)."""

_WIDEST_OFFSET = "14:00"


class EpcisRow(Struct, frozen=True):
    """Business step and disposition (CBV 2.0), and True if the parcel stays there."""

    step: str
    disposition: str
    stays: bool = False


class EpcisPlace(DocumentPart):
    """A place, as a URI."""

    id: str


class ObjectEvent(DocumentPart, kw_only=True, rename="camel", tag_field="type"):
    """An event in the standard's terms and, prefixed, in OTEP's."""

    event_id: str = field(name="eventID")
    event_time: datetime
    event_time_zone_offset: str
    record_time: datetime | UnsetType = UNSET
    epc_list: list[str]
    action: str = "OBSERVE"
    biz_step: str
    disposition: str
    read_point: EpcisPlace | UnsetType = UNSET
    biz_location: EpcisPlace | UnsetType = UNSET
    step_urn: str = field(name="otep:bizStep")
    disposition_urn: str = field(name="otep:disposition")
    status_code: str = field(name="otep:statusCode")
    phase: str = field(name="otep:phase")
    incident_reason: str | UnsetType = field(name="otep:incidentReason", default=UNSET)
    incident_note: str | UnsetType = field(name="otep:incidentNote", default=UNSET)
    location: Location | UnsetType = field(name="otep:location", default=UNSET)
    handed_to: str | UnsetType = field(name="otep:handedTo", default=UNSET)
    pieces_delivered: int | UnsetType = field(name="otep:piecesDelivered", default=UNSET)
    pieces_total: int | UnsetType = field(name="otep:piecesTotal", default=UNSET)


_SHEET = read_mapping_table("epcis")
MAPPING = MappingTable(_SHEET, EpcisRow)
REASONS: dict[str, str] = _SHEET["reasons"]


def project(timeline: Timeline, base_url: str) -> ProjectedDocument:
    """Return an EPCISDocument with one ObjectEvent (action OBSERVE) per event."""
    epcs = [subject_epc(timeline.subject)]
    return {
        "@context": JSON_LD_CONTEXT,
        "type": "EPCISDocument",
        "schemaVersion": "2.0",
        "creationDate": latest_recorded_at(timeline),
        "epcisBody": {"eventList": [_object_event(event, epcs) for event in events_in_order(timeline)]},
    }


def subject_epc(subject: Subject) -> str:
    """Return a subject's URI: a GS1 Digital Link for a GS1 key, else a URN."""
    return sscc_uri(subject) or subject_urn(subject)


def _object_event(event: TrackingEvent, epcs: list[str]) -> ObjectEvent:
    row = MAPPING.row(event)
    occurred_at = event.occurred_at
    zone = utc_offset(occurred_at)
    if zone[1:] > _WIDEST_OFFSET:
        occurred_at, zone = occurred_at.astimezone(UTC), "+00:00"
    reason = event.incident_reason
    disposition = REASONS.get(reason.code, row.disposition) if reason else row.disposition
    document = ObjectEvent(
        event_id="urn:uuid:" + name_uuid(event.event_id),
        event_time=occurred_at,
        event_time_zone_offset=zone,
        record_time=event.recorded_at,
        epc_list=epcs,
        biz_step=row.step,
        disposition=disposition,
        step_urn=STEP_URN + row.step,
        disposition_urn=DISPOSITION_URN + disposition,
        status_code=event.status_code,
        phase=event.phase,
        location=event.location,
    )
    if reason:
        document.incident_reason = reason.code
        document.incident_note = reason.note
    if outcome := event.outcome:
        document.handed_to = outcome.handed_to
        if outcome.pieces:
            document.pieces_delivered, document.pieces_total = outcome.pieces.delivered, outcome.pieces.total
    if event.location and (where := _location_uri(event.location)):
        document.read_point = EpcisPlace(id=where)
        if row.stays:
            document.biz_location = document.read_point
    return document


def _location_uri(location: Location) -> str | None:
    if location.gln and (key := location_gln(location)):
        return f"https://id.gs1.org/414/{key}"
    point = location_point(location)
    return f"geo:{point[0]:.6f},{point[1]:.6f}" if point else None
