"""UN/CEFACT: a Multimodal Transport Consignment Status Report, IFTSTA in JSON.

The schema is closed: custom fields need the prefix `x-`. Decimals are texts, ids and codes are objects with `content`,
and a location has at most one id and one name.
"""

from datetime import datetime
from functools import lru_cache

from msgspec import UNSET, Struct, UnsetType, field

from haulier.contexts.otep.projections.contract import DocumentPart, ProjectedDocument
from haulier.contexts.otep.projections.rules import (
    MappingTable,
    code_as_words,
    events_in_order,
    incident_description,
    latest_recorded_at,
    location_gln,
    location_name,
    location_point,
    read_mapping_table,
    subject_number,
)
from haulier.contexts.otep.timeline.contract import Location, Timeline, TrackingEvent

_REPORT = "44"
_UN_ECE = "6"
_GS1 = "9"


class UncefactRow(Struct, frozen=True):
    """A status code of Recommendation 24."""

    code: str


class UncefactContent(DocumentPart, rename="camel"):
    """A text, an id of a scheme or a code of a list."""

    content: str
    scheme_agency_id: str | UnsetType = UNSET
    list_agency_id: str | UnsetType = UNSET


class UncefactDegrees(DocumentPart, rename="camel"):
    """An angle in decimal degrees, as digits."""

    content: str
    unit_code: str = "DD"


class UncefactCoordinate(DocumentPart):
    """A point on the globe."""

    latitude: UncefactDegrees
    longitude: UncefactDegrees


class LogisticsLocation(DocumentPart, rename="camel"):
    """A Logistics_ Location: at most one id and one name."""

    id: list[UncefactContent] | UnsetType = UNSET
    name: list[UncefactContent] | UnsetType = UNSET
    physical_geographical_coordinate: UncefactCoordinate | UnsetType = UNSET


class LogisticsStatus(DocumentPart, kw_only=True, rename="camel"):
    """A Logistics_ Status, and the OTEP words it stands for."""

    condition_code: UncefactContent
    reference_date_time: datetime
    description: UncefactContent
    reason_code: list[UncefactContent] | UnsetType = UNSET
    reason: list[UncefactContent] | UnsetType = UNSET
    specified_logistics_location: list[LogisticsLocation] | UnsetType = UNSET
    status_code: str = field(name="x-otepStatusCode")
    phase: str = field(name="x-otepPhase")
    incident_reason: str | UnsetType = field(name="x-otepIncidentReason", default=UNSET)


_SHEET = read_mapping_table("uncefact")
MAPPING = MappingTable(_SHEET, UncefactRow)
REASONS: dict[str, str] = _SHEET["reasons"]


def project(timeline: Timeline, base_url: str) -> ProjectedDocument:
    """Return a status report about one consignment."""
    subject = subject_number(timeline.subject)
    consignment: ProjectedDocument = {"id": [{"content": subject}], "carrierAssignedId": {"content": subject}}
    if timeline.events:
        ordered = events_in_order(timeline)
        consignment["reportedLogisticsStatus"] = [_logistics_status(event) for event in ordered]
    return {
        "exchangedDocument": {
            "id": {"content": subject},
            "typeCode": {"content": _REPORT},
            "issueDateTime": latest_recorded_at(timeline),
        },
        "specifiedConsignment": [consignment],
    }


def _logistics_status(event: TrackingEvent) -> LogisticsStatus:
    status = LogisticsStatus(
        condition_code=_code_content(MAPPING.row(event).code),
        reference_date_time=event.occurred_at,
        description=_text_content(event.description or code_as_words(event.status_code)),
        status_code=event.status_code,
        phase=event.phase,
    )
    if reason := event.incident_reason:
        status.incident_reason = reason.code
        status.reason = [_text_content(incident_description(event))]
        if reason.code in REASONS:
            status.reason_code = [_code_content(REASONS[reason.code])]
    if event.location:
        status.specified_logistics_location = [_logistics_location(event.location)]
    return status


def _logistics_location(location: Location) -> LogisticsLocation:
    where = LogisticsLocation()
    if location.unlocode:
        where.id = [UncefactContent(content=location.unlocode, scheme_agency_id=_UN_ECE)]
    elif location.gln and (key := location_gln(location)):
        where.id = [UncefactContent(content=key, scheme_agency_id=_GS1)]
    if name := location_name(location):
        where.name = [UncefactContent(content=name)]
    if at := location_point(location):
        where.physical_geographical_coordinate = UncefactCoordinate(
            latitude=UncefactDegrees(content=f"{at[0]:.6f}"), longitude=UncefactDegrees(content=f"{at[1]:.6f}")
        )
    return where


@lru_cache(maxsize=512)
def _code_content(code: str) -> UncefactContent:
    return UncefactContent(content=code, list_agency_id=_UN_ECE)


def _text_content(text: str) -> UncefactContent:
    return UncefactContent(content=text)
