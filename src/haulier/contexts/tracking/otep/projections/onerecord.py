"""IATA ONE Record: the logistics events of a piece, as a JSON-LD collection.

The terms are those of the current ontology: `eventFor` and `eventLocation`. Earlier names (`linkedObject`) are gone
from it since data model 3.0, and it has no property for a remark: the reason stands in `eventName`.
"""

from datetime import datetime
from functools import lru_cache

from msgspec import UNSET, Struct, UnsetType, field

from haulier.contexts.tracking.otep.model import Event, Location, Subject, Timeline
from haulier.contexts.tracking.otep.projections.charts import Chart, read
from haulier.contexts.tracking.otep.projections.formats import Document, Part
from haulier.contexts.tracking.otep.projections.moments import in_order
from haulier.contexts.tracking.otep.projections.naming import number, point, said, segment
from haulier.contexts.tracking.otep.vocabulary import address

CONTEXT = {"cargo": "https://onerecord.iata.org/ns/cargo#", "api": "https://onerecord.iata.org/ns/api#"}
STATUS_CODE = "https://onerecord.iata.org/ns/code-lists/StatusCode#"


class Row(Struct, frozen=True):
    """A code of the StatusCode list; empty where the list has none that fits."""

    code: str = ""


def _cargo(name: str) -> str:
    return f"cargo:{name.split('_')[0]}{''.join(map(str.title, name.split('_')[1:]))}"


class Thing(Part, rename=_cargo):
    """A node of the graph, its properties in the namespace of the data model."""


class Named(Part):
    """A reference to a node; of what kind, when the list it belongs to does not say so."""

    id: str = field(name="@id")
    type: str | UnsetType = field(name="@type", default=UNSET)


class Instant(Part, tag_field="@type", tag="http://www.w3.org/2001/XMLSchema#dateTime"):
    """An xsd:dateTime."""

    value: datetime = field(name="@value")


class Double(Part, tag_field="@type", tag="http://www.w3.org/2001/XMLSchema#double"):
    """An xsd:double; said explicitly, because JSON-LD takes a number without fraction for an integer."""

    value: float = field(name="@value")


class CodeListElement(Thing, tag_field="@type", tag="cargo:CodeListElement"):
    """A code of a list that the standard does not define."""

    code: str
    code_list_name: str
    code_list_reference: str | UnsetType = UNSET


class Address(Thing, tag_field="@type", tag="cargo:Address"):
    """A postal address."""

    street_address_lines: str | UnsetType = UNSET
    city_name: str | UnsetType = UNSET
    textual_post_code: str | UnsetType = UNSET
    region_code: CodeListElement | UnsetType = UNSET
    country: CodeListElement | UnsetType = UNSET


class Geolocation(Thing, tag_field="@type", tag="cargo:Geolocation"):
    """A point on the globe, WGS 84 degrees."""

    latitude: Double
    longitude: Double


class Place(Thing, tag_field="@type", tag="cargo:Location"):
    """Where it happened."""

    location_name: str | UnsetType = UNSET
    location_codes: CodeListElement | UnsetType = UNSET
    geolocation: Geolocation | UnsetType = UNSET
    address: Address | UnsetType = UNSET


class LogisticsEvent(Thing, kw_only=True, tag_field="@type", tag="cargo:LogisticsEvent"):
    """One event of the piece."""

    id: str = field(name="@id")
    event_date: Instant
    creation_date: Instant | UnsetType = UNSET
    event_for: Named
    event_code: Named | CodeListElement
    event_name: str
    event_time_type: Named
    event_location: Place | UnsetType = UNSET


CHART = Chart(read("onerecord"), Row)
_ACTUAL = Named(id="cargo:ACTUAL", type="cargo:EventTimeType")


def project(timeline: Timeline, base_url: str) -> Document:
    """A collection of LogisticsEvents, all of them `eventFor` the piece."""
    piece = piece_id(timeline.subject, base_url)
    events = f"{piece}/logistics-events"
    about = Named(id=piece, type="cargo:Piece")
    items = [_event(event, timeline.profile, events, about, base_url) for event in in_order(timeline)]
    document: Document = {
        "@context": CONTEXT,
        "@id": events,
        "@type": "api:Collection",
        "api:hasTotalItems": len(items),
    }
    if items:
        document["api:hasItem"] = items
    return document


def piece_id(subject: Subject, base_url: str) -> str:
    """The address of the piece: the one its owner gave it, else one at this service."""
    given = subject.piece_id or ""
    own = given.startswith("https://") and not any(character in given for character in _NOT_IN_ADDRESSES)
    return given if own else f"{base_url}/logistics-objects/{segment(number(subject))}"


_NOT_IN_ADDRESSES = ' "<>\\^`{|}'


def _event(event: Event, profile: str, events: str, about: Named, base_url: str) -> LogisticsEvent:
    return LogisticsEvent(
        id=f"{events}/{segment(event.event_id)}",
        event_date=Instant(value=event.occurred_at),
        creation_date=Instant(value=event.recorded_at) if event.recorded_at else UNSET,
        event_for=about,
        event_code=_code(CHART.row(event).code, event.status_code, profile, base_url),
        event_name=said(event),
        event_time_type=_ACTUAL,
        event_location=_place(event.location) if event.location else UNSET,
    )


@lru_cache(maxsize=1024)
def _code(code: str, status_code: str, profile: str, base_url: str) -> Named | CodeListElement:
    if code:
        return Named(id=STATUS_CODE + code)
    codebook = f"{base_url}/api/v1/otep/codebook"
    return CodeListElement(code=address(status_code, profile), code_list_name="OTEP", code_list_reference=codebook)


@lru_cache(maxsize=2048)
def _of_list(code: str, list_name: str) -> CodeListElement:
    return CodeListElement(code=code, code_list_name=list_name)


def _place(location: Location) -> Place:
    at = point(location)
    return Place(
        location_name=location.name,
        location_codes=_of_list(location.unlocode, "UN/LOCODE") if location.unlocode else UNSET,
        geolocation=Geolocation(latitude=Double(value=at[0]), longitude=Double(value=at[1])) if at else UNSET,
        address=Address(
            street_address_lines=location.address,
            city_name=location.city,
            textual_post_code=location.postal_code,
            region_code=_of_list(location.region, "ISO 3166-2") if location.region else UNSET,
            country=_of_list(location.country, "ISO 3166-1") if location.country else UNSET,
        ),
    )
