"""Lenient readers of carrier scans: every field is optional."""

import hashlib
import re
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from typing import Any

from msgspec import Struct

from haulier.contexts.otep.carriers.rules.text_normalization import normalize_word
from haulier.contexts.otep.carriers.rules.translation import TranslatedStatus, translate_status
from haulier.contexts.otep.validation.rules.countries import COUNTRY_CODES, COUNTRY_CODES_BY_ALPHA3
from haulier.contexts.otep.validation.rules.value_checks import parse_timestamp

Document = dict[str, Any]
RAW_MAX = 200
_TEXT_MAX, _POSTAL_CODE_MAX = 200, 20
_OFFSET = re.compile(r"([+-])(\d\d)[.:]?(\d\d)")

PHRASES = {
    "delivered": "delivered",
    "outfordelivery": "out_for_delivery",
    "intransit": "in_transit",
    "pickedup": "picked_up",
    "accepted": "picked_up",
    "labelcreated": "label_created",
    "shippinglabelcreated": "label_created",
    "shipmentinformationreceived": "information_submitted",
    "availableforpickup": "ready_for_collection",
    "readyforpickup": "ready_for_collection",
    "attempteddelivery": "delivery_failed",
    "deliveryattempted": "delivery_failed",
    "deliveryattemptfailed": "delivery_failed",
    "arrivedatfacility": "arrival_scan",
    "departedfacility": "package_outbound",
    "departurescan": "package_outbound",
    "arrivalscan": "arrival_scan",
    "originscan": "picked_up",
}
"""Descriptions that mean one status with every carrier. Only a whole description is looked up: `Delivered to agent` is none."""


class CarrierScan(Struct, frozen=True, kw_only=True):
    """One scan. `written_at` is its time as the carrier wrote it, perhaps unreadable.

    `inferred`: the scan has no status of its own, so a later document may show another one for it.
    """

    event_id: str
    code: str
    status: TranslatedStatus
    written_at: Any
    text: str = ""
    city: str = ""
    region: str = ""
    country: str = ""
    postal_code: str = ""
    inferred: bool = False

    @property
    def occurred_at(self) -> datetime | None:
        """Return the time of the scan, or None if it is unusable.

        None if it is missing, unreadable or without an offset.
        """
        return parse_timestamp(self.written_at)


class CarrierScanForm(Struct, frozen=True, kw_only=True):
    """Format of a sender's scans.

    Fields are paths such as `location.city`; the first with a text counts. `read_time` returns the scan's time, and
    `sealed` the fields that make its id besides time and codes. `codes` are joined; `hints` are looked up if they are
    empty.
    """

    sender: str
    codes: tuple[str, ...]
    coarse_code: str = ""
    hints: tuple[str, ...]
    sealed: tuple[str, ...]
    read_time: Callable[[Document], Any]
    text: str
    city: str
    region: str
    country: tuple[str, ...]
    postal_code: tuple[str, ...]


def scan_id(*parts: object) -> str:
    """Return a stable id for a scan without one.

    A poll and a push of the same scan give the same id.
    """
    return hashlib.sha256("|".join(str(part or "") for part in parts).encode()).hexdigest()[:32]


def read_scans(form: CarrierScanForm, scans: Sequence[Document], overall: str = "") -> list[CarrierScan]:
    """Read scans in order.

    The newest one without a status takes the overall status of the document.
    """
    moments = [parse_timestamp(form.read_time(scan)) for scan in scans]
    newest = max((at for at in moments if at), default=None)
    is_newest = [at == newest if newest else len(scans) == 1 for at in moments]
    return [_read_scan(form, scan, overall if last else "") for scan, last in zip(scans, is_newest, strict=True)]


def _read_scan(form: CarrierScanForm, scan: Document, overall: str) -> CarrierScan:
    code = join_codes(*(text_at(scan, path) for path in form.codes))
    text, written_at = text_at(scan, form.text), form.read_time(scan)
    return CarrierScan(
        event_id=scan_id(*_time_seal(form, scan, written_at, code), *(text_at(scan, path) for path in form.sealed)),
        code=code,
        status=_scan_status(form, scan, code, overall),
        written_at=written_at,
        text=text,
        city=text_at(scan, form.city),
        region=text_at(scan, form.region),
        country=read_country(first_text(scan, form.country)),
        postal_code=first_text(scan, form.postal_code)[:_POSTAL_CODE_MAX],
        inferred=not code,
    )


