"""Webhooks of carriers and aggregators as native documents: UPS Track Alert, ShipEngine, EasyPost.

They come as these senders write them, and say who they are by a provider's key: ShipEngine and EasyPost can be told to send it
in `Authorization`, UPS sends it in `credential`. Scans get ids here, the same that a poll of the carrier gives them: what comes
again changes nothing.
"""

import hashlib
import re
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from typing import Any

from haulier.contexts.otep.public import translate_status

Document = dict[str, Any]
MAX_SCANS, MAX_WORD = 1000, 200


def native_of_push(document: Any) -> Any:
    """The native document of a webhook; any other document as it is.

    A webhook that is about no parcel becomes a document without timelines: its sender would come again and again otherwise.
    """
    if not isinstance(document, dict):
        return document
    for is_meant, read in _FORMS:
        if is_meant(document):
            return {"on_error": "proceed", "timelines": list(read(document))}
    return document


def scan_id(*parts: object) -> str:
    """A stable id of a scan that has none."""
    return hashlib.sha256("|".join(str(part or "") for part in parts).encode()).hexdigest()[:32]


def _is_ups(document: Document) -> bool:
    return "activityStatus" in document and "trackingNumber" in document


def _ups_timelines(document: Document) -> Iterator[Document]:
    status, place = _part(document, "activityStatus"), _part(document, "activityLocation")
    code = _joined(status.get("type"), status.get("code"))
    day, time = str(document.get("gmtActivityDate", "")), str(document.get("gmtActivityTime", "")).replace(":", "")
    event = {
        "event_id": scan_id(code, day, time, place.get("city"), place.get("country")),
        **_status("ups", code),
        **_located(place.get("city"), place.get("stateProvince"), place.get("country"), place.get("postalCode")),
    }
    if match := re.fullmatch(r"(\d{4})(\d\d)(\d\d)/(\d\d)(\d\d)(\d\d)", f"{day}/{time}"):
        event["occurred_at"] = "{}-{}-{}T{}:{}:{}Z".format(*match.groups())
    yield {"subject": {"tracking_number": document["trackingNumber"]}, "events": [event]}


def _is_shipengine(document: Document) -> bool:
    return "resource_type" in document and "resource_url" in document


def _shipengine_timelines(document: Document) -> Iterator[Document]:
    data = _part(document, "data")
    if document["resource_type"] != "API_TRACK":
        return
    events = [_shipengine_event(scan) for scan in _parts(data, "events")]
    yield {"subject": {"tracking_number": data.get("tracking_number")}, "events": events}


def _shipengine_event(scan: Document) -> Document:
    code = _joined(scan.get("status_code"), scan.get("status_detail_code"))
    at = scan.get("occurred_at")
    return {
        "event_id": scan_id(_second(at), code, scan.get("event_code"), scan.get("city_locality")),
        "occurred_at": at,
        **_status("shipengine", code),
        **_located(
            scan.get("city_locality"), scan.get("state_province"), scan.get("country_code"), scan.get("postal_code")
        ),
    }


def _is_easypost(document: Document) -> bool:
    return document.get("object") == "Event" and "description" in document


def _easypost_timelines(document: Document) -> Iterator[Document]:
    tracker = _part(document, "result")
    if tracker.get("object") != "Tracker":
        return
    events = [_easypost_event(scan) for scan in _parts(tracker, "tracking_details")]
    yield {"subject": {"tracking_number": tracker.get("tracking_code")}, "events": events}


def _easypost_event(scan: Document) -> Document:
    code = _joined(scan.get("status"), scan.get("status_detail"))
    at, place = scan.get("datetime"), _part(scan, "tracking_location")
    return {
        "event_id": scan_id(_second(at), code, scan.get("carrier_code"), place.get("city"), scan.get("message")),
        "occurred_at": at,
        **_status("easypost", code),
        **_located(place.get("city"), place.get("state"), place.get("country"), place.get("zip")),
    }


_FORMS: tuple[tuple[Callable[[Document], bool], Callable[[Document], Iterator[Document]]], ...] = (
    (_is_ups, _ups_timelines),
    (_is_shipengine, _shipengine_timelines),
    (_is_easypost, _easypost_timelines),
)


def _status(sender: str, code: str) -> Document:
    """The status code of a sender's word. One that is not in its table takes the general code of its phase."""
    translated = translate_status(sender, code)
    why = {"incident_reason": {"code": translated.incident_reason}} if translated.incident_reason else {}
    return {"status_code": translated.status_code, "raw_status": code, **why}


def _joined(*words: Any) -> str:
    return ":".join(word for word in words if isinstance(word, str) and word)[:MAX_WORD]


def _second(at: Any) -> str:
    """A moment of RFC 3339 to the second, in UTC; what is none as it is."""
    try:
        return f"{datetime.fromisoformat(at).astimezone(UTC):%Y-%m-%dT%H:%M:%SZ}"
    except (TypeError, ValueError, OverflowError):
        return str(at)[:MAX_WORD]


def _located(city: Any, region: Any, country: Any, postal_code: Any) -> Document:
    place = {"city": city, "region": region, "country": country, "postal_code": postal_code}
    told = {name: value for name, value in place.items() if value}
    return {"location": told} if told else {}


def _part(document: Document, name: str) -> Document:
    part = document.get(name)
    return part if isinstance(part, dict) else {}


def _parts(document: Document, name: str) -> list[Document]:
    """The records of a list. The last ones where there are more than a call may push: they are the newest at both senders."""
    listed = document.get(name)
    return [each for each in listed if isinstance(each, dict)][-MAX_SCANS:] if isinstance(listed, list) else []
