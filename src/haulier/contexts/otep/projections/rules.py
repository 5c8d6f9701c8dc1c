"""How documents name what they speak of: subjects, events and places. Names are made from what is known, never invented."""

import hashlib
from functools import lru_cache
from urllib.parse import quote
from uuid import NAMESPACE_URL

from msgspec import UNSET

from haulier.contexts.otep.timeline.contract import Location, Subject, TrackingEvent

OTEP_TERMS = "urn:otep:terms:"
"""Our own terms. A URN, because a document must mean the same whichever address the service has."""

_SSCC_DIGITS = 18
_GLN_DIGITS = 13
_NAMESPACE = NAMESPACE_URL.bytes


def subject_number(subject: Subject) -> str:
    """The number by which people know a subject: its tracking number, or the next best identifier."""
    return (
        subject.tracking_number
        or subject.external_tracking_number
        or subject.gs1_sscc
        or subject.piece_id
        or str(subject.package_id or subject.order_id or "")
    )


def subject_urn(subject: Subject) -> str:
    """The URN of a subject, the same whichever address the service has."""
    return f"urn:otep:subject:{url_segment(subject_number(subject))}"


def url_segment(text: str) -> str:
    """Text as one segment of a web address."""
    return text if text.isalnum() and text.isascii() else quote(text, safe="")


def sscc_uri(subject: Subject) -> str | None:
    """The GS1 Digital Link of a subject that has a serial shipping container code (application identifier 00)."""
    digits = subject.gs1_sscc or ""
    digits = digits[-_SSCC_DIGITS:] if len(digits) == _SSCC_DIGITS + 2 and digits.startswith("00") else digits
    return f"https://id.gs1.org/00/{digits}" if len(digits) == _SSCC_DIGITS and _is_number(digits) else None


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdigit()


def location_gln(location: Location) -> str | None:
    """The Global Location Number of a place, when it has a well-formed one."""
    digits = location.gln or ""
    return digits if len(digits) == _GLN_DIGITS and _is_number(digits) else None


def location_point(location: Location) -> tuple[float, float] | None:
    """Latitude and longitude, when both are known and on the globe."""
    lat, lng = location.lat, location.lng
    if lat is UNSET or lng is UNSET or not (-90 <= lat <= 90 and -180 <= lng <= 180):
        return None
    return lat, lng


def location_name(location: Location) -> str:
    """A place in one line, from its name to its country; empty when nothing of it has a name."""
    parts = (location.name, location.city, location.region, location.country)
    return ", ".join([part for part in parts if part])


@lru_cache(maxsize=4096)
def name_uuid(name: str) -> str:
    """A UUID that always stays with a name: version 5 (RFC 9562) in the namespace of addresses."""
    digits = hashlib.sha1(_NAMESPACE + name.encode(), usedforsecurity=False).hexdigest()
    variant = "89ab"[int(digits[16], 16) & 3]
    return f"{digits[:8]}-{digits[8:12]}-5{digits[13:16]}-{variant}{digits[17:20]}-{digits[20:32]}"


@lru_cache(maxsize=4096)
def sha256_hex(text: str) -> str:
    """The SHA-256 of a text in hexadecimal digits, for formats whose ids are numbers of a fixed size."""
    return hashlib.sha256(text.encode()).hexdigest()


@lru_cache(maxsize=4096)
def stable_integer_id(text: str) -> int:
    """A positive number below 2^53 that always stays with a text, for formats whose ids are integers."""
    return int(sha256_hex(text)[:13], 16) + 1


@lru_cache(maxsize=1024)
def code_as_words(code: str) -> str:
    """A code as words."""
    return code.replace("_", " ")


def event_description(event: TrackingEvent) -> str:
    """What happened and why, in words: the description, then the incident's note or reason."""
    text = event.description or code_as_words(event.status_code)
    return f"{text}: {incident_description(event)}" if event.incident_reason else text


def incident_description(event: TrackingEvent) -> str:
    """Why it went wrong, in words; empty when no reason was given."""
    reason = event.incident_reason
    if not reason:
        return ""
    return f"{code_as_words(reason.code)}: {reason.note}" if reason.note else code_as_words(reason.code)
