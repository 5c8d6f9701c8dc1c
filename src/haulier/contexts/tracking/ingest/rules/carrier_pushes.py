"""Rules of ingest: carrier pushes.

They are taken as these senders write them, with every field optional, and authenticated by a provider's key (UPS sends it in
`credential`). A scan gets the id that a poll of the carrier gives it, so a repeat changes nothing.

EasyPost: `X-Hmac-Signature: hmac-sha256-hex=…`, over the body. ShipEngine: an RSA signature in base64 over the time, a full
stop and the body. Shippo: `Shippo-Auth-Signature: t=…,v1=…`, an HMAC in hexadecimal over the same. AfterShip:
`aftership-hmac-sha256`, an HMAC of the body in base64. UPS signs nothing: the header `credential` carries the provider's key.
"""

import hashlib
import hmac
import re
import unicodedata
from base64 import b64decode, b64encode
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from typing import Any
from urllib.parse import parse_qs, urlsplit

import msgspec
from msgspec import UNSET, Struct
from msgspec.structs import replace

from haulier.contexts.otep.public import (
    TERMINAL_CODES,
    CarrierScan,
    CarrierScanForm,
    Correction,
    Source,
    TrackingEvent,
    TranslatedStatus,
    first_text,
    join_codes,
    parse_timestamp,
    read_scans,
    scan_forms,
    scan_id,
    text_at,
    translate_status,
)
from haulier.contexts.tracking.ingest.rules.parsed import ParsedEvent, RefusalReason, SubjectNames
from haulier.contexts.tracking.ports import KeySetVerifier
from haulier.contexts.tracking.timelines.rules import make_event_id
from haulier.kernel.operations.errors import declare_error

Document = dict[str, Any]
MAX_SCANS = 1000
STATUS_INFERRED = "status_inferred"
"""The extension of events whose scan has no status of its own: a later document may show another one for it."""

_SHIPPO_EVENTS = frozenset(
    ("track_updated", "transaction_created", "transaction_updated", "batch_created", "batch_purchased")
)


class PushForm(Struct, frozen=True, kw_only=True):
    """Format of a sender's webhooks: how to recognise it, and where its data is.

    `body` is the path of the parcel, empty for the document itself. `scans` are paths of lists and of single scans.
    """

    scan: CarrierScanForm
    is_sent: Callable[[Document], bool]
    is_about_parcel: Callable[[Document], bool] = lambda _: True
    is_about_other: Callable[[Document], bool] = lambda _: False
    """True for the known events that are about no parcel: batches, payments, reports."""
    body: str = ""
    number: str
    number_address: str = ""
    """The path of an address whose query has the number."""
    scans: tuple[str, ...] = ()
    status: tuple[str, ...] = ()
    status_times: tuple[str, ...] = ()

    @property
    def sender(self) -> str:
        """Return the name of the sender's vocabulary."""
        return self.scan.sender


def recognise_push(document: Any) -> PushForm | None:
    """Return the form of a webhook that carriers send; None for any other document."""
    if not isinstance(document, dict):
        return None
    return next((form for form in PUSH_FORMS if form.is_sent(document)), None)


def native_of_push(document: Any, received_at: datetime | None = None) -> Any:
    """Return the native document of a webhook; any other document unchanged.

    A webhook that is about no parcel becomes a document without timelines: its sender would repeat it otherwise.
    `received_at` is given for a replay: it is the time of a status without a time, which is new no more.
    """
    form = recognise_push(document)
    if form is None:
        return document
    timelines = [_timeline(form, document, received_at)] if form.is_about_parcel(document) else []
    return {"on_error": "proceed", "timelines": timelines}


def not_understood(document: Any) -> RefusalReason | None:
    """Return the reason to store a known sender's webhook: an unknown event, or None."""
    form = recognise_push(document)
    if form is None or form.is_about_parcel(document) or form.is_about_other(document):
        return None
    return RefusalReason("$", "ingest.event_unknown", {"sender": form.sender})


def pushed_number(form: PushForm, document: Document) -> str:
    """Return the tracking number of a webhook, or an empty text."""
    if number := text_at(_body(form, document), form.number):
        return number
    query = parse_qs(urlsplit(text_at(document, form.number_address)).query)
    return next(iter(query.get("tracking_number", ())), "").strip()


