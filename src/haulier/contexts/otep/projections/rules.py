"""Rules of projections.

Most documents hold times as they are and leave the writing, RFC 3339 with the source's offset, to msgspec. Numbers
are exact: no floating point between a time and its digits.

A format's table has one row per pivot, the coarse vocabulary that every standard can express, and may add finer rows
for single status codes. `MappingTable` spreads both over the codebook, so that finding an event's row is one look-up.

A storefront knows an order, not a journey. Tracking never asserts that money moved: no view says refunded.
"""

import hashlib
import tomllib
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from operator import attrgetter
from pathlib import Path
from typing import Any, Generic, TypeVar
from urllib.parse import quote
from uuid import NAMESPACE_URL

from msgspec import UNSET, Struct, convert

from haulier.contexts.otep.timeline.contract import Location, Subject, Timeline, TrackingEvent

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


@lru_cache(maxsize=1024)
def _written_offset(offset: timedelta) -> str:
    minutes = offset // timedelta(minutes=1)
    return f"{'-' if minutes < 0 else '+'}{abs(minutes) // 60:02d}:{abs(minutes) % 60:02d}"


def utc_offset(at: datetime) -> str:
    """Return the source's time offset as `+hh:mm`."""
    return "+00:00" if at.tzinfo is UTC else _written_offset(at.utcoffset() or timedelta())


