"""UN/CEFACT: a Multimodal Transport Consignment Status Report, the JSON form of the message IFTSTA.

The schema is closed: own fields are allowed only with the prefix `x-`. Decimals are texts, ids and codes are objects
with `content`, and a location has at most one id and one name.
"""

from functools import lru_cache

from msgspec import Struct

from haulier.contexts.tracking.otep.model import Event, Location, Timeline
from haulier.contexts.tracking.otep.projections.charts import Chart, read
from haulier.contexts.tracking.otep.projections.formats import Document
from haulier.contexts.tracking.otep.projections.moments import in_order, latest_news, stamp
from haulier.contexts.tracking.otep.projections.naming import gln, number, place, plain, point, why

_REPORT = "44"
_UN_ECE = "6"
_GS1 = "9"


class Row(Struct, frozen=True):
    """A status code of Recommendation 24."""

    code: str


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
            "issueDateTime": stamp(latest_news(timeline)),
        },
        "specifiedConsignment": [consignment],
    }


def _status(event: Event) -> Document:
    document: Document = {
        "conditionCode": _coded(CHART.row(event).code),
        "referenceDateTime": stamp(event.occurred_at),
        "description": {"content": event.description or plain(event.status_code)},
        "x-otepStatusCode": event.status_code,
        "x-otepPhase": event.phase,
    }
    if reason := event.incident_reason:
        document["x-otepIncidentReason"] = reason.code
        document["reason"] = [{"content": why(event)}]
        if reason.code in REASONS:
            document["reasonCode"] = [_coded(REASONS[reason.code])]
    if event.location and (where := _location(event.location)):
        document["specifiedLogisticsLocation"] = [where]
    return document


@lru_cache(maxsize=512)
def _coded(code: str) -> Document:
    return {"content": code, "listAgencyId": _UN_ECE}


def _location(location: Location) -> Document:
    document: Document = {}
    if location.unlocode:
        document["id"] = [{"content": location.unlocode, "schemeAgencyId": _UN_ECE}]
    elif key := gln(location):
        document["id"] = [{"content": key, "schemeAgencyId": _GS1}]
    if name := place(location):
        document["name"] = [{"content": name}]
    if at := point(location):
        document["physicalGeographicalCoordinate"] = {
            "latitude": {"content": f"{at[0]:.6f}", "unitCode": "DD"},
            "longitude": {"content": f"{at[1]:.6f}", "unitCode": "DD"},
        }
    return document
