"""IATA ONE Record: the logistics events of a piece, as a JSON-LD collection.

The terms are those of the current ontology: `eventFor` and `eventLocation`. Earlier names (`linkedObject`) are gone
from it since data model 3.0, and it has no property for a remark: the reason stands in `eventName`. Readers who look for
the earlier names find them beside these, as terms of our own (docs/decisions/timelines.md).
"""

from datetime import datetime
from functools import lru_cache

from msgspec import UNSET, Struct, UnsetType, field

from haulier.contexts.otep.projections.contract import DocumentPart, ProjectedDocument
from haulier.contexts.otep.projections.rules import (
    OTEP_TERMS,
    MappingTable,
    event_description,
    events_in_order,
    incident_description,
    location_point,
    read_mapping_table,
    subject_urn,
    url_segment,
)
from haulier.contexts.otep.timeline.contract import Location, Subject, Timeline, TrackingEvent
from haulier.contexts.otep.vocabulary.rules import code_address

ONE_RECORD_CONTEXT = {
    "cargo": "https://onerecord.iata.org/ns/cargo#",
    "api": "https://onerecord.iata.org/ns/api#",
    "otep": OTEP_TERMS,
}
STATUS_CODE_LIST = "https://onerecord.iata.org/ns/code-lists/StatusCode#"


class OneRecordRow(Struct, frozen=True):
    """A code of the StatusCode list; empty where the list has none that fits."""

    code: str = ""


def _cargo(name: str) -> str:
    return f"cargo:{name.split('_')[0]}{''.join(map(str.title, name.split('_')[1:]))}"


class CargoNode(DocumentPart, rename=_cargo):
    """A node of the graph, its properties in the namespace of the data model."""


class NodeReference(DocumentPart):
    """A reference to a node, with its kind if the list does not imply it."""

    id: str = field(name="@id")
    type: str | UnsetType = field(name="@type", default=UNSET)


class XsdDateTime(DocumentPart, tag_field="@type", tag="http://www.w3.org/2001/XMLSchema#dateTime"):
    """An xsd:dateTime."""

    value: datetime = field(name="@value")


class XsdDouble(DocumentPart, tag_field="@type", tag="http://www.w3.org/2001/XMLSchema#double"):
    """An xsd:double; explicit, because JSON-LD reads integral numbers as integers."""

    value: float = field(name="@value")


class CodeListElement(CargoNode, tag_field="@type", tag="cargo:CodeListElement"):
    """A code of a list that the standard does not define."""

    code: str
    code_list_name: str
    code_list_reference: str | UnsetType = UNSET


class OneRecordAddress(CargoNode, tag_field="@type", tag="cargo:Address"):
    """A postal address."""

    street_address_lines: str | UnsetType = UNSET
    city_name: str | UnsetType = UNSET
    textual_post_code: str | UnsetType = UNSET
    region_code: CodeListElement | UnsetType = UNSET
    country: CodeListElement | UnsetType = UNSET


class Geolocation(CargoNode, tag_field="@type", tag="cargo:Geolocation"):
    """A point on the globe, WGS 84 degrees."""

    latitude: XsdDouble
    longitude: XsdDouble


class OneRecordLocation(CargoNode, tag_field="@type", tag="cargo:Location"):
    """Where it happened."""

    location_name: str | UnsetType = UNSET
    location_codes: CodeListElement | UnsetType = UNSET
    geolocation: Geolocation | UnsetType = UNSET
    address: OneRecordAddress | UnsetType = UNSET


class LogisticsEvent(CargoNode, kw_only=True, tag_field="@type", tag="cargo:LogisticsEvent"):
    """One event of the piece."""

    id: str = field(name="@id")
    event_date: XsdDateTime
    creation_date: XsdDateTime | UnsetType = UNSET
    event_for: NodeReference
    event_code: NodeReference | CodeListElement
    event_name: str
    event_time_type: NodeReference
    event_location: OneRecordLocation | UnsetType = UNSET
    linked_object: NodeReference = field(name="otep:linkedObject")
    recorded_at_location: OneRecordLocation | UnsetType = field(name="otep:recordedAtLocation", default=UNSET)
    event_remark: str | UnsetType = field(name="otep:eventRemark", default=UNSET)


MAPPING = MappingTable(read_mapping_table("onerecord"), OneRecordRow)
_ACTUAL = NodeReference(id="cargo:ACTUAL", type="cargo:EventTimeType")


def project(timeline: Timeline, base_url: str) -> ProjectedDocument:
    """Return a collection of LogisticsEvents, all of them `eventFor` the piece."""
    piece = piece_address(timeline.subject)
    events = f"{piece}/logistics-events"
    about = NodeReference(id=piece, type="cargo:Piece")
    items = [_logistics_event(event, timeline.profile, events, about, base_url) for event in events_in_order(timeline)]
    document: ProjectedDocument = {
        "@context": ONE_RECORD_CONTEXT,
        "@id": events,
        "@type": "api:Collection",
        "api:hasTotalItems": len(items),
    }
    if items:
        document["api:hasItem"] = items
    return document


def piece_address(subject: Subject) -> str:
    """Return the piece's address from its owner, else a URN."""
    piece_id = subject.piece_id or ""
    own = piece_id.startswith("https://") and not any(character in piece_id for character in _NOT_IN_ADDRESSES)
    return piece_id if own else subject_urn(subject)


_NOT_IN_ADDRESSES = ' "<>\\^`{|}'


def _logistics_event(
    event: TrackingEvent, profile: str, events: str, about: NodeReference, base_url: str
) -> LogisticsEvent:
    location = _event_location(event.location) if event.location else UNSET
    return LogisticsEvent(
        id=f"{events}/{url_segment(event.event_id)}",
        event_date=XsdDateTime(value=event.occurred_at),
        creation_date=XsdDateTime(value=event.recorded_at) if event.recorded_at else UNSET,
        event_for=about,
        event_code=_event_code(MAPPING.row(event).code, event.status_code, profile, base_url),
        event_name=event_description(event),
        event_time_type=_ACTUAL,
        event_location=location,
        linked_object=about,
        recorded_at_location=location,
        event_remark=incident_description(event) or UNSET,
    )


@lru_cache(maxsize=1024)
def _event_code(code: str, status_code: str, profile: str, base_url: str) -> NodeReference | CodeListElement:
    if code:
        return NodeReference(id=STATUS_CODE_LIST + code)
    codebook = f"{base_url}/api/v1/otep/codebook"
    return CodeListElement(code=code_address(status_code, profile), code_list_name="OTEP", code_list_reference=codebook)


@lru_cache(maxsize=2048)
def _code_list_element(code: str, list_name: str) -> CodeListElement:
    return CodeListElement(code=code, code_list_name=list_name)


def _event_location(location: Location) -> OneRecordLocation:
    point = location_point(location)
    return OneRecordLocation(
        location_name=location.name,
        location_codes=_code_list_element(location.unlocode, "UN/LOCODE") if location.unlocode else UNSET,
        geolocation=Geolocation(latitude=XsdDouble(value=point[0]), longitude=XsdDouble(value=point[1]))
        if point
        else UNSET,
        address=OneRecordAddress(
            street_address_lines=location.address,
            city_name=location.city,
            textual_post_code=location.postal_code,
            region_code=_code_list_element(location.region, "ISO 3166-2") if location.region else UNSET,
            country=_code_list_element(location.country, "ISO 3166-1") if location.country else UNSET,
        ),
    )
