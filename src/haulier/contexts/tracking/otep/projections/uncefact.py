"""UN/CEFACT: a Multimodal Transport Consignment Status Report, the JSON form of the message IFTSTA.

The schema is closed: own fields are allowed only with the prefix `x-`. Decimals are texts, ids and codes are objects
with `content`, and a location has at most one id and one name.
"""

from datetime import datetime
from functools import lru_cache

from msgspec import UNSET, Struct, UnsetType, field

from haulier.contexts.tracking.otep.model import Event, Location, Timeline
from haulier.contexts.tracking.otep.projections.charts import Chart, read
from haulier.contexts.tracking.otep.projections.formats import Document, Part
from haulier.contexts.tracking.otep.projections.moments import in_order, latest_news
from haulier.contexts.tracking.otep.projections.naming import gln, number, place, plain, point, why

_REPORT = "44"
_UN_ECE = "6"
_GS1 = "9"


class Row(Struct, frozen=True):
    """A status code of Recommendation 24."""

    code: str


class Content(Part, rename="camel"):
    """A text, an id of a scheme or a code of a list."""

    content: str
    scheme_agency_id: str | UnsetType = UNSET
    list_agency_id: str | UnsetType = UNSET


class Degrees(Part, rename="camel"):
    """An angle in decimal degrees, as digits."""

    content: str
    unit_code: str = "DD"


class Coordinate(Part):
    """A point on the globe."""

    latitude: Degrees
    longitude: Degrees


class Where(Part, rename="camel"):
    """A Logistics_ Location: at most one id and one name."""

    id: list[Content] | UnsetType = UNSET
    name: list[Content] | UnsetType = UNSET
    physical_geographical_coordinate: Coordinate | UnsetType = UNSET


class Status(Part, kw_only=True, rename="camel"):
    """A Logistics_ Status, and the OTEP words it stands for."""

    condition_code: Content
    reference_date_time: datetime
    description: Content
    reason_code: list[Content] | UnsetType = UNSET
    reason: list[Content] | UnsetType = UNSET
    specified_logistics_location: list[Where] | UnsetType = UNSET
    status_code: str = field(name="x-otepStatusCode")
    phase: str = field(name="x-otepPhase")
    incident_reason: str | UnsetType = field(name="x-otepIncidentReason", default=UNSET)


_SHEET = read("uncefact")
CHART = Chart(_SHEET, Row)
REASONS: dict[str, str] = _SHEET["reasons"]


def project(timeline: Timeline, base_url: str) -> Document:
    """A status report about one consignment."""
    subject = number(timeline.subject)
    consignment: Document = {"id": [{"content": subject}], "carrierAssignedId": {"content": subject}}
    if timeline.events:
        ordered = in_order(timeline)
        consignment["reportedLogisticsStatus"] = [_status(event) for event in ordered]
    return {
        "exchangedDocument": {
            "id": {"content": subject},
            "typeCode": {"content": _REPORT},
            "issueDateTime": latest_news(timeline),
        },
        "specifiedConsignment": [consignment],
    }


def _status(event: Event) -> Status:
    status = Status(
        condition_code=_coded(CHART.row(event).code),
        reference_date_time=event.occurred_at,
        description=_text(event.description or plain(event.status_code)),
        status_code=event.status_code,
        phase=event.phase,
    )
    if reason := event.incident_reason:
        status.incident_reason = reason.code
        status.reason = [_text(why(event))]
        if reason.code in REASONS:
            status.reason_code = [_coded(REASONS[reason.code])]
    if event.location:
        status.specified_logistics_location = [_location(event.location)]
    return status


def _location(location: Location) -> Where:
    where = Where()
    if location.unlocode:
        where.id = [Content(content=location.unlocode, scheme_agency_id=_UN_ECE)]
    elif location.gln and (key := gln(location)):
        where.id = [Content(content=key, scheme_agency_id=_GS1)]
    if name := place(location):
        where.name = [Content(content=name)]
    if at := point(location):
        where.physical_geographical_coordinate = Coordinate(
            latitude=Degrees(content=f"{at[0]:.6f}"), longitude=Degrees(content=f"{at[1]:.6f}")
        )
    return where


@lru_cache(maxsize=512)
def _coded(code: str) -> Content:
    return Content(content=code, list_agency_id=_UN_ECE)


def _text(text: str) -> Content:
    return Content(content=text)
