"""IATA ONE Record: the logistics events of a piece, as a JSON-LD collection.

The terms are those of the current ontology: `eventFor` and `eventLocation`. Earlier names (`linkedObject`) are gone
from it since data model 3.0, and it has no property for a remark: the reason stands in `eventName`.
"""

from functools import lru_cache

from msgspec import Struct

from haulier.contexts.tracking.otep.model import Event, Location, Subject, Timeline
from haulier.contexts.tracking.otep.projections.charts import Chart, read
from haulier.contexts.tracking.otep.projections.formats import Document
from haulier.contexts.tracking.otep.projections.moments import in_order, stamp
from haulier.contexts.tracking.otep.projections.naming import number, point, said, segment
from haulier.contexts.tracking.otep.vocabulary import address

CONTEXT = {"cargo": "https://onerecord.iata.org/ns/cargo#", "api": "https://onerecord.iata.org/ns/api#"}
STATUS_CODE = "https://onerecord.iata.org/ns/code-lists/StatusCode#"
_DATE_TIME = "http://www.w3.org/2001/XMLSchema#dateTime"
_DOUBLE = "http://www.w3.org/2001/XMLSchema#double"
_ACTUAL = {"@id": "cargo:ACTUAL", "@type": "cargo:EventTimeType"}


class Row(Struct, frozen=True):
    """A code of the StatusCode list; empty where the list has none that fits."""

    code: str = ""


CHART = Chart(read("onerecord"), Row)


def project(timeline: Timeline, base_url: str) -> Document:
    """A collection of LogisticsEvents, all of them `eventFor` the piece."""
    piece = piece_id(timeline.subject, base_url)
    events = f"{piece}/logistics-events"
    about = {"@id": piece, "@type": "cargo:Piece"}
    ordered = in_order(timeline)
    items = [_event(event, timeline.profile, events, about, base_url) for event in ordered]
    said: Document = {"@context": CONTEXT, "@id": events, "@type": "api:Collection", "api:hasTotalItems": len(items)}
    if items:
        said["api:hasItem"] = items
    return said


def piece_id(subject: Subject, base_url: str) -> str:
    """The address of the piece: the one its owner gave it, else one at this service."""
    given = subject.piece_id or ""
    return given if given.startswith("https://") else f"{base_url}/logistics-objects/{segment(number(subject))}"


def _event(event: Event, profile: str, events: str, about: Document, base_url: str) -> Document:
    document: Document = {
        "@id": f"{events}/{segment(event.event_id)}",
        "@type": "cargo:LogisticsEvent",
        "cargo:eventDate": {"@type": _DATE_TIME, "@value": stamp(event.occurred_at)},
        "cargo:eventFor": about,
        "cargo:eventCode": _code(CHART.row(event).code, event.status_code, profile, base_url),
        "cargo:eventName": said(event),
        "cargo:eventTimeType": _ACTUAL,
    }
    if event.recorded_at:
        document["cargo:creationDate"] = {"@type": _DATE_TIME, "@value": stamp(event.recorded_at)}
    if event.location:
        document["cargo:eventLocation"] = _location(event.location)
    return document


@lru_cache(maxsize=1024)
def _code(code: str, status_code: str, profile: str, base_url: str) -> Document:
    if code:
        return {"@id": STATUS_CODE + code}
    return _element(address(status_code, profile), "OTEP", f"{base_url}/api/v1/otep/codebook")


def _element(code: str, list_name: str, reference: str = "") -> Document:
    element: Document = {"@type": "cargo:CodeListElement", "cargo:code": code, "cargo:codeListName": list_name}
    if reference:
        element["cargo:codeListReference"] = reference
    return element


def _location(location: Location) -> Document:
    document: Document = {"@type": "cargo:Location"}
    if location.name:
        document["cargo:locationName"] = location.name
    if location.unlocode:
        document["cargo:locationCodes"] = _element(location.unlocode, "UN/LOCODE")
    if at := point(location):
        document["cargo:geolocation"] = {
            "@type": "cargo:Geolocation",
            "cargo:latitude": {"@type": _DOUBLE, "@value": str(at[0])},
            "cargo:longitude": {"@type": _DOUBLE, "@value": str(at[1])},
        }
    if postal := _address(location):
        document["cargo:address"] = {"@type": "cargo:Address", **postal}
    return document


def _address(location: Location) -> Document:
    document: Document = {}
    if location.address:
        document["cargo:streetAddressLines"] = location.address
    if location.city:
        document["cargo:cityName"] = location.city
    if location.postal_code:
        document["cargo:textualPostCode"] = location.postal_code
    if location.region:
        document["cargo:regionCode"] = _element(location.region, "ISO 3166-2")
    if location.country:
        document["cargo:country"] = _element(location.country, "ISO 3166-1")
    return document