def _timeline(form: PushForm, document: Document, received_at: datetime | None) -> Document:
    body, number = _body(form, document), pushed_number(form, document)
    overall = join_codes(*(text_at(body, path) for path in form.status))
    scans = read_scans(form.scan, _listed_scans(form, body), overall)
    events = list({scan.event_id: _native_event(scan) for scan in scans}.values())
    timeline: Document = {"subject": {"tracking_number": number} if number else {}, "events": events}
    if not overall:
        return timeline
    status = translate_status(form.sender, overall)
    written_at = first_text(body, form.status_times)
    if parse_timestamp(written_at) is None and not events:
        if received_at is None:
            return {**timeline, "current_status": status.status_code}
        written_at = received_at.isoformat()
    if not events or _is_unscanned_end(status, scans):
        events.append(_overall_event(form, number, status, written_at, scans))
    return timeline


def _is_unscanned_end(status: TranslatedStatus, scans: list[CarrierScan]) -> bool:
    """Return True if the document reports an end that no scan has."""
    return status.status_code in TERMINAL_CODES and all(scan.status.status_code not in TERMINAL_CODES for scan in scans)


def _overall_event(
    form: PushForm, number: str, status: TranslatedStatus, written_at: str, scans: list[CarrierScan]
) -> Document:
    """Return the event of a document's overall status.

    Its time is its own, or that of the newest scan.
    """
    moments = {at: scan.written_at for scan in scans if (at := scan.occurred_at)}
    at = written_at if parse_timestamp(written_at) or not moments else moments[max(moments)]
    return {
        "event_id": scan_id("overall", number, status.status_code, at),
        "occurred_at": at,
        **_native_status(status),
        "extensions": {STATUS_INFERRED: True},
    }


def _native_event(scan: CarrierScan) -> Document:
    place = {"city": scan.city, "region": scan.region, "country": scan.country, "postal_code": scan.postal_code}
    location = {name: value for name, value in place.items() if value}
    return {
        "event_id": scan.event_id,
        **({} if scan.written_at is None else {"occurred_at": scan.written_at}),
        **_native_status(scan.status),
        **({"location": location} if location else {}),
        **({"extensions": {STATUS_INFERRED: True}} if scan.inferred else {}),
    }


def _native_status(status: TranslatedStatus) -> Document:
    reason = {"incident_reason": {"code": status.incident_reason}} if status.incident_reason else {}
    raw = {"raw_status": status.raw_status} if status.raw_status else {}
    return {"status_code": status.status_code, **raw, **reason}


def _body(form: PushForm, document: Document) -> Document:
    body = document.get(form.body) if form.body else document
    return body if isinstance(body, dict) else {}


def _listed_scans(form: PushForm, body: Document) -> list[Document]:
    """Return the scans of a document: the last ones, up to the limit of a call."""
    if not form.scans:
        return [body]
    values = [body.get(path) for path in form.scans]
    listed = [scan for value in values for scan in (value if isinstance(value, list) else [value])]
    return [scan for scan in listed if isinstance(scan, dict) and scan][-MAX_SCANS:]


def _is_ups(document: Document) -> bool:
    return "trackingNumber" in document and not _UPS_PARTS.isdisjoint(document)


_UPS_PARTS = frozenset(("activityStatus", "gmtActivityDate", "localActivityDate"))


def _is_shipengine(document: Document) -> bool:
    return "resource_type" in document and ("resource_url" in document or "data" in document)


def _is_easypost(document: Document) -> bool:
    return document.get("object") == "Event" and ("result" in document or "description" in document)


def _is_shippo(document: Document) -> bool:
    event = document.get("event")
    return ("data" in document and isinstance(event, str) and event in _SHIPPO_EVENTS) or _is_shippo_track(document)


def _is_shippo_track(document: Document) -> bool:
    return "tracking_number" in document and ("tracking_status" in document or "tracking_history" in document)


def _is_aftership(document: Document) -> bool:
    return "msg" in document and "event" in document


def _field_is(name: str, value: str) -> Callable[[Document], bool]:
    return lambda document: document.get(name) == value


def _is_about_tracker(document: Document) -> bool:
    result = document.get("result")
    kind = result.get("object", "Tracker") if isinstance(result, dict) else None
    return kind == "Tracker" or str(document.get("description", "")).startswith("tracker.")


def _is_other_easypost(document: Document) -> bool:
    return str(document.get("description", "")).partition(".")[0] in _EASYPOST_OTHER


def _is_other_shippo(document: Document) -> bool:
    return document.get("event") in _SHIPPO_EVENTS - {"track_updated"}