def _time_seal(form: CarrierScanForm, scan: Document, written_at: Any, code: str) -> tuple[str, ...]:
    # UPS ids consist of date and time as UPS writes them, before the place; recorded events have these ids.
    if form.sender == "ups":
        return (code, *ups_date_and_time(scan))
    at = parse_timestamp(written_at)
    return f"{at.astimezone(UTC):%Y-%m-%dT%H:%M:%SZ}" if at else str(written_at)[:RAW_MAX], code


def _scan_status(form: CarrierScanForm, scan: Document, code: str, overall: str) -> TranslatedStatus:
    if code:
        return translate_status(form.sender, code, text_at(scan, form.coarse_code) or None)
    if overall:
        return translate_status(form.sender, overall)
    hints = [hint for path in form.hints if (hint := text_at(scan, path))]
    for hint in hints:
        if (status := translate_status(form.sender, hint)).known:
            return status
        if phrase := PHRASES.get(normalize_word(hint)):
            return TranslatedStatus(status_code=phrase, phase="", raw_status=hint)
    return translate_status(form.sender, hints[0] if hints else "")


def join_codes(*codes: str) -> str:
    """Return codes from coarse to fine as one status, `status:detail`."""
    return ":".join(code for code in codes if code)[:RAW_MAX]


def text_at(document: Document, path: str) -> str:
    """Return the storable text at a path of a document, or an empty text."""
    value: Any = document
    for name in path.split("."):
        value = value.get(name) if isinstance(value, dict) else None
    if isinstance(value, bool) or not isinstance(value, str | int):
        return ""
    try:
        text = str(value)
    except ValueError:  # Python's own limit to the digits of an integer
        return ""
    return "".join(letter for letter in text if letter.isprintable()).strip()[:_TEXT_MAX]


def first_text(document: Document, paths: Sequence[str]) -> str:
    """Return the first text at some paths."""
    return next(filter(None, (text_at(document, path) for path in paths)), "")


def first_time(*paths: str) -> Callable[[Document], Any]:
    """Return a reader of the first readable time at some paths.

    Otherwise it returns the first value present.
    """

    def read(document: Document) -> Any:
        texts = [text for path in paths if (text := text_at(document, path))]
        return next((text for text in texts if parse_timestamp(text)), texts[0] if texts else None)

    return read


def read_country(text: str) -> str:
    """Return the alpha-2 code for an alpha-2 or alpha-3 code, or an empty text."""
    code = text.upper()
    return code if code in COUNTRY_CODES else COUNTRY_CODES_BY_ALPHA3.get(code, "")


def ups_date_and_time(scan: Document) -> tuple[str, str]:
    """Return the UTC date and time of a UPS scan as UPS writes them, without colons."""
    day, time = (first_text(scan, paths) for paths in (("gmtActivityDate", "gmtDate"), ("gmtActivityTime", "gmtTime")))
    return day, time.replace(":", "")


def ups_time(scan: Document) -> str | None:
    """Return the UTC time of a UPS scan, else the local one with its offset."""
    if at := _ups_moment(*ups_date_and_time(scan), "Z"):
        return at
    day, time = (first_text(scan, paths) for paths in (("localActivityDate", "date"), ("localActivityTime", "time")))
    offset = _OFFSET.fullmatch(first_text(scan, ("gmtOffset",)))
    return _ups_moment(day, time.replace(":", ""), "{}{}:{}".format(*offset.groups())) if offset else None


def _ups_moment(day: str, time: str, offset: str) -> str | None:
    match = re.fullmatch(r"(\d{4})(\d\d)(\d\d)/(\d\d)(\d\d)(\d\d)", f"{day}/{time}")
    return "{}-{}-{}T{}:{}:{}".format(*match.groups()) + offset if match else None
