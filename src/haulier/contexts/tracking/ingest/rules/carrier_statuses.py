"""What a carrier says in its own words, in ours: where its vocabulary is known, its status codes need no translation there."""

from typing import Any

from haulier.contexts.otep.public import TranslatedStatus, is_experimental_code, resolve_status, translate_status

RAW_MAX = 200


def translate_carrier_status(carrier: Any, status: Any, profile: str) -> TranslatedStatus | None:
    """What a status means when it is a word of a carrier's known vocabulary and none of the protocol's; else None."""
    if not isinstance(carrier, str) or not isinstance(status, str) or not 0 < len(status) <= RAW_MAX:
        return None
    if resolve_status(status, profile) or is_experimental_code(status):
        return None
    found = translate_status(carrier, status)
    return found if found.known else None


def translate_event_status(event: Any, profile: str) -> Any:
    """An event whose status code is ours wherever that can be told; what its source said stays as `raw_status`."""
    source = event.get("source") if isinstance(event, dict) else None
    found = (
        translate_carrier_status(source.get("name"), event.get("status_code"), profile)
        if isinstance(source, dict)
        else None
    )
    if found is None:
        return event
    told = {"raw_status": event["status_code"], **event, "status_code": found.status_code}
    if found.incident_reason:
        told.setdefault("incident_reason", {"code": found.incident_reason})
    return told
