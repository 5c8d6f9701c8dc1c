"""Conversion of scans in polled carrier responses to the port's events."""

import json
from typing import Any

from haulier.contexts.otep.public import CarrierScan, CarrierScanForm, join_codes, read_scans, text_at
from haulier.contexts.shipping.ports import CarrierEvent, UnreadScan

Document = dict[str, Any]


def read_document(answer: bytes) -> Document:
    """Return the object of a JSON response. Raises `ValueError` for any other content."""
    document = json.loads(answer)
    if not isinstance(document, dict):
        raise ValueError("the answer is no JSON object")
    return document


def listed_parts(document: Document, name: str) -> list[Document]:
    """Return the objects of a list in a document.

    A single object counts as a list of one.
    """
    listed = document.get(name)
    return [part for part in (listed if isinstance(listed, list) else [listed]) if isinstance(part, dict) and part]


def carrier_events(
    form: CarrierScanForm, scans: list[Document], document: Document | None = None, status: tuple[str, ...] = ()
) -> list[CarrierEvent | UnreadScan]:
    """Return scans, the earliest first, followed by those without a readable time.

    `status` has the paths of the overall status in the document that lists the scans.
    """
    overall = join_codes(*(text_at(document or {}, path) for path in status))
    read = list(
        {scan.event_id: (scan, raw) for scan, raw in zip(read_scans(form, scans, overall), scans, strict=True)}.values()
    )
    events: list[CarrierEvent] = [event for scan, _ in read if (event := _carrier_event(scan))]
    unread = [UnreadScan(sender=form.sender, document=raw) for scan, raw in read if scan.occurred_at is None]
    events.sort(key=lambda event: (event.occurred_at, event.event_id))
    return [*events, *unread]


def _carrier_event(scan: CarrierScan) -> CarrierEvent | None:
    if (at := scan.occurred_at) is None:
        return None
    return CarrierEvent(
        event_id=scan.event_id,
        code=scan.code or scan.status.raw_status,
        otep_code=scan.status.status_code,
        occurred_at=at,
        text=scan.text,
        city=scan.city,
        region=scan.region,
        country=scan.country,
    )
