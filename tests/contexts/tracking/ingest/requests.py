"""Setup of ingestion tests: provider keys, and documents pushed over REST."""

import json
from datetime import timedelta
from typing import Any

import httpx
from tests.support.app import START, App

NUMBER = "SP-1001"
DAY_BEFORE = START - timedelta(days=1)
CARRIER = {"type": "carrier", "name": "Swift Post"}


async def make_key(app: App, client: str = "admin", name: str = "Swift Post", **words: Any) -> str:
    """Issue a provider key as staff."""
    return (await app.answer(client, "issue_provider_key", {"name": name, **words})).key


async def push_document(
    app: App, key: str, document: Any, *, to: str = "ingest", type: str = "application/json", **headers: str
) -> httpx.Response:
    """Push a document, plain or already written, with a key."""
    body = document if isinstance(document, bytes) else json.dumps(document).encode()
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    words = {"Authorization": f"Bearer {key}", "Content-Type": type, **named}
    return await app.http.post(f"/api/v1/otep/{to}", content=body, headers=words)


def make_event(status_code: str = "in_transit", hours: float = 0, **fields: Any) -> dict[str, Any]:
    """Return a native event a number of hours after the day before the start."""
    at = DAY_BEFORE + timedelta(hours=hours)
    return {"occurred_at": at.isoformat(), "status_code": status_code, "source": CARRIER, **fields}


def make_timeline(*events: dict[str, Any], number: str = NUMBER, **fields: Any) -> dict[str, Any]:
    """A native timeline."""
    return {"subject": {"tracking_number": number}, "events": list(events), **fields}


def make_object_event(
    epc: str = "https://id.gs1.org/00/006141411234567890", hours: float = 0, **fields: Any
) -> dict[str, Any]:
    """Return an EPCIS event of one object, hours after the day before the start."""
    at = DAY_BEFORE + timedelta(hours=hours)
    return {
        "type": "ObjectEvent",
        "eventTime": at.isoformat(),
        "eventTimeZoneOffset": "+00:00",
        "epcList": [epc],
        "action": "OBSERVE",
        "bizStep": "receiving",
        "disposition": "in_progress",
        **fields,
    }


def make_document(*events: dict[str, Any], **fields: Any) -> dict[str, Any]:
    """An EPCIS document."""
    return {
        "@context": ["https://ref.gs1.org/standards/epcis/2.0.0/epcis-context.jsonld"],
        "type": "EPCISDocument",
        "schemaVersion": "2.0",
        "creationDate": START.isoformat(),
        "epcisBody": {"eventList": list(events)},
        **fields,
    }


def ingest_outcomes(response: httpx.Response) -> list[str]:
    """Return the outcome of each event in an accepted document."""
    assert response.status_code == 200, response.text
    return [receipt["outcome"] for receipt in response.json()["receipts"]]


async def read_timeline(app: App, number: str = NUMBER, who: str | None = "admin") -> dict[str, Any]:
    """Return a timeline as a user sees it, by any number, also one invalid in URLs."""
    body = {"tracking_numbers": [number]}
    found = (await app.rest(who, "POST", "/v1/tracking/operationevents", body)).json()["trackings"]
    return found[0]["timeline"] if found else {}


def status_codes(timeline: dict[str, Any]) -> list[str]:
    """The status codes of a timeline."""
    return [event["status_code"] for event in timeline.get("events", [])]
