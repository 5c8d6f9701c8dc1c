"""Statuses in a carrier's own vocabulary as status codes of the protocol, for the carriers whose vocabulary is known."""

from typing import Any

from haulier.contexts.otep.public import TranslatedStatus, is_experimental_code, resolve_status, translate_status

RAW_MAX = 200
"""Characters of a status that is looked up."""


def translate_carrier_status(carrier: Any, status: Any, profile: str) -> TranslatedStatus | None:
    """The translation of a status of a carrier's known vocabulary; None for any other, and for codes of the protocol."""
    if not isinstance(carrier, str) or not isinstance(status, str) or not 0 < len(status) <= RAW_MAX:
        return None
    if resolve_status(status, profile) or is_experimental_code(status):
        return None
    translated = translate_status(carrier, status)
    return translated if translated.known else None


def translate_event_status(event: Any, profile: str) -> Any:
    """An event with its carrier's status translated where that is known; the source's own status stays as `raw_status`."""
    source = event.get("source") if isinstance(event, dict) else None
    translated = (
        translate_carrier_status(source.get("name"), event.get("status_code"), profile)
        if isinstance(source, dict)
        else None
    )
    if translated is None:
        return event
    result = {"raw_status": event["status_code"], **event, "status_code": translated.status_code}
    if translated.incident_reason:
        result.setdefault("incident_reason", {"code": translated.incident_reason})
    return result
