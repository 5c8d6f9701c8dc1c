"""Webhooks of carriers and aggregators as native documents: UPS Track Alert, ShipEngine, EasyPost, Shippo, AfterShip.

They are taken as these senders write them, with every field optional, and authenticated by a provider's key (UPS sends it in
`credential`). A scan gets the id that a poll of the carrier gives it, so a repeat changes nothing.
"""

from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any
from urllib.parse import parse_qs, urlsplit

from msgspec import Struct

from haulier.contexts.otep.public import (
    TERMINAL_CODES,
    CarrierScan,
    CarrierScanForm,
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
from haulier.contexts.tracking.ingest.rules.parsed import RefusalReason

Document = dict[str, Any]
MAX_SCANS = 1000
STATUS_INFERRED = "status_inferred"
"""The extension of events whose scan has no status of its own: a later document may show another one for it."""

_SHIPPO_EVENTS = frozenset(
    ("track_updated", "transaction_created", "transaction_updated", "batch_created", "batch_purchased")
)


class PushForm(Struct, frozen=True, kw_only=True):
    """How a sender writes a webhook: how it is recognised, and where parcel, scans and overall status are.

    `body` is where the parcel is, empty for the document itself. `scans` are paths of lists and of single scans.
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
        """The name of the sender's vocabulary."""
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
    """Return the reason for which a webhook of a known sender is stored: an event of it that is not known."""
    form = recognise_push(document)
    if form is None or form.is_about_parcel(document) or form.is_about_other(document):
        return None
    return RefusalReason("$", "ingest.event_unknown", {"sender": form.sender})


def pushed_number(form: PushForm, document: Document) -> str:
    """Return the tracking number of a webhook, empty where it has none."""
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
    """Return True where the document says that the journey is over, and no scan does."""
    return status.status_code in TERMINAL_CODES and all(scan.status.status_code not in TERMINAL_CODES for scan in scans)


def _overall_event(
    form: PushForm, number: str, status: TranslatedStatus, written_at: str, scans: list[CarrierScan]
) -> Document:
    """The event of a document's overall status: at its own time, else at that of the newest scan."""
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
    """The scans of a document; the last ones where there are more than a call may push."""
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
