"""Errors of provider documents and protocol versions."""

import json
from typing import Any

from tests.contexts.tracking.ingest.requests import make_document
from tests.invariants.error_scenarios.runner import Attempt, Attempts
from tests.support.app import START, App

from haulier.contexts.tracking.providers.store import write_push_signature

EVENT = {"occurred_at": START.isoformat(), "status_code": "in_transit", "source": {"type": "carrier"}}
TIMELINE = json.dumps({"subject": {"tracking_number": "A1"}, "events": [EVENT]})
MANY = 1001
XML = {"content-type": "application/xml"}


async def scene(app: App) -> dict[str, Any]:
    """Create a provider with a key, and one with only a token of an account."""
    app.tokens["provider"] = (await app.answer("admin", "issue_provider_key", {"name": "p"})).key
    robot = {"name": "Robot", "email": "robot@demo.example", "account": "provider"}
    id = (await app.answer("admin", "create_user", robot)).user.id
    token = await app.answer("admin", "issue_api_token", {"name": "r", "provider_id": id})
    app.tokens["robot"] = token.access_token
    signing = await app.answer("admin", "issue_provider_key", {"name": "signs"})
    app.tokens["signing"] = signing.key
    async with app.database.write(app.clients["demo"]) as work:
        await write_push_signature(work, signing.id, "easypost", None)
    return {"signing": signing.id}


def attempts(ids: dict[str, Any]) -> Attempts:
    """Return an attempt for each error."""
    both: dict[str, str] = {
        "DOCUMENT_KEY_TWICE": '{"a": 1, "a": 2}',
        "DOCUMENT_MALFORMED": "{nope",
        "DOCUMENT_NOT_UTF8": '{"a": "\udcff"}',
        "DOCUMENT_NUMBER_TOO_LONG": f'{{"a": {"9" * 5000}}}',
        "DOCUMENT_TOO_DEEP": "[" * 2000 + "]" * 2000,
        "DOCUMENT_TOO_COMPLEX": "," * 250_001,
    }
    found: dict[tuple[str, str], Attempt] = {
        (name, code): ("provider", {"": text.encode(errors="surrogateescape")})
        for name in ("ingest_timelines", "ingest_epcis")
        for code, text in both.items()
    }
    for name in ("ingest_timelines", "ingest_epcis"):
        found[name, "PROVIDER_KEY_NEEDED"] = ("robot", {"": TIMELINE})
        found[name, "PUSH_SIGNATURE_WRONG"] = ("signing", {"": TIMELINE})
    signature = {"provider_id": ids["signing"], "scheme": "easypost", "secret": "wh-secret-4f9a"}
    found["set_push_signature", "PROVIDER_SECRETS_NOT_KEPT"] = ("admin", signature)
    for name in ("get_own_provider_key", "list_refused_pushes"):
        found[name, "PROVIDER_KEY_NEEDED"] = ("robot", {})
    for name in ("get_carrier_message", "replay_carrier_message"):
        found[name, "NOT_FOUND"] = ("admin", {"carrier_message_id": 10**6})
    found["who_am_i", "KEY_OF_NOBODY"] = ("provider", {})
    found["ingest_timelines", "INGEST_NOT_A_TIMELINE"] = ("provider", {"": "[]"})
    found["ingest_timelines", "INGEST_REFUSED"] = ("provider", {"": _make_timeline({"status_code": "lost in space"})})
    found["ingest_timelines", "INGEST_TOO_MANY_EVENTS"] = ("provider", {"": _make_timeline(*[{}] * MANY)})
    found["ingest_epcis", "INGEST_NOT_EPCIS"] = ("provider", {"": "[]"})
    found["ingest_epcis", "INGEST_NO_EVENTS"] = ("provider", {"": _without_events()})
    found["ingest_epcis", "INGEST_REFUSED"] = ("provider", {"": json.dumps(make_document({}))})
    found["ingest_epcis", "INGEST_TOO_MANY_EVENTS"] = ("provider", {"": json.dumps(make_document(*[{}] * MANY))})
    found["ingest_epcis", "DOCUMENT_MALFORMED_XML"] = ("provider", {"": "<EPCISDocument>"}, XML)
    found["ingest_epcis", "DOCUMENT_DECLARES"] = ("provider", {"": '<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>'}, XML)
    found["get_otep_codebook", "UNKNOWN_OTEP_VERSION"] = (None, {"version": "9.9.9"})
    found["get_otep_schema", "UNKNOWN_OTEP_VERSION"] = (None, {"version": "9.9.9"})
    return found


def _make_timeline(*events: dict[str, Any]) -> str:
    return json.dumps({"subject": {"tracking_number": "A1"}, "on_error": "rollback", "events": list(events)})


def _without_events() -> str:
    """Return a document with master data only."""
    return json.dumps(make_document(epcisBody={}))