_EASYPOST_OTHER = frozenset(
    (
        *("bank_account", "batch", "carrier_account", "claim", "credit_card", "insurance", "order", "payment"),
        *("payment_method", "pickup", "refund", "report", "scan_form", "shipment", "shipment_invoice", "user"),
    )
)
_SHIPENGINE_OTHER = frozenset(
    (
        *("API_BATCH", "API_CARRIER_CONNECTED", "API_ORDER_SOURCE_REFRESH_COMPLETE", "API_RATE"),
        *("API_REPORT_COMPLETE", "API_SALES_ORDERS_IMPORTED"),
    )
)
_SHIPPO_TRACK: Mapping[str, Any] = {
    "scan": scan_forms.SHIPPO,
    "number": "tracking_number",
    "scans": ("tracking_history", "tracking_status"),
    "status": ("tracking_status.status", "tracking_status.substatus.code"),
    "status_times": ("tracking_status.status_date",),
}
PUSH_FORMS = (
    PushForm(scan=scan_forms.UPS_PUSH, is_sent=_is_ups, number="trackingNumber"),
    PushForm(
        scan=scan_forms.SHIPENGINE,
        is_sent=_is_shipengine,
        is_about_parcel=_field_is("resource_type", "API_TRACK"),
        is_about_other=lambda document: document.get("resource_type") in _SHIPENGINE_OTHER,
        body="data",
        number="tracking_number",
        number_address="resource_url",
        scans=("events",),
        status=("status_code", "status_detail_code"),
        status_times=("actual_delivery_date",),
    ),
    PushForm(
        scan=scan_forms.EASYPOST,
        is_sent=_is_easypost,
        is_about_parcel=_is_about_tracker,
        is_about_other=_is_other_easypost,
        body="result",
        number="tracking_code",
        scans=("tracking_details",),
        status=("status", "status_detail"),
        status_times=("updated_at",),
    ),
    PushForm(is_sent=_is_shippo_track, **_SHIPPO_TRACK),
    PushForm(
        is_sent=_is_shippo,
        is_about_parcel=_field_is("event", "track_updated"),
        is_about_other=_is_other_shippo,
        body="data",
        **_SHIPPO_TRACK,
    ),
    PushForm(
        scan=scan_forms.AFTERSHIP,
        is_sent=_is_aftership,
        body="msg",
        number="tracking_number",
        scans=("checkpoints",),
        status=("tag", "subtag"),
        status_times=("shipment_delivery_date", "updated_at"),
    ),
)
"""The webhooks that are taken, tried in this order."""


_OWN_EVENT_ID = re.compile(r"[0-9a-f]{32}")


class IngestOutcome(StrEnum):
    """The outcome of an event."""

    ACCEPTED = "accepted"
    DUPLICATE = "duplicate"
    REFUSED = "refused"
    CORRECTED = "corrected"
    QUEUED = "queued"


OccurrenceContent = tuple[datetime, str]
"""When an event occurred and with which status. Two events with one id must agree in it."""


def to_recorded_event(parsed: ParsedEvent, number: str, default_name: str | None, now: datetime) -> TrackingEvent:
    """Return the event as recorded on a timeline, with our id instead of its source's.

    `default_name` is the source's name if the event has none. An event that came from us keeps its id.
    """
    event, source = parsed.event, parsed.event.source
    if not source.name and default_name:
        source = replace(source, name=default_name)
    if not source.reference and event.event_id and not _is_own_event_id(event, source, number):
        source = replace(source, reference=event.event_id)
    event_id = make_event_id(number, source, event.status_code, event.occurred_at)
    return replace(event, event_id=event_id, source=source, recorded_at=now)


def _is_own_event_id(event: TrackingEvent, source: Source, number: str) -> bool:
    """Return True if the event's id is the one that we compute for it."""
    if not _OWN_EVENT_ID.fullmatch(event.event_id):
        return False
    return event.event_id == make_event_id(number, source, event.status_code, event.occurred_at)


def occurrence_content(event: TrackingEvent) -> OccurrenceContent:
    """Return the content in which two events with one id must agree."""
    return event.occurred_at, event.status_code


def to_recorded_correction(declared: Correction, event: TrackingEvent, number: str) -> Correction:
    """Return an error declaration about a recorded event, with our event ids."""
    return Correction(
        event_id=event.event_id,
        declared_at=declared.declared_at.astimezone(UTC),
        reason=declared.reason,
        corrective_event_ids=tuple(
            _own_event_id(id, event.source, number) for id in declared.corrective_event_ids or ()
        )
        or UNSET,
        source=Source(type=event.source.type, name=event.source.name),
    )


def _own_event_id(id: str, source: Source, number: str) -> str:
    return (
        id
        if _OWN_EVENT_ID.fullmatch(id)
        else make_event_id(number, replace(source, reference=id), "", datetime.min.replace(tzinfo=UTC))
    )