def utc_stamp(at: datetime) -> str:
    """RFC 3339 in UTC, to the millisecond, ending in Z."""
    return at.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.") + f"{at.microsecond // 1000:03d}Z"


def epoch_s(at: datetime) -> int:
    """Whole seconds since 1970."""
    return (at - _EPOCH) // timedelta(seconds=1)


def epoch_ms(at: datetime) -> int:
    """Whole milliseconds since 1970."""
    return (at - _EPOCH) // timedelta(milliseconds=1)


def epoch_ns(at: datetime) -> int:
    """Return nanoseconds since 1970, or 0 for earlier times."""
    since = at - _EPOCH
    return max(0, ((since.days * 86_400 + since.seconds) * 1_000_000 + since.microseconds) * 1000)


def latest_recorded_at(timeline: Timeline) -> datetime:
    """Return the newest time of a timeline, used as the document's time.

    A projection has no clock, so the same timeline always gives the same document. Without events it is 1970.
    """
    return max((event.recorded_at or event.occurred_at for event in timeline.events), default=_EPOCH)


_OCCURRED_AT = attrgetter("occurred_at")


def events_in_order(timeline: Timeline) -> list[TrackingEvent]:
    """Return events by time of occurrence; ties keep the timeline's order."""
    return sorted(timeline.events, key=_OCCURRED_AT)


def current_event(events: list[TrackingEvent]) -> TrackingEvent | None:
    """Return the last event that was not too late to move the status, or None."""
    return next((event for event in reversed(events) if not event.late), None)


OTEP_TERMS = "urn:otep:terms:"
"""Our own terms. A URN, because a document must mean the same whichever address the service has."""

_SSCC_DIGITS = 18
_GLN_DIGITS = 13
_NAMESPACE = NAMESPACE_URL.bytes


def subject_number(subject: Subject) -> str:
    """Return the public number of a subject: its tracking number, or the next best."""
    return (
        subject.tracking_number
        or subject.external_tracking_number
        or subject.gs1_sscc
        or subject.piece_id
        or str(subject.package_id or subject.order_id or "")
    )


def subject_urn(subject: Subject) -> str:
    """Return the URN of a subject, independent of the service's address."""
    return f"urn:otep:subject:{url_segment(subject_number(subject))}"


def url_segment(text: str) -> str:
    """Text as one segment of a web address."""
    return text if text.isalnum() and text.isascii() else quote(text, safe="")


def sscc_uri(subject: Subject) -> str | None:
    """Return the GS1 Digital Link of a subject with an SSCC, or None.

    Application identifier 00.
    """
    digits = subject.gs1_sscc or ""
    digits = digits[-_SSCC_DIGITS:] if len(digits) == _SSCC_DIGITS + 2 and digits.startswith("00") else digits
    return f"https://id.gs1.org/00/{digits}" if len(digits) == _SSCC_DIGITS and _is_number(digits) else None


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdigit()


def location_gln(location: Location) -> str | None:
    """Return the Global Location Number of a place, if it is well-formed."""
    digits = location.gln or ""
    return digits if len(digits) == _GLN_DIGITS and _is_number(digits) else None


def location_point(location: Location) -> tuple[float, float] | None:
    """Latitude and longitude, when both are known and on the globe."""
    lat, lng = location.lat, location.lng
    if lat is UNSET or lng is UNSET or not (-90 <= lat <= 90 and -180 <= lng <= 180):
        return None
    return lat, lng


def location_name(location: Location) -> str:
    """Return a place in one line, from name to country; empty if unknown."""
    parts = (location.name, location.city, location.region, location.country)
    return ", ".join([part for part in parts if part])


@lru_cache(maxsize=4096)
def name_uuid(name: str) -> str:
    """Return a stable UUID of a name: version 5 (RFC 9562), URL namespace."""
    digits = hashlib.sha1(_NAMESPACE + name.encode(), usedforsecurity=False).hexdigest()
    variant = "89ab"[int(digits[16], 16) & 3]
    return f"{digits[:8]}-{digits[8:12]}-5{digits[13:16]}-{variant}{digits[17:20]}-{digits[20:32]}"


@lru_cache(maxsize=4096)
def sha256_hex(text: str) -> str:
    """Return the SHA-256 of a text in hexadecimal, for ids of a fixed size."""
    return hashlib.sha256(text.encode()).hexdigest()


@lru_cache(maxsize=4096)
def stable_integer_id(text: str) -> int:
    """Return a stable positive integer below 2^53 for a text, for integer ids."""
    return int(sha256_hex(text)[:13], 16) + 1


@lru_cache(maxsize=1024)
def code_as_words(code: str) -> str:
    """Return a code as words."""
    return code.replace("_", " ")


def event_description(event: TrackingEvent) -> str:
    """Return an event in words: description, then the incident's note or reason."""
    text = event.description or code_as_words(event.status_code)
    return f"{text}: {incident_description(event)}" if event.incident_reason else text


def incident_description(event: TrackingEvent) -> str:
    """Return the incident in words; empty without a reason."""
    reason = event.incident_reason
    if not reason:
        return ""
    return f"{code_as_words(reason.code)}: {reason.note}" if reason.note else code_as_words(reason.code)


Row = TypeVar("Row", bound=Struct)


def read_mapping_table(name: str) -> dict[str, Any]:
    """Return a table by the name of its projection."""
    return tomllib.loads((Path(__file__).parent / f"{name}.toml").read_text(encoding="utf-8"))


_PIVOT_SHEET = read_mapping_table("pivots")


class MappingTable(Generic[Row]):
    """Mapping of events to rows of a format's table.

    An event takes the row of its code; else of its code's pivot; else of its phase's pivot; else of a parcel in
    transit. A code outside the codebook never becomes finer than its phase.
    """

    def __init__(self, sheet: dict[str, Any], row_type: type[Row]) -> None:
        """Load a table. Raises for a missing, unknown or malformed row."""
        self.pivots: dict[str, Row] = convert(sheet["pivots"], dict[str, row_type])
        finer: dict[str, Row] = convert(sheet.get("codes", {}), dict[str, row_type])
        if self.pivots.keys() != _PIVOT_SHEET["pivots"].keys():
            raise ValueError(f"rows differ from the pivots: {self.pivots.keys() ^ _PIVOT_SHEET['pivots'].keys()}")
        self.codes = {code: self.pivots[pivot] for code, pivot in _PIVOT_SHEET["codes"].items()} | finer
        self._phases = {phase: self.pivots[pivot] for phase, pivot in _PIVOT_SHEET["phases"].items()}
        self._otherwise = self.pivots[_PIVOT_SHEET["otherwise"]]

    def row_for(self, code: str, phase: str) -> Row:
        """Return the row of a status code that occurred in a phase."""
        return self.codes.get(code) or self._phases.get(phase) or self._otherwise

    def row(self, event: TrackingEvent) -> Row:
        """Return the row of an event."""
        return self.codes.get(event.status_code) or self._phases.get(event.phase) or self._otherwise


class PivotRow(Struct, frozen=True):
    """State of a pivot: True if the parcel has left the sender."""

    moved: bool


PIVOT_TABLE = MappingTable({"pivots": _PIVOT_SHEET["pivots"]}, PivotRow)


class OrderView(Struct, frozen=True, kw_only=True):
    """An order as a storefront sees it.

    `shipped_at` is None until the parcel has left the sender, `delivered_at` until it has arrived, `changed_at` until
    the first event.
    """

    number: str
    order_id: int | None
    line: str
    """The order's only line: the package id, or else the number."""
    carrier: str
    url: str
    shipped_at: datetime | None
    delivered_at: datetime | None
    changed_at: datetime | None


def build_order_view(timeline: Timeline, base_url: str, mapping: MappingTable[Row]) -> tuple[OrderView, Row]:
    """Return the order's view, and the storefront row of its current status."""
    events = [event for event in events_in_order(timeline) if not event.late]
    last = current_event(events)
    code, phase = (last.status_code, last.phase) if last else _stated_status(timeline)
    subject = timeline.subject
    name = subject_number(subject)
    order = OrderView(
        number=name,
        order_id=subject.order_id or None,
        line=str(subject.package_id or name),
        carrier=(last.source.name or last.source.type) if last else "",
        url=f"{base_url}/api/v1/tracking/{url_segment(name)}",
        shipped_at=next((event.occurred_at for event in events if PIVOT_TABLE.row(event).moved), None),
        delivered_at=last.occurred_at
        if last and PIVOT_TABLE.row_for(code, phase) is PIVOT_TABLE.pivots["delivered"]
        else None,
        changed_at=last.occurred_at if last else None,
    )
    return order, mapping.row_for(code, phase)


def _stated_status(timeline: Timeline) -> tuple[str, str]:
    """Return the stated status of a timeline without events; else only known."""
    return timeline.current_status or "information_submitted", timeline.current_phase or "pre_shipment"


def known_fields(**fields: Any) -> dict[str, Any]:
    """Return the fields with a known value."""
    return {name: value for name, value in fields.items() if value is not None}
