"""The refused events of a carrier's webhook, as they are listed for the office."""

import hashlib
from collections.abc import Mapping, Sequence
from typing import Any

from msgspec import to_builtins

from haulier.contexts.otep.public import parse_timestamp
from haulier.contexts.tracking.events import RefusedScan
from haulier.contexts.tracking.ingest.rules.parsed import RefusalReason

NUMBER_MAX = 100


def push_digest(provider_id: int, document: bytes) -> str:
    """Return the id of a webhook: a repeat by the same provider has the same one, so it is listed once."""
    return hashlib.sha256(f"{provider_id}|".encode() + document).hexdigest()[:32]


def refused_scans(native: Mapping[str, Any], refused: Mapping[str, Sequence[RefusalReason]]) -> tuple[RefusedScan, ...]:
    """Return the refused events of a webhook, by their paths in its native document."""
    entries = {
        path: (timeline, event)
        for number, timeline in enumerate(native.get("timelines", ()))
        for path, event in _paths(number, timeline)
    }
    return tuple(_refused_scan(path, *entries.get(path, ({}, {})), reasons) for path, reasons in refused.items())


def _paths(number: int, timeline: dict[str, Any]) -> list[tuple[str, dict[str, Any]]]:
    path = f"$.timelines[{number}]"
    return [(path, {}), *((f"{path}.events[{index}]", event) for index, event in enumerate(timeline.get("events", ())))]


def _refused_scan(
    path: str, timeline: dict[str, Any], event: dict[str, Any], reasons: Sequence[RefusalReason]
) -> RefusedScan:
    return RefusedScan(
        path=path,
        tracking_number=timeline.get("subject", {}).get("tracking_number", "")[:NUMBER_MAX],
        reference=event.get("event_id"),
        status_code=event.get("status_code", ""),
        occurred_at=parse_timestamp(event.get("occurred_at")),
        reasons=tuple(to_builtins(reason) for reason in reasons),
    )