def decide_outcome(event: TrackingEvent, recorded: OccurrenceContent | None) -> IngestOutcome:
    """Return the outcome of an event, given the record with its id.

    It is refused if the record has other content. An inferred status is no other content: it depends on the document in
    which the scan comes.
    """
    if recorded is None:
        return IngestOutcome.ACCEPTED
    if recorded[0] == event.occurred_at and event.extensions and event.extensions.get(STATUS_INFERRED):
        return IngestOutcome.DUPLICATE
    return IngestOutcome.DUPLICATE if recorded == occurrence_content(event) else IngestOutcome.REFUSED


MESSAGE_EVENTS = 50
"""Events in one message, unless they may not be parted."""
MESSAGE_BYTES = 750_000
"""Maximum bytes of events in one message; brokers accept a megabyte by default."""


def split_into_messages(events: Iterable[ParsedEvent]) -> Iterator[list[ParsedEvent]]:
    """Yield events in message-sized portions, in order within a subject.

    Events of one subject stay together if they fit. An event of several subjects is never split, since it is added to
    all or none. One that is too large is left out.
    """
    message, size = list[ParsedEvent](), 0
    for part in _together(events):
        part_size = sum(len(msgspec.json.encode(event)) for event in part)
        if message and (len(message) + len(part) > MESSAGE_EVENTS or size + part_size > MESSAGE_BYTES):
            yield message
            message, size = [], 0
        if part_size <= MESSAGE_BYTES:
            message, size = [*message, *part], size + part_size
    if message:
        yield message


def _together(events: Iterable[ParsedEvent]) -> Iterator[Sequence[ParsedEvent]]:
    """Yield the groups of events for messages: a whole subject, or single events."""
    by_path: dict[str, list[ParsedEvent]] = {}
    for event in events:
        by_path.setdefault(event.path, []).append(event)
    by_subject: dict[SubjectNames, list[list[ParsedEvent]]] = {}
    for whole in by_path.values():
        by_subject.setdefault(whole[0].subject, []).append(whole)
    for wholes in by_subject.values():
        together = [event for whole in wholes for event in whole]
        yield from [together] if len(together) <= MESSAGE_EVENTS else wholes


PUSH_SIGNATURE_WRONG = declare_error("push_signature_wrong", 401)
CLOCK_TOLERANCE = timedelta(minutes=5)
"""Maximum difference between a signature's time and the server's; older ones may be replays."""
_HMAC_PREFIX = "hmac-sha256-hex="


def is_signed_by_secret(secret: str, signature: str, document: bytes) -> bool:
    """Return True if a push has EasyPost's signature with a secret."""
    # Normalised, as EasyPost's own clients do before signing.
    key = unicodedata.normalize("NFKD", secret).encode()
    expected = _HMAC_PREFIX + hmac.new(key, document, hashlib.sha256).hexdigest()
    return hmac.compare_digest(expected.encode(), signature.strip().encode())


def is_signed_by_shippo(secret: str, signature: str, document: bytes, now: datetime) -> bool:
    """Return True if a push has a recent signature by Shippo with a secret."""
    pairs = [part.strip().partition("=") for part in signature.split(",")]
    parts = {name: value for name, _, value in pairs}
    try:
        at = datetime.fromtimestamp(int(parts["t"]), UTC)
    except (KeyError, ValueError, OverflowError, OSError):
        return False
    expected = hmac.new(secret.encode(), parts["t"].encode() + b"." + document, hashlib.sha256).hexdigest()
    is_recent = abs(now - at) <= CLOCK_TOLERANCE
    return is_recent and hmac.compare_digest(expected.encode(), parts.get("v1", "").lower().encode())


def is_signed_by_aftership(secret: str, signature: str, document: bytes) -> bool:
    """Return True if a push has AfterShip's signature with a secret."""
    expected = b64encode(hmac.new(secret.encode(), document, hashlib.sha256).digest())
    return hmac.compare_digest(expected, signature.strip().encode())


def is_signed_by_key_set(
    verifier: KeySetVerifier, key_set: str, key_id: str, signature: str, signed_at: str, document: bytes, now: datetime
) -> bool:
    """Return True if a push has a recent signature by a ShipEngine key of the set."""
    try:
        at, raw = datetime.fromisoformat(signed_at), b64decode(signature, validate=True)
    except ValueError:
        return False
    if at.tzinfo is None or abs(now - at) > CLOCK_TOLERANCE:
        return False
    return verifier.is_signed(key_set, key_id, raw, f"{signed_at}.".encode() + document)
